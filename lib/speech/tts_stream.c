/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "speech/tts_stream.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/mman.h>
#include <unistd.h>

#include "audio/pcm16.h"
#include "audio/raw_decoder.h"
#include "base/clock.h"
#include "media/media.h"
#include "speech/engine_call.h"

/* ---- the answer's bytes to sound ---- */

/*
 * Turns the answer's bytes into sound. They come in pieces of any length. The first
 * bytes are stored until it is certain that they are not MP3 or another coding, which
 * would sound as noise.
 */
#define BLOCK 4096 /* samples passed on at once */

static bool
refuse(struct audio_reader *ear, const char *why)
{
	ear->refused = true;
	ear->why = why;
	return false;
}

static bool
hand_over(struct audio_reader *ear, float *s, size_t n)
{
	const struct pcm pcm = { .s = s, .n = n, .rate_hz = ear->wav.rate_hz };

	if (n == 0)
		return true;
	if (ear->heard_hz != 0 && ear->heard_hz != pcm.rate_hz)
		return refuse(ear, "another file follows, of another rate");
	ear->enough = !ear->sink(ear->to, &pcm);
	ear->heard_hz = pcm.rate_hz;
	return !ear->enough;
}

/* Mix the channels of one sample in ear->rest. */
static float
mix(struct audio_reader *ear, const struct raw_decoder *raw)
{
	float frame[2] = { 0 };

	for (int i = 0; i < ear->wav.channels; i++)
		frame[i] = raw->read(ear->rest + (size_t)i * raw->bytes);
	return downmix_frame(&ear->mixing, frame, ear->wav.channels) / 32768;
}

static bool
feed_samples(struct audio_reader *ear, const unsigned char *p, size_t n)
{
	const struct raw_decoder *raw =
	    raw_decoder_of((enum audio_encoding)ear->wav.form);
	size_t frame = raw->bytes * (size_t)ear->wav.channels, got = 0;
	float block[BLOCK];

	while (n > 0) {
		for (; n > 0 && ear->nrest < frame; n--)
			ear->rest[ear->nrest++] = *p++;
		if (ear->nrest < frame)
			break;
		ear->nrest = 0;
		block[got++] = mix(ear, raw);
		if (got == BLOCK) {
			if (!hand_over(ear, block, got))
				return false;
			got = 0;
		}
	}
	return hand_over(ear, block, got);
}

static bool
read_sound(struct audio_reader *ear, const unsigned char *p, size_t n)
{
	struct wav_run run;

	while (!ear->refused && wav_reader_next(&ear->wav, &p, &n, &run))
		if (!feed_samples(ear, run.p, run.n))
			return false;
	return ear->wav.at == WAV_BAD ? refuse(ear, ear->wav.why) : !ear->refused;
}

static bool
begins(const char *type, const char *with)
{
	return type != NULL && strncasecmp(type, with, strlen(with)) == 0;
}

/*
 * True if an answer of this Content-Type may be raw samples. Some servers send them as
 * audio/mpeg, or without a type.
 */
static bool
may_be_bare(const char *type)
{
	static const char *const coded[] = { "audio/ogg", "audio/opus", "audio/vorbis",
		"audio/webm", "audio/flac", "audio/x-flac", "audio/aac", "audio/mp4",
		"audio/x-m4a", "audio/m4a", "audio/amr", "audio/aiff", "audio/x-aiff" };

	for (size_t i = 0; i < sizeof(coded) / sizeof(coded[0]); i++)
		if (begins(type, coded[i]))
			return false;
	return type == NULL || begins(type, "audio/") ||
	       begins(type, "application/octet-stream") ||
	       begins(type, "binary/octet-stream");
}

/* Returns the rate in "audio/pcm;rate=16000"; 0: there is none. */
static int
rate_of(const char *type)
{
	const char *rate = type != NULL ? strcasestr(type, "rate=") : NULL;

	return rate != NULL ? atoi(rate + strlen("rate=")) : 0;
}

static bool
is_wav(const struct audio_reader *ear)
{
	return ear->nstart >= 4 && wav_reader_is_magic(ear->start);
}

/* True if the first bytes, which do not begin a WAV file, are raw samples. */
static bool
is_bare(struct audio_reader *ear)
{
	bool mpeg = begins(ear->type, "audio/mpeg") || begins(ear->type, "audio/mp3");
	unsigned char first = ear->start[0];

	if ((ear->coded = sound_magic(ear->start, ear->nstart, mpeg)) != NULL)
		return refuse(ear, NULL);
	if (!may_be_bare(ear->type) ||
	    (ear->type == NULL && (first == '{' || first == '<')))
		return refuse(ear, "its Content-Type or its text is another");
	return ear->rate_hz > 0 || refuse(ear, "it does not begin with RIFF");
}

/* Decide by the first bytes how to read the answer. */
static bool
begin(struct audio_reader *ear)
{
	int hz = rate_of(ear->type);

	ear->begun = true;
	if (!is_wav(ear) && !is_bare(ear))
		return false;
	if (hz < AUDIO_LEAST_HZ || hz > AUDIO_MOST_HZ)
		hz = ear->rate_hz;
	wav_reader_begin(&ear->wav, ear->rate_hz > 0 ? hz : 0, 1);
	ear->wav.codings = true;
	ear->wav.most_hz = ear->most_hz;
	return read_sound(ear, ear->start, ear->nstart);
}

bool
audio_reader_feed(struct audio_reader *ear, const void *bytes, size_t n)
{
	const unsigned char *p = bytes;
	size_t more = sizeof(ear->start) - ear->nstart;

	if (ear->begun)
		return !ear->enough && read_sound(ear, p, n);
	more = more < n ? more : n;
	memcpy(ear->start + ear->nstart, p, more);
	ear->nstart += more;
	if (!is_wav(ear) && ear->nstart < sizeof(ear->start))
		return true;
	return begin(ear) && read_sound(ear, p + more, n - more);
}

bool
audio_reader_done(struct audio_reader *ear)
{
	if (!ear->begun)
		begin(ear);
	if (!ear->refused && !ear->enough && (!ear->wav.behind || ear->nrest > 0))
		refuse(ear, "it is cut short");
	return !ear->refused;
}

/* ---- calls ---- */

#define SAMPLE_MOST_HZ 192000
#define CODED_MOST (4 << 20) /* longest answer in another coding, in bytes */
#define CODED_MOST_S 120     /* longest sound of such an answer */

struct answer {
	struct audio_reader ear;
	struct buf bytes; /* all bytes, as long as they may be in another coding */
};

static bool
read_bytes(void *answer, const void *p, size_t n)
{
	struct answer *a = answer;
	bool on;

	if (!a->ear.begun || a->ear.coded != NULL)
		buf_put(&a->bytes, p, n);
	on = a->ear.coded == NULL && audio_reader_feed(&a->ear, p, n);
	return on || (a->ear.coded != NULL && a->bytes.len <= CODED_MOST);
}

static void
note_type(void *answer, const char *type)
{
	((struct answer *)answer)->ear.type = type;
}

/* The answer for a stored sound is received as a whole. */
static void
read_whole(struct answer *to, const struct http_answer *a)
{
	to->ear.most_hz = SAMPLE_MOST_HZ;
	to->ear.type = a->content_type;
	read_bytes(to, a->body, a->body_len);
}

static enum err
decode_file(const struct engine_call *en, struct arena *mem, int fd, struct pcm *pcm,
    struct media_info *info)
{
	const struct media_want want = { .rate_hz = SPOKEN_HZ, .max_s = CODED_MOST_S };
	int64_t left_ms = (en->until_us - monotonic_us()) / 1000;
	const struct media_at media = {
		arena_printf(mem, "%s/dragoman-media", en->at->bin_dir),
		left_ms > 0 ? (int)left_ms : 1,
	};

	return media_decode(
	    &media, mem, arena_printf(mem, "/proc/self/fd/%d", fd), &want, pcm, info);
}

/* Decode the answer in the sandboxed child, as other untrusted files. False: it is no
   sound. */
static bool
read_coded(const struct engine_call *en, struct arena *mem, const struct answer *a)
{
	struct media_info info = { .verdict = MEDIA_UNDECODABLE };
	struct pcm pcm;
	bool heard;
	int fd;

	if (en->at->bin_dir == NULL || a->bytes.len > CODED_MOST ||
	    (fd = memfd_create("speech", MFD_CLOEXEC)) < 0)
		return false;
	heard = write(fd, a->bytes.p, a->bytes.len) == (ssize_t)a->bytes.len &&
		decode_file(en, mem, fd, &pcm, &info) == OK &&
		info.verdict == MEDIA_FINE;
	close(fd);
	if (heard)
		a->ear.sink(a->ear.to, &pcm);
	return heard;
}

enum err
tts_ask(const struct engine_at *at, struct arena *mem, const struct tts_text *t,
    const struct tts_request *r, tts_sink *sink, void *to)
{
	struct answer got = { .ear = { .sink = sink, .to = to, .rate_hz = r->rate_hz },
		.bytes.mem = mem };
	struct audio_reader *ear = &got.ear;
	struct engine_call en = engine_start(at, mem, r->auth);
	struct http_call call = {
		.method = "POST", .body = r->body->p, .body_len = r->body->len
	};
	struct http_answer a = { 0 };
	enum err e;

	if (!t->sample) {
		call.take = read_bytes;
		call.typed = note_type;
		call.arg = &got;
		call.first_ms = TTS_FIRST_MS;
	}
	e = engine_ask(&en, call, r->path, &a);
	if (r->status != NULL)
		*r->status = a.status;
	if (e != OK || (e = engine_verdict(&en, r->path, &a)) != OK)
		return e;
	if (t->sample)
		read_whole(&got, &a);
	if (audio_reader_done(ear) ||
	    (ear->coded != NULL && read_coded(&en, mem, &got)))
		return OK;
	return engine_refuse(&en, r->path,
	    arena_printf(mem, "the answer is no %s: %s%s",
		r->rate_hz > 0 ? "16-bit PCM" : "WAV",
		ear->coded != NULL ? "it is " : ear->why,
		ear->coded != NULL ? ear->coded : ""));
}
