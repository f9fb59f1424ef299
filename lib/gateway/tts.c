/*
 * The TTS socket: what he says to it, and time.
 */
#include <string.h>

#include "base/clock.h"
#include "base/hash.h"
#include "base/id.h"
#include "gateway/tts_room.h"

#define INIT_US (10 * S_US)       /* to say init in */
#define SILENT_US (300 * S_US)    /* without a message */
#define SOUND_US (4 * S_US)       /* without sound while it is due */
#define BOOK_US (10 * S_US)       /* between two entries */
#define JOINED_BYTES (16 << 10)   /* of text that is kept in one place */
#define WAITING_BYTES (256 << 10) /* of text that nobody has spoken yet */

/* ---- messages ---- */

static void
refuse(struct client *c, const char *member, const char *type, const char *msg)
{
	struct arena *mem = arena_new();
	struct flaws flaws = { .mem = mem };
	const struct spot whole = spot_whole(NULL);
	const struct spot at = spot_member(&whole, member);

	flaw_add(&flaws, &at, type, "%s", msg);
	client_refuse(c, &flaws, false);
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
take_init(struct client *c, struct tts *t, const struct message_init *m)
{
	struct room *r = c->room;
	struct tts_want *w;

	if (t->want != NULL) {
		client_error(c, "CONFLICT", "Session is already initialised", NULL);
		return;
	}
	if (!registry_speaks(r->gate->engines, m->language.code)) {
		refuse(c, "language", FLAW_UNSUPPORTED, "unsupported language");
		return;
	}
	w = arena_alloc(r->mem, sizeof(*w));
	*w = (struct tts_want){ .language = arena_str(r->mem, m->language.code),
		.model = arena_str(r->mem, m->model),
		.format = (enum message_format)m->format,
		.rate_hz = (int)m->sample_rate };
	set_voice(t, &m->voice);
	t->want = w;
	t->tongue = tongue_new(r->gate, r, w, &t->epoch, tts_told);
	r->owed++;
	r->gate->tasks++;
}

static bool
fits(const struct tts *t, const struct tts_text *x)
{
	return strcmp(x->voice, t->voice) == 0 && x->rate == tts_rate(t->speed) &&
	       x->text.len < JOINED_BYTES;
}

/* Where the text belongs; the generation before it ends if this is another one. */
static struct tts_text *
place(struct room *r, struct tts *t, const char *generation)
{
	struct tts_text *x = t->last;
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

		tts_append(r, t, hex(mem, made, sizeof(made)));
		arena_free(mem);
	} else
		tts_append(r, t, generation);
	return t->last;
}

static size_t
waiting_bytes(const struct tts *t)
{
	size_t n = 0;

	for (const struct tts_text *x = t->first; x != NULL; x = x->next)
		n += x->text.len - x->from;
	return n;
}

static void
take_text(struct client *c, struct tts *t, const struct message_text *m)
{
	struct tts_text *x;

	if (t->want == NULL) {
		refuse(c, "type", FLAW_ENUM, "must be init first");
		return;
	}
	if (!limit_take(&c->limits[LIMIT_TTS_TEXT], LIMIT_TTS_TEXT, monotonic_us())) {
		client_error(
		    c, "RATE_LIMIT_EXCEEDED", limit_text(LIMIT_TTS_TEXT), NULL);
		return;
	}
	if (waiting_bytes(t) + strlen(m->text) > WAITING_BYTES) {
		client_error(
		    c, "RATE_LIMIT_EXCEEDED", "text: too much of it waits", "text");
		return;
	}
	set_voice(t, &m->voice);
	x = place(c->room, t, m->generation);
	tts_text_join(x, m->text);
	x->asked_us = monotonic_us();
	x->closed = x->eos = m->is_eos;
	tts_step(c->room, t);
}

static void
message(struct client *c, const char *p, size_t n, bool binary)
{
	struct tts *t = c->room->side;
	struct arena *mem = arena_new();
	struct flaws flaws = { .mem = mem };
	struct message m;

	(void)binary; /* both hold text */
	t->message_us = monotonic_us();
	if (!message_read(mem, MESSAGE_TTS, p, n, &m, &flaws))
		client_refuse(c, &flaws, m.kind == MESSAGE_UNKNOWN);
	else if (m.kind == MESSAGE_INIT)
		take_init(c, t, &m.u.init);
	else if (m.kind == MESSAGE_TEXT)
		take_text(c, t, &m.u.text);
	else
		tts_drop(t);
	arena_free(mem);
}

/* ---- who comes and goes, and time ---- */

static void
entered(struct room *r, struct client *c)
{
	struct tts *t = arena_alloc(r->mem, sizeof(*t));

	t->interval = id_new(r->mem);
	t->opened_us = t->message_us = t->entry_us = monotonic_us();
	r->writer = c;
	r->side = t;
}

/* The tongue may still be busy with what nobody wants any more. */
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
turn(struct room *r, int64_t now)
{
	struct tts *t = r->side;

	if (t == NULL || r->writer == NULL)
		return;
	if (t->want == NULL && !t->reminded && now >= t->opened_us + INIT_US) {
		t->reminded = true;
		refuse(r->writer, "type", FLAW_MISSING, "init has not come in 10 s");
	}
	if (is_silent(t, now))
		tts_fail(t);
	if (now >= t->message_us + SILENT_US)
		client_end(r->writer, 1001, "no message");
	if (now >= t->entry_us + BOOK_US)
		tts_book(r, t, now);
	tts_send(r, t);
	tts_step(r, t);
}

static void
left(struct room *r)
{
	struct tts *t = r->side;

	r->closed = true; /* who comes now has a room of his own */
	tts_drop(t);
	if (t->tongue == NULL)
		return;
	actor_leave(t->tongue);
	r->gate->tasks--;
}

const struct room_ops tts_ops = {
	.entered = entered,
	.message = message,
	.start = NULL,
	.turn = turn,
	.left = left,
	.running = tts_running,
};
