/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "healthy.h"

#include <math.h>
#include <string.h>
#include <time.h>

#include "../ws.h"
#include "base/clock.h"

#define HZ 16000
#define CHUNK_MS 320
#define CHUNK (HZ * CHUNK_MS / 1000) /* samples */
#define TONES 2                      /* loud chunks of a phrase, */
#define CHUNKS 5                     /* and all chunks of it */
#define ANSWER_S 30

struct talk {
	struct healthy *is;
	struct arena *mem;    /* chunks sent on the connection */
	struct arena *phrase; /* counts for this connection */
	struct ws *ws;
	int texts, ends; /* parts of phrases received so far */
	size_t bytes;    /* number of messages with the speech of this phrase */
};

static bool
fails(struct talk *t, const char *what, const struct ws_message *m)
{
	t->is->wrong = m == NULL ? what
				 : arena_printf(t->mem, "%s: kind %d, code %d, %.200s",
				       what, (int)m->kind, m->code, m->p);
	return false;
}

/* ---- saying ---- */

static bool
say(struct talk *t, const char *text)
{
	return ws_send(t->ws, WS_TEXT, text, strlen(text)) ||
	       fails(t, "nothing can be sent", NULL);
}

static void
fill_chunk(int16_t *s, bool loud)
{
	for (int i = 0; i < CHUNK; i++)
		s[i] = (int16_t)(loud ? 8000 * sin(2 * M_PI * 300 * i / HZ) : 0);
}

static bool
send_chunk(struct talk *t, bool loud)
{
	int16_t s[CHUNK];
	struct buf b = { .mem = t->phrase };

	fill_chunk(s, loud);
	if (t->is->kind == KIND_STT)
		return ws_send(t->ws, WS_BINARY, s, sizeof(s)) ||
		       fails(t, "no sound can be sent", NULL);
	message_add_audio(&b, s, sizeof(s));
	return say(t, buf_text(&b));
}

/* ---- hearing ---- */

static bool
has(const struct ws_message *m, const char *words)
{
	return strstr(m->p, words) != NULL;
}

/* Counts a message if it is one of those awaited. */
static bool
take(struct talk *t, const struct ws_message *m)
{
	if (m->kind != WS_TEXT)
		return fails(t, "the stream ended", m);
	if (has(m, "\"message_type\":\"error\"") && !has(m, "\"NOT_FOUND\""))
		return fails(t, "an error", m);
	if (has(m, "\"message_type\":\"translated_transcription\"")) {
		t->texts++;
		if (!has(m, "\"text\":\"[es] hello world\""))
			return fails(t, "another text", m);
	}
	if (has(m, "\"output_audio_data\"") || has(m, "\"audio_chunk\"")) {
		t->bytes += m->n;
		t->ends += has(m, "\"last_chunk\":true");
	}
	return true;
}

/* Receives for at most s seconds; more messages than expected are a fault, too. */
static bool
hear(struct talk *t, double s, int texts, int ends)
{
	int64_t until_us = monotonic_us() + (int64_t)(s * S_US);

	while (t->texts < texts || t->ends < ends) {
		double left = (double)(until_us - monotonic_us()) / S_US;
		struct ws_message m = ws_next(t->ws, t->phrase, left > 0 ? left : 0);

		if (m.kind == WS_SILENCE)
			return true;
		if (!take(t, &m))
			return false;
	}
	return true;
}

static void
nap_until(int64_t until_us)
{
	int64_t left_us = until_us - monotonic_us();
	const struct timespec nap = { .tv_sec = left_us / S_US,
		.tv_nsec = left_us % S_US * 1000 };

	if (left_us > 0)
		nanosleep(&nap, NULL);
}

/* ---- the three of them ---- */

static bool
begin_task(struct talk *t)
{
	int64_t until_us = monotonic_us() + ANSWER_S * S_US;

	if (!say(t,
		"{\"message_type\":\"set_task\",\"data\":{\"input_stream\":"
		"{\"content_type\":\"audio\",\"source\":{\"type\":\"ws\",\"format\":"
		"\"pcm_s16le\",\"sample_rate\":16000,\"channels\":1}},"
		"\"output_stream\":{\"content_type\":\"audio\",\"target\":{\"type\":"
		"\"ws\",\"format\":\"pcm_s16le\"}},\"pipeline\":{\"transcription\":"
		"{\"source_language\":\"en\"},\"translations\":["
		"{\"target_language\":\"es\"}]}}}"))
		return false;
	while (monotonic_us() < until_us) {
		struct ws_message m;

		if (!say(t, "{\"message_type\":\"get_task\"}"))
			return false;
		m = ws_next(t->ws, t->phrase, ANSWER_S);
		if (!take(t, &m))
			return false;
		if (has(&m, "\"current_task\""))
			return true;
		nap_until(monotonic_us() + S_US / 20);
	}
	return fails(t, "the task does not begin", NULL);
}

static bool
say_phrase(struct talk *t)
{
	int64_t begun_us = monotonic_us();
	const char *text = arena_printf(t->phrase,
	    "{\"type\":\"text\",\"text\":\"Phrase %d.\",\"is_eos\":true}",
	    (int)t->is->phrases);

	if (t->is->kind == KIND_TTS) {
		nap_until(begun_us + S_US);
		return say(t, text);
	}
	for (int i = 0; i < CHUNKS; i++) {
		if (!send_chunk(t, i < TONES))
			return false;
		nap_until(begun_us + (i + 1) * CHUNK_MS * INT64_C(1000));
	}
	return true;
}

static bool
next_phrase(struct talk *t)
{
	int phrase = t->is->phrases + 1;
	int texts = t->is->kind != KIND_TTS ? phrase : 0;
	int ends = t->is->kind != KIND_STT ? phrase : 0;
	int64_t said_us;
	double s;

	t->bytes = 0;
	if (!say_phrase(t))
		return false;
	said_us = monotonic_us();
	if (!hear(t, ANSWER_S, texts, ends))
		return false;
	s = (double)(monotonic_us() - said_us) / S_US;
	t->is->longest_s = fmax(t->is->longest_s, s);
	if (t->texts != texts || t->ends != ends)
		return fails(t,
		    arena_printf(t->mem, "phrase %d: %d texts, %d ends of speech",
			phrase, t->texts, t->ends),
		    NULL);
	if (ends > 0 && t->bytes < 10000)
		return fails(t, "hardly any speech", NULL);
	t->is->phrases = phrase;
	return true;
}

static bool
open_socket(struct talk *t)
{
	const struct addresses *h = t->is->endpoint.addresses;
	const char *path = endpoint_path(t->mem, &t->is->endpoint, t->is->kind,
	    t->is->kind == KIND_STT ? "&language=en&translate_languages=es" : "");
	const char *answer;

	if (path == NULL)
		return fails(t, "no session", NULL);
	t->ws = ws_open(t->mem,
	    arena_printf(
		t->mem, "ws://%s%s", t->is->by_web ? h->web : h->gateway, path),
	    NULL, ANSWER_S, &answer);
	if (t->ws == NULL)
		return fails(t, arena_printf(t->mem, "no upgrade: %s", answer), NULL);
	return t->is->kind == KIND_S2S ? begin_task(t)
	       : t->is->kind == KIND_TTS
		   ? say(t, "{\"type\":\"init\",\"language\":\"en\",\"output\":"
			    "{\"format\":\"pcm\"}}")
		   : true;
}

void *
healthy_run(void *arg)
{
	struct talk t = { .is = arg, .mem = arena_new(), .phrase = arena_new() };
	bool good = open_socket(&t);

	while (good && !*t.is->over) {
		arena_reset(t.phrase);
		good = next_phrase(&t);
	}
	if (t.ws != NULL)
		ws_drop(t.ws);
	arena_free(t.phrase);
	return t.mem;
}
