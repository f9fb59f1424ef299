/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The audio of speakers, from tones or a recording, with the ends of its phrases. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base64.h"
#include "stream-load.h"

/*
 * Each period has a tone of 300 Hz. The silence of 0.7 s that ends a phrase is over in
 * the middle of a chunk, wherever the recogniser's frames begin.
 */
#define PERIOD_CHUNKS 10
#define TONES 10 /* in a sound */
#define TONE_FROM_S 0.16
#define TONE_TO_S 1.38

#define FRAME_MS 10
#define VOICED 330      /* root of the mean square, -40 dBFS */
#define PAUSE_FRAMES 60 /* silent frames that separate two phrases */
#define PHRASES 256
/* number of shifted copies of a recording, each a little later in its chunk */
#define AGAIN 5
#define LATER_S 0.07

static size_t
chunk_samples(int hz)
{
	return (size_t)hz * CHUNK_MS / 1000;
}

static void
add_frame(
    struct sound *s, struct arena *mem, const int16_t *pcm, size_t bytes, bool json)
{
	const char *text;

	s->frames[s->chunks].n = bytes;
	if (!json) {
		s->frames[s->chunks].p =
		    ws_frame(mem, WS_BINARY, pcm, &s->frames[s->chunks].n);
	} else {
		text = arena_printf(mem,
		    "{\"message_type\":\"input_audio_data\",\"data\":{\"data\":\"%s\"}"
		    "}",
		    base64(mem, pcm, bytes));
		s->frames[s->chunks].n = strlen(text);
		s->frames[s->chunks].p =
		    ws_frame(mem, WS_TEXT, text, &s->frames[s->chunks].n);
	}
	s->chunks++;
}

/* Cuts the sound into whole chunks. */
static void
cut(struct sound *s, struct arena *mem, const int16_t *pcm, size_t n, int hz, bool json)
{
	size_t each = chunk_samples(hz);

	s->s = (double)n / hz;
	s->frames = arena_alloc(mem, (n / each + 1) * sizeof(*s->frames));
	for (size_t i = 0; i + each <= n; i += each)
		add_frame(s, mem, pcm + i, each * sizeof(*pcm), json);
}

struct sound
sound_tones(struct arena *mem, int hz, bool json)
{
	struct sound s = { 0 };
	size_t period = PERIOD_CHUNKS * chunk_samples(hz), n = TONES * period;
	int16_t *pcm = arena_alloc(mem, n * sizeof(*pcm));

	s.phrases = arena_alloc(mem, TONES * sizeof(*s.phrases));
	for (size_t i = 0; i < n; i++) {
		double t = (double)(i % period) / hz;

		if (t >= TONE_FROM_S && t < TONE_TO_S)
			pcm[i] = (int16_t)(8000 * sin(2 * M_PI * 300 * t));
	}
	for (s.n = 0; s.n < TONES; s.n++) {
		double at = (double)s.n * PERIOD_CHUNKS * CHUNK_MS / 1000;

		s.phrases[s.n] = (struct phrase_at){ at + TONE_FROM_S, at + TONE_TO_S };
	}
	cut(&s, mem, pcm, n, hz, json);
	return s;
}

/* ---- a recording ---- */

static _Noreturn void
no_sound(const char *name)
{
	fprintf(stderr, "stream-load: no mono WAV of 16 bits at %d Hz: %s\n", SPEECH_HZ,
	    name);
	exit(EXIT_FAILURE);
}

/* Reads a WAV file as ffmpeg writes it. */
static const int16_t *
read_wav(struct arena *mem, const char *name, size_t *n)
{
	struct buf b = { .mem = mem };
	FILE *f = fopen(name, "rb");
	const char *data;
	int32_t hz;
	size_t got;

	while (f != NULL && (got = fread(buf_room(&b, 65536), 1, 65536, f)) > 0)
		b.len += got;
	if (f != NULL)
		fclose(f);
	data = b.len > 44 ? memmem(b.p + 36, b.len - 36, "data", 4) : NULL;
	if (data == NULL)
		no_sound(name);
	memcpy(&hz, b.p + 24, sizeof(hz));
	if (hz != SPEECH_HZ || b.p[22] != 1 || b.p[34] != 16)
		no_sound(name);
	*n = (size_t)(b.p + b.len - data - 8) / 2;
	return memcpy(arena_alloc(mem, *n * 2), data + 8, *n * 2);
}

static bool
is_voiced(const int16_t *pcm, size_t n)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += (double)pcm[i] * pcm[i];
	return sqrt(sum / (double)n) >= VOICED;
}

/* Find the beginnings and ends of speech, which pauses separate. */
static void
find_phrases(struct sound *s, const int16_t *pcm, size_t n)
{
	size_t frame = SPEECH_HZ * FRAME_MS / 1000, still = PAUSE_FRAMES;

	for (size_t i = 0; i + frame <= n; i += frame) {
		if (!is_voiced(pcm + i, frame)) {
			still++;
			continue;
		}
		if (still >= PAUSE_FRAMES && s->n < PHRASES)
			s->phrases[s->n++].start_s = (double)i / SPEECH_HZ;
		s->phrases[s->n - 1].end_s = (double)(i + frame) / SPEECH_HZ;
		still = 0;
	}
}

struct sound
sound_file(struct arena *mem, const char *name)
{
	struct sound s = { .phrases = arena_alloc(mem, PHRASES * sizeof(*s.phrases)) };
	size_t once, all, later = (size_t)(LATER_S * SPEECH_HZ);
	const int16_t *from = read_wav(mem, name, &once);
	size_t each = chunk_samples(SPEECH_HZ);
	int16_t *pcm;

	all = ((once + later) * AGAIN + each - 1) / each * each;
	pcm = arena_alloc(mem, all * sizeof(*pcm));
	for (size_t i = 0; i < AGAIN; i++)
		memcpy(pcm + i * (once + later), from, once * sizeof(*pcm));
	find_phrases(&s, pcm, all);
	cut(&s, mem, pcm, all, SPEECH_HZ, true);
	return s;
}

/* ---- places in it ---- */

int64_t
sound_chunk(double at_s)
{
	return (int64_t)(at_s * 1000 / CHUNK_MS);
}

bool
sound_rests(const struct sound *s, int64_t chunk)
{
	int64_t at = chunk % (int64_t)s->chunks;

	for (size_t i = 0; i < s->n; i++)
		if (sound_chunk(s->phrases[i].start_s) <= at &&
		    at < sound_chunk(s->phrases[i].end_s))
			return false;
	return true;
}

int64_t
sound_said(const struct sound *s, int64_t chunk)
{
	int64_t at = chunk % (int64_t)s->chunks;
	int64_t n = chunk / (int64_t)s->chunks * (int64_t)s->n;

	for (size_t i = 0; i < s->n; i++)
		n += sound_chunk(s->phrases[i].end_s) <= at;
	return n;
}

double
sound_end_s(const struct sound *s, int64_t n)
{
	return (double)(n / (int64_t)s->n) * s->s + s->phrases[n % (int64_t)s->n].end_s;
}
