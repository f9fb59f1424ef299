/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "hearing.h"

#include <stdio.h>
#include <string.h>

#include "audio/pcm16.h"
#include "audio/wav.h"

#define MOST_SAMPLES ((size_t)SPOKEN_HZ * 3600)

static struct heard_track *
track_of(struct hearing *h, const char *sid)
{
	struct heard_track *t;

	for (t = h->tracks; t < h->tracks + h->n; t++)
		if (strcmp(t->sid, sid) == 0)
			return t;
	if (h->n == HEARING_TRACKS)
		return NULL;
	*t = (struct heard_track){ .decoder = opus_decoder_new(h->mem),
		.sound = { .mem = h->mem },
		.heard = { .mem = h->mem } };
	snprintf(t->sid, sizeof(t->sid), "%s", sid);
	h->n++;
	return t;
}

void
hearing_name(struct hearing *h, const char *sid, const char *name)
{
	struct heard_track *t = track_of(h, sid);

	if (t != NULL)
		snprintf(t->name, sizeof(t->name), "%s", name);
}

void
hearing_source(struct hearing *h, const char *sid, uint32_t ssrc)
{
	struct heard_track *t = track_of(h, sid);

	if (t != NULL)
		t->ssrc = ssrc;
}

/* Fill with silence up to the packet's place, also for lost packets. */
static void
go_to(struct heard_track *t, size_t at)
{
	static const int16_t silence[SPOKEN_HZ / 50];

	while (t->sound.len / 2 < at) {
		size_t n = at - t->sound.len / 2;

		n = n < SPOKEN_HZ / 50 ? n : SPOKEN_HZ / 50;
		buf_put(&t->sound, silence, n * 2);
	}
}

static void
decode(struct heard_track *t, const struct rtp_packet *r)
{
	size_t at = (r->ts - t->first_ts) / (RTP_HZ / SPOKEN_HZ);

	if (at > MOST_SAMPLES)
		return;
	go_to(t, at);
	t->heard.len = 0;
	opus_decoder_fine(t->decoder, &t->sound);
	if (opus_decoder_packet(t->decoder, r->p, r->n, &t->heard) != OK)
		fprintf(stderr, "webrtc-client: a packet that is no Opus\n");
}

static void
take(struct heard_track *t, const struct rtp_packet *r, int64_t now_us)
{
	int32_t ahead;

	if (t->packets == 0) {
		t->first_us = now_us;
		t->first_ts = r->ts;
		t->first_seq = r->seq;
	}
	ahead = (int16_t)(r->seq - (uint16_t)(t->first_seq + t->last));
	t->packets++;
	t->last_us = now_us;
	if (ahead < 0)
		return;
	t->last += ahead;
	decode(t, r);
}

void
hearing_take(struct hearing *h, const struct rtp_packet *r, int64_t now_us)
{
	for (struct heard_track *t = h->tracks; t < h->tracks + h->n; t++)
		if (t->ssrc == r->ssrc) {
			take(t, r, now_us);
			return;
		}
	h->unknown++;
}

unsigned
hearing_lost(const struct heard_track *t)
{
	unsigned expected = t->packets > 0 ? (unsigned)t->last + 1 : 0;

	return expected > t->packets ? expected - t->packets : 0;
}

/* ---- files ---- */

static bool
write_wav(const struct buf *sound, const char *name)
{
	char head[WAV_HEADER];
	FILE *f = fopen(name, "wb");
	bool written;

	wav_header_write(head, SPOKEN_HZ, sound->len);
	if (f == NULL)
		return false;
	written = fwrite(head, 1, sizeof(head), f) == sizeof(head) &&
		  fwrite(sound->p, 1, sound->len, f) == sound->len;
	return fclose(f) == 0 && written;
}

bool
hearing_write(const struct hearing *h, const char *prefix)
{
	for (const struct heard_track *t = h->tracks; t < h->tracks + h->n; t++) {
		const char *name = arena_printf(
		    h->mem, "%s%s.wav", prefix, t->name[0] != '\0' ? t->name : t->sid);

		if (t->packets > 0 && !write_wav(&t->sound, name)) {
			fprintf(stderr, "webrtc-client: cannot write %s\n", name);
			return false;
		}
	}
	return true;
}
