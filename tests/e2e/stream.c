/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stream.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "audio/wav.h"
#include "base/base64.h"
#include "base/buf.h"
#include "base/conf.h"
#include "base/credits.h"

#define MOST (256 * 1024) /* most bytes of a message */
#define READY_S 10

/* ---- sessions ---- */

struct session
session_new(const struct account *as, const char *body)
{
	struct answer a = ASK(.method = "POST", .path = "/session-storage/session",
	    .as = as, .json = body);

	EXPECT(a, 201);
	return (struct session){ text_at(a.json, "data.id"),
		text_at(a.json, "data.publisher"), text_at(a.json, "data.ws_url"),
		at(a.json, "data") };
}

static json_t *
sessions(const struct account *as)
{
	struct answer a =
	    ASK(.path = "/session-storage/sessions?page_size=100", .as = as);

	EXPECT(a, 200);
	return at(a.json, "data");
}

bool
session_listed(const struct account *as, const char *id)
{
	json_t *s;
	size_t i;

	json_array_foreach(sessions(as), i, s)
	{
		if (strcmp(text_at(s, "id"), id) == 0)
			return true;
	}
	return false;
}

size_t
sessions_listed(const struct account *as)
{
	return json_array_size(sessions(as));
}

double
balance_of(const struct account *as)
{
	struct answer a = ASK(.path = "/payments/v2/balance", .as = as);

	EXPECT(a, 200);
	return json_number_value(at(a.json, "data.credits"));
}

double
seconds_for(double credits)
{
	return round(credits * 3600 * MICRO / (double)settings()->price_s2s_micro);
}

/* ---- connecting ---- */

const char *
stream_url(const char *name, const char *query)
{
	const char *base = strstr(settings()->stream_public_url, "://");

	return text("ws%s/streaming-api%s%s/v1/speech-to-speech/stream%s", base,
	    name != NULL ? "/" : "", name != NULL ? name : "", query);
}

struct ws *
stream_call(const char *url, const char *const *headers)
{
	const char *answer;
	struct ws *ws = ws_open(memory(), url, headers, 5, &answer);

	ck_assert_msg(ws != NULL, "%s: %s", url, answer);
	return ws;
}

struct ws *
stream_open(const struct session *s, const char *token)
{
	return stream_call(text("%s?token=%s", s->ws_url, token), NULL);
}

struct ws *
stream_begin(const struct account *a, const char *task)
{
	struct session s = session_new(a, NULL);
	struct ws *ws = stream_open(&s, s.publisher);

	if (task != NULL)
		start_task(ws, task);
	return ws;
}

struct answer
stream_refused(const char *url, const char *header, const char *other)
{
	return ASK(.path = text("http%s", url + strlen("ws")),
	    .headers = { "Upgrade: websocket", "Connection: Upgrade",
		"Sec-WebSocket-Version: 13",
		"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==", header,
		header != NULL ? other : NULL });
}

/* ---- saying ---- */

void
say_text(struct ws *ws, const char *message)
{
	ck_assert(ws_send(ws, WS_TEXT, message, strlen(message)));
}

void
say(struct ws *ws, const char *type, const char *data)
{
	say_text(ws, text("{\"message_type\":\"%s\",\"data\":%s}", type, data));
}

json_t *
start_task(struct ws *ws, const char *task)
{
	say(ws, "set_task", task);
	return started(ws);
}

static bool
is_type(const json_t *j, const char *type)
{
	return strcmp(text_at(j, "message_type"), type) == 0;
}

json_t *
started(struct ws *ws)
{
	double end = seconds() + READY_S * PATIENCE;

	while (seconds() < end) {
		json_t *j;
		const char *type;

		say(ws, "get_task", "{}");
		do
			j = hear_any(ws, READY_S * PATIENCE);
		while (j != NULL && is_type(j, "task_status"));
		ck_assert_msg(j != NULL, "get_task is not answered");
		type = text_at(j, "message_type");
		if (strcmp(type, "current_task") == 0)
			return at(j, "data");
		ck_assert_msg(strcmp(type, "error") == 0 &&
				  strcmp(text_at(j, "data.code"), "NOT_FOUND") == 0,
		    "before it runs: %s", json_dumps(j, JSON_COMPACT));
		nap(0.02);
	}
	ck_abort_msg("the task does not begin");
}

void
send_sound(struct ws *ws, const struct sound_of_task *how, struct bytes pcm)
{
	size_t chunk = how->chunk > 0 ? how->chunk : (size_t)how->hz * 2 * 320 / 1000;

	for (size_t i = 0, n; i < pcm.n; i += n) {
		n = pcm.n - i < chunk ? pcm.n - i : chunk;
		say(ws, "input_audio_data",
		    text("{\"data\":\"%s\"}", base64(memory(), pcm.p + i, n)));
		if (how->every_s > 0)
			nap(how->every_s);
	}
}

struct bytes
tone_then_silence(int hz, double tone_s, double silence_s)
{
	size_t tone = (size_t)(hz * tone_s), all = tone + (size_t)(hz * silence_s);
	int16_t *s = arena_alloc(memory(), all * sizeof(*s));

	for (size_t i = 0; i < tone; i++)
		s[i] = (int16_t)(8000 * sin(2 * M_PI * 300 * (double)i / hz));
	return (struct bytes){ (const char *)s, all * sizeof(*s) };
}

void
speak(struct ws *ws, double tone_s, double silence_s)
{
	send_sound(ws, &(const struct sound_of_task){ .hz = 16000 },
	    tone_then_silence(16000, tone_s, silence_s));
}

/* ---- hearing ---- */

static json_t *
read_message(const struct ws_message *m)
{
	json_t *j;

	ck_assert_msg(m->n > 1 && m->n <= MOST && m->p[0] == '{' &&
			  m->p[m->n - 1] == '}' && memchr(m->p, '\n', m->n) == NULL,
	    "no message: %s", m->p);
	j = json_loadb(m->p, m->n, JSON_REJECT_DUPLICATES, NULL);
	ck_assert_msg(j != NULL, "no JSON: %s", m->p);
	ck_assert_msg(json_is_object(at(j, "data")), "data is no object: %s", m->p);
	text_at(j, "message_type");
	return j;
}

json_t *
hear_any(struct ws *ws, double s)
{
	struct ws_message m = ws_next(ws, memory(), s);

	if (m.kind == WS_SILENCE)
		return NULL;
	ck_assert_msg(
	    m.kind == WS_TEXT, "not a text: kind %d, code %d, %s", m.kind, m.code, m.p);
	return read_message(&m);
}

json_t *
hear(struct ws *ws, const char *type, double s)
{
	double end = seconds() + s * PATIENCE;
	json_t *j;

	while ((j = hear_any(ws, fmax(end - seconds(), 0))) != NULL)
		if (is_type(j, type))
			return at(j, "data");
	ck_abort_msg("no %s in %g s", type, s * PATIENCE);
}

json_t *
hear_next(struct ws *ws, const char *type, double s)
{
	json_t *j;

	do {
		j = hear_any(ws, s * PATIENCE);
		ck_assert_msg(j != NULL, "no %s in %g s", type, s * PATIENCE);
	} while (is_type(j, "warning") || is_type(j, "channel_state") ||
		 is_type(j, "task_status"));
	ck_assert_msg(
	    is_type(j, type), "wanted %s: %s", type, json_dumps(j, JSON_COMPACT));
	return at(j, "data");
}

void
hear_state(struct ws *ws, const char *state, double s)
{
	ck_assert_str_eq(text_at(hear(ws, "channel_state", s), "state"), state);
}

void
hear_error(struct ws *ws, const char *code, double s)
{
	json_t *e = hear(ws, "error", s);

	ck_assert_str_eq(text_at(e, "code"), code);
	ck_assert_str_ne(text_at(e, "desc"), "");
	ck_assert_str_eq(text_at(e, "description"), text_at(e, "desc"));
	ck_assert_ptr_nonnull(at(e, "param"));
}

void
hear_nothing(struct ws *ws, double s)
{
	json_t *j;

	do
		j = hear_any(ws, s);
	while (j != NULL && is_type(j, "task_status"));
	ck_assert_msg(j == NULL, "unasked: %s", json_dumps(j, JSON_COMPACT));
}

const char *
hear_close(struct ws *ws, int code, double s, bool *eos)
{
	double end = seconds() + s * PATIENCE;
	bool said = false;
	struct ws_message m;

	for (;;) {
		m = ws_next(ws, memory(), fmax(end - seconds(), 0));
		if (m.kind != WS_TEXT)
			break;
		ck_assert_msg(!said, "behind eos: %s", m.p);
		said = is_type(read_message(&m), "eos");
	}
	ck_assert_msg(
	    m.kind == WS_CLOSE, "not closed in %g s: kind %d", s * PATIENCE, m.kind);
	ck_assert_msg(m.code == code, "closed %d %s, wanted %d", m.code, m.p, code);
	if (eos != NULL)
		*eos = said;
	return m.p;
}

/* ---- speech ---- */

/* Checks its five members, and the additional member of the first chunk. */
static size_t
check_chunk(const json_t *c, bool first)
{
	const char *data = text_at(c, "data");
	size_t n = 0;

	ck_assert_uint_eq(json_object_size(c), 6);
	ck_assert(json_is_boolean(at(c, "last_chunk")));
	ck_assert(first ? json_is_integer(at(c, "chunk_generation_delta"))
			: json_is_null(at(c, "chunk_generation_delta")));
	ck_assert_ptr_nonnull(base64_read(memory(), data, strlen(data), &n));
	return n;
}

struct speech
hear_speech(struct ws *ws, const char *language, double s)
{
	struct speech it = { 0 };
	const json_t *c;
	bool last = false;

	while (!last) {
		c = hear(ws, "output_audio_data", s);
		if (strcmp(text_at(c, "language"), language) != 0)
			continue;
		if (it.chunks == 0) {
			it.id = text_at(c, "transcription_id");
			it.part = text_at(c, "translation_part_id");
			it.language = language;
			it.first_s = seconds();
		}
		ck_assert_str_eq(text_at(c, "transcription_id"), it.id);
		ck_assert_str_eq(text_at(c, "translation_part_id"), it.part);
		it.bytes += check_chunk(c, it.chunks++ == 0);
		last = json_is_true(at(c, "last_chunk"));
	}
	return it;
}

const char *
tone_file(int times, double tone_s, double silence_s)
{
	const char *path =
	    text("%s/var/tmp/tone-%d-%d.wav", instance()->dir, (int)getpid(), times);
	FILE *f = fopen(path, "wb");
	struct bytes once = tone_then_silence(16000, tone_s, silence_s);
	char head[WAV_HEADER];

	ck_assert_ptr_nonnull(f);
	wav_header_write(head, 16000, once.n * (size_t)times);
	fwrite(head, 1, sizeof(head), f);
	for (int i = 0; i < times; i++)
		fwrite(once.p, 1, once.n, f);
	fclose(f);
	return path;
}
