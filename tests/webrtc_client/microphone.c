/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "microphone.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "audio/opus_encoder.h"
#include "audio/resample.h"
#include "audio/wav.h"
#include "base/hash.h"

#define PACKET_US (OPUS_PACKETS_MS * INT64_C(1000))
#define LATE_US (25 * PACKET_US) /* later sound is skipped */
#define PACKET_TS (RTP_HZ / 1000 * OPUS_PACKETS_MS)

struct microphone {
	struct opus_encoder *encoder;
	struct pcm16 sound;
	size_t at; /* samples sent */
	struct buf packets;
	struct rtp_packet next;
	int64_t due_us; /* 0: nothing was sent yet */
	unsigned sent;
};

/* Mixes several channels to one. */
static void
take_run(struct buf *to, const struct wav_run *run, int channels)
{
	size_t frame = 2 * (size_t)channels;

	for (size_t i = 0; i + frame <= run->n; i += frame)
		buf_put(to, run->p + i, 2);
}

static bool
read_sound(struct arena *mem, const struct buf *file, struct pcm16 *to)
{
	const unsigned char *p = (const void *)file->p;
	struct buf sound = { .mem = mem }, resampled = { .mem = mem };
	struct wav_reader wav = { 0 };
	struct wav_run run;
	size_t n = file->len;
	struct resample *r;
	struct pcm16 piece;

	wav_reader_begin(&wav, 0, 0);
	while (wav_reader_next(&wav, &p, &n, &run))
		take_run(&sound, &run, wav.channels);
	if (wav.at == WAV_BAD || sound.len == 0)
		return false;
	r = resample_new(mem, wav.rate_hz, SPOKEN_HZ);
	piece = resample_feed(r, (const void *)sound.p, sound.len / 2, mem);
	buf_put(&resampled, piece.s, piece.n * 2);
	piece = resample_end(r, mem);
	buf_put(&resampled, piece.s, piece.n * 2);
	*to = (struct pcm16){ (void *)resampled.p, resampled.len / 2 };
	return true;
}

static bool
read_file(struct buf *b, const char *name)
{
	int fd = open(name, O_RDONLY | O_CLOEXEC);
	ssize_t n = -1;

	if (fd < 0)
		return false;
	while ((n = read(fd, buf_room(b, 65536), 65536)) > 0)
		b->len += (size_t)n;
	close(fd);
	return n == 0;
}

struct microphone *
microphone_open(struct arena *mem, const char *name)
{
	struct microphone *m = arena_alloc(mem, sizeof(*m));
	struct buf file = { .mem = mem };

	m->encoder = opus_encoder_new(mem);
	m->packets.mem = mem;
	m->next.type = RTP_OPUS;
	m->next.marker = true;
	random_bytes(&m->next.ssrc, sizeof(m->next.ssrc));
	random_bytes(&m->next.seq, sizeof(m->next.seq));
	random_bytes(&m->next.ts, sizeof(m->next.ts));
	if (name != NULL &&
	    !(read_file(&file, name) && read_sound(mem, &file, &m->sound)))
		return NULL;
	return m;
}

uint32_t
microphone_ssrc(const struct microphone *m)
{
	return m->next.ssrc;
}

/* Encodes the next 20 ms: of the recording, or silence. */
static void
encode(struct microphone *m, bool speaks)
{
	int16_t pcm[OPUS_ENCODER_SAMPLES] = { 0 };
	size_t left = m->sound.n - m->at;
	size_t n = left < OPUS_ENCODER_SAMPLES ? left : OPUS_ENCODER_SAMPLES;

	if (speaks && n > 0) {
		memcpy(pcm, m->sound.s + m->at, n * sizeof(*pcm));
		m->at += n;
	}
	m->packets.len = 0;
	opus_encoder_put(m->encoder, pcm, OPUS_ENCODER_SAMPLES, false, &m->packets);
}

static void
send_one(struct microphone *m, struct rtc_peer *to, bool speaks)
{
	struct opus_packets packets;
	struct opus_packet p;

	encode(m, speaks);
	packets = (struct opus_packets){ (const void *)m->packets.p, m->packets.len };
	if (opus_packets_next(&packets, &p)) {
		m->next.p = p.bytes;
		m->next.n = p.n;
		rtc_peer_send(to, &m->next);
		m->sent++;
		m->next.seq++;
		m->next.marker = false;
	}
	m->next.ts += PACKET_TS;
}

void
microphone_tick(struct microphone *m, struct rtc_peer *to, bool speaks, int64_t now_us)
{
	if (m->due_us == 0 || now_us > m->due_us + LATE_US)
		m->due_us = now_us;
	for (; now_us >= m->due_us; m->due_us += PACKET_US)
		send_one(m, to, speaks);
}

unsigned
microphone_packets(const struct microphone *m)
{
	return m->sent;
}

bool
microphone_is_over(const struct microphone *m)
{
	return m->at == m->sound.n;
}
