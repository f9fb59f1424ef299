/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Sessions of TTS sockets: messages of the client, and timers.
 */
#include <string.h>

#include "base/clock.h"
#include "base/hash.h"
#include "base/id.h"
#include "session/tts_internal.h"

#define INIT_US (10 * S_US) /* time limit for the init message */
/* time without a message after which the connection ends */
#define SILENT_US (300 * S_US)
#define SOUND_US (4 * S_US)     /* time without audio after which a piece has failed */
#define BOOK_US (10 * S_US)     /* time between two bookings */
#define JOINED_BYTES (16 << 10) /* most text in one struct tts_input */
#define WAITING_BYTES (256 << 10) /* most text waiting for synthesis */

/* ---- messages ---- */

static void
refuse(struct connection *c, const char *member, const char *type, const char *msg)
{
	struct arena *mem = arena_new();
	struct validation_errors errors = { .mem = mem };
	const struct json_path whole = json_path_whole(NULL);
	const struct json_path at = json_path_member(&whole, member);

	validation_error_add(&errors, &at, type, "%s", msg);
	connection_refuse(c, &errors, false);
	arena_free(mem);
}

static void
set_voice(struct tts *t, const struct message_voice *v)
{
	if (v->id != NULL) {
		size_t n = strlen(v->id);

		memcpy(t->voice, v->id, n + 1);
	}
	if (v->speed >= 0)
		t->speed = v->speed;
}

static void
receive_init(struct connection *c, struct tts *t, const struct message_init *m)
{
	struct session *s = c->session;
	struct tts_params *w;

	if (t->want != NULL) {
		connection_error(c, "CONFLICT", "Session is already initialised", NULL);
		return;
	}
	if (!registry_speaks(s->gateway->engines, m->language.code)) {
		refuse(c, "language", VALIDATION_UNSUPPORTED, "unsupported language");
		return;
	}
	w = arena_alloc(s->mem, sizeof(*w));
	*w = (struct tts_params){ .language = arena_str(s->mem, m->language.code),
		.model = arena_str(s->mem, m->model),
		.format = (enum message_format)m->format,
		.rate_hz = (int)m->sample_rate };
	set_voice(t, &m->voice);
	t->want = w;
	t->worker = tts_worker_new(s->gateway, s, w, &t->epoch, tts_reported);
	s->refs++;
	s->gateway->tasks++;
}

static bool
fits(const struct tts *t, const struct tts_input *x)
{
	return strcmp(x->voice, t->voice) == 0 && x->rate == tts_rate(t->speed) &&
	       x->text.len < JOINED_BYTES;
}

/*
 * Returns the struct tts_input for a text of a generation; NULL: of the current one.
 * Another generation ends the current one.
 */
static struct tts_input *
input_of(struct session *s, struct tts *t, const char *generation)
{
	struct tts_input *x = t->last;
	unsigned char made[4];
	bool goes_on = x != NULL && !x->closed &&
		       (generation == NULL || strcmp(generation, x->generation) == 0);

	if (goes_on && fits(t, x))
		return x;
	if (goes_on)
		generation = x->generation;
	if (x != NULL && !x->closed) {
		x->closed = true;
		x->eos = !goes_on;
	}
	random_bytes(made, sizeof(made));
	if (generation == NULL) {
		struct arena *mem = arena_new();

		tts_append(s, t, hex(mem, made, sizeof(made)));
		arena_free(mem);
	} else
		tts_append(s, t, generation);
	return t->last;
}

static size_t
waiting_bytes(const struct tts *t)
{
	size_t n = 0;

	for (const struct tts_input *x = t->first; x != NULL; x = x->next)
		n += x->text.len - x->from;
	return n;
}

static void
receive_text(struct connection *c, struct tts *t, const struct message_text *m)
{
	struct tts_input *x;

	if (t->want == NULL) {
		refuse(c, "type", VALIDATION_ENUM, "must be init first");
		return;
	}
	if (!limit_admit(&c->limits[LIMIT_TTS_TEXT], LIMIT_TTS_TEXT, monotonic_us())) {
		connection_error(
		    c, "RATE_LIMIT_EXCEEDED", limit_text(LIMIT_TTS_TEXT), NULL);
		return;
	}
	if (waiting_bytes(t) + strlen(m->text) > WAITING_BYTES) {
		connection_error(
		    c, "RATE_LIMIT_EXCEEDED", "text: too much text is waiting", "text");
		return;
	}
	set_voice(t, &m->voice);
	x = input_of(c->session, t, m->generation);
	tts_input_join(x, m->text);
	x->asked_us = monotonic_us();
	x->closed = x->eos = m->is_eos;
	tts_step(c->session, t);
}

static void
message(struct connection *c, const char *p, size_t n, bool binary)
{
	struct tts *t = c->session->kind_state;
	struct arena *mem = arena_new();
	struct validation_errors errors = { .mem = mem };
	struct message m;

	(void)binary; /* both kinds hold text */
	t->message_us = monotonic_us();
	if (!message_read(mem, MESSAGE_TTS, p, n, &m, &errors))
		connection_refuse(c, &errors, m.kind == MESSAGE_UNKNOWN);
	else if (m.kind == MESSAGE_INIT)
		receive_init(c, t, &m.u.init);
	else if (m.kind == MESSAGE_TEXT)
		receive_text(c, t, &m.u.text);
	else if (m.kind == MESSAGE_CANCEL && m.u.cancel.generation != NULL)
		tts_drop_generation(t, m.u.cancel.generation);
	else if (m.kind == MESSAGE_CANCEL)
		tts_drop(t);
	/* reset_context: no engine keeps a context between two texts */
	arena_free(mem);
}

/* ---- connections and timers ---- */

static void
entered(struct session *s, struct connection *c)
{
	struct tts *t = arena_alloc(s->mem, sizeof(*t));

	t->interval = id_new(s->mem);
	t->opened_us = t->message_us = t->entry_us = monotonic_us();
	s->publisher = c;
	s->kind_state = t;
}

/*
 * True if the worker has a piece and no audio came for SOUND_US. False if all texts
 * were dropped, because the worker may still be busy with a dropped piece.
 */
static bool
is_silent(const struct tts *t, int64_t now)
{
	int64_t since_us = t->sound_us;

	if (!t->speaking || t->first == NULL)
		return false;
	if (t->first->asked_us > since_us)
		since_us = t->first->asked_us;
	return now >= since_us + SOUND_US;
}

static void
turn(struct session *s, int64_t now)
{
	struct tts *t = s->kind_state;

	if (t == NULL || s->publisher == NULL)
		return;
	if (t->want == NULL && !t->reminded && now >= t->opened_us + INIT_US) {
		t->reminded = true;
		refuse(s->publisher, "type", VALIDATION_MISSING,
		    "no init was received in 10 s");
	}
	if (is_silent(t, now))
		tts_fail(t);
	if (now >= t->message_us + SILENT_US)
		connection_end(s->publisher, CLOSE_NO_MESSAGE);
	if (now >= t->entry_us + BOOK_US)
		tts_book(s, t, now);
	tts_send(s, t);
	tts_step(s, t);
}

static void
left(struct session *s)
{
	struct tts *t = s->kind_state;

	s->closed = true; /* a new connection opens a new session */
	tts_drop(t);
	if (t->worker == NULL)
		return;
	actor_leave(t->worker);
	s->gateway->tasks--;
}

const struct session_ops tts_ops = {
	.entered = entered,
	.message = message,
	.start = NULL,
	.tick = turn,
	.left = left,
	.running = tts_running,
};
