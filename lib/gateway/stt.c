/*
 * The STT socket: binary messages are sound, and what is heard in it goes back.
 *
 *	NONE -> PREPARING -> RUNNING -> GOING -> NONE
 *	          the glossaries    it failed, or he left
 */
#include "gateway/stt.h"

#include "base/clock.h"
#include "base/hash.h"
#include "base/id.h"
#include "gateway/room.h"
#include "stream/sound_raw.h"

#define CUT_US S_US           /* without a frame, then the phrase is over */
#define SILENT_US (10 * S_US) /* then the connection is */
#define BOOK_US (10 * S_US)   /* between two entries */
#define WARN_US (10 * S_US)   /* between two warnings */
#define AGAIN_US (5 * S_US)   /* after the engines failed */
#define KEPT_BYTES (2 << 20)  /* of sound before it runs */

enum stt_state { STT_NONE, STT_PREPARING, STT_RUNNING, STT_GOING };

struct stt {
	enum stt_state state;
	const struct stt_want *want;
	struct run *run;
	struct letter *kept, *kept_last; /* what came before it runs */
	size_t kept_bytes;
	int64_t frame_us; /* when the last one came */
	bool cut;         /* the phrase was ended since then */
	bool unsaid;      /* something came after the last drain was asked for */
	bool draining;    /* which has not come back */
	int64_t again_us;
	int64_t warned_us; /* that he is too fast; or 0 */
	int64_t before_us; /* sound of earlier runs */
	const char *interval;
	int64_t booked_us, entry_us; /* sound that is booked; when it was */
};

/* What waits: sound, or with no bytes that the phrase is to be finished. */
struct kept {
	struct letter letter;
	const void *bytes;
	size_t n;
};

/* ---- the run ---- */

static void
prepare(struct room *r, struct stt *s)
{
	struct arena *mem = arena_new();
	struct run_want *w = arena_alloc(mem, sizeof(*w));
	struct flaws flaws;

	if (!stt_task(mem, r->gate->engines, s->want->task, &w->task, &flaws)) {
		client_refuse(r->writer, &flaws, false);
		client_end(r->writer, 1008, "VALIDATION_ERROR");
		arena_free(mem);
		return;
	}
	w->mem = mem;
	w->account = arena_str(mem, r->account);
	w->registry = registry_hold(r->gate->engines);
	w->heard_us = s->before_us;
	w->epoch_us = now_us();
	w->sound = &s->want->sound;
	w->file = s->want->file;
	w->flat = true;
	w->unfilled = s->want->unfilled;
	s->state = STT_PREPARING;
	book_prepare(r, w, ++r->asked);
}

static void
copy_want(struct arena *mem, const struct stt_want *from, struct stt_want *to)
{
	*to = *from;
	to->task = arena_str(mem, from->task);
	to->language = arena_str(mem, from->language);
}

/* The room may outlive the client, and the run needs what he wants. */
static void
entered(struct room *r, struct client *c)
{
	struct stt *s = arena_alloc(r->mem, sizeof(*s));
	struct stt_want *want = arena_alloc(r->mem, sizeof(*want));

	copy_want(r->mem, c->visitor->stt, want);
	s->want = want;
	s->interval = id_new(r->mem);
	s->frame_us = s->entry_us = monotonic_us();
	s->cut = true; /* there is nothing yet */
	r->writer = c;
	r->side = s;
	prepare(r, s);
}

/* ---- the bill ---- */

static bool
running(const struct room *r, int64_t now, struct running *to)
{
	const struct stt *s = r->side;
	int64_t us;

	(void)now; /* what counts is the sound */
	if (s == NULL)
		return false;
	us = s->before_us + (s->run != NULL ? run_decoded_us(s->run) : 0);
	*to = (struct running){ METER_STT, s->booked_us, us };
	return us > s->booked_us;
}

static void
book(struct room *r, struct stt *s, int64_t now)
{
	struct running u;

	s->entry_us = now;
	if (!running(r, now, &u))
		return;
	book_use(r, u.kind, s->interval, u.from, u.to);
	s->booked_us = u.to;
}

/* ---- what is heard ---- */

static void
leave_run(struct stt *s)
{
	if (s->state != STT_RUNNING)
		return;
	s->state = STT_GOING;
	run_leave(s->run, true);
}

static void
run_failed(struct room *r, struct stt *s, const char *why)
{
	if (s->state != STT_RUNNING)
		return;
	client_error(r->writer, "ENGINE_UNAVAILABLE",
	    why != NULL ? why : "No engine can hear this language now", NULL);
	leave_run(s);
}

static void
run_gone(struct room *r, struct stt *s)
{
	int64_t now = monotonic_us();

	book(r, s, now);
	s->before_us += run_decoded_us(s->run);
	run_free(s->run);
	s->run = NULL;
	s->state = STT_NONE;
	s->unsaid = s->draining = false;
	s->again_us = now + AGAIN_US;
	r->gate->tasks--;
}

static void
said(struct gate *g, struct errand *e)
{
	const struct said *said = (const struct said *)e;
	struct room *r = said->room;
	bool gone = said->kind == SAID_GONE;

	(void)g;
	if (said->kind == SAID_TEXT && r->writer != NULL)
		client_send(r->writer, said->text, said->n);
	else if (said->kind == SAID_FAILED)
		run_failed(r, r->side, said->text);
	else if (said->kind == SAID_ECHO)
		((struct stt *)r->side)->draining = false;
	else if (gone)
		run_gone(r, r->side);
	arena_free(e->letter.mem);
	if (gone)
		room_paid(r);
}

/* ---- sound ---- */

/* Of what a file holds nothing is known before it is read. */
static int64_t
length_us(const struct stt_want *w, size_t n)
{
	const struct sound_raw *raw = sound_raw_of(w->sound.form);

	return w->file != NULL || w->sound.form == SOUND_WAV
		   ? 0
		   : (int64_t)n * S_US / ((int64_t)raw->bytes * w->sound.rate_hz);
}

static void
warn_fast(struct room *r, struct stt *s, const char *why)
{
	int64_t now = monotonic_us();

	if (s->warned_us != 0 && now < s->warned_us + WARN_US)
		return;
	s->warned_us = now;
	room_warn(r, "AUDIO_STREAM_TOO_FAST", why);
}

static void
hear(struct room *r, struct stt *s, const void *p, size_t n)
{
	int64_t us = length_us(s->want, n);
	unsigned faults =
	    pace_chunk(&r->pace, monotonic_us(), us, run_backlog_us(s->run));

	if (faults & PACE_TOO_FAST)
		warn_fast(r, s, "Audio comes faster than it is spoken");
	if (faults & PACE_DROP)
		return;
	s->unsaid = true;
	run_hear(s->run, p, n, us);
}

static void
keep(struct stt *s, const void *p, size_t n)
{
	struct kept *k;

	if (s->kept_bytes + n > KEPT_BYTES)
		return;
	k = LETTER(struct kept);
	k->bytes = n > 0 ? arena_dup(k->letter.mem, p, n) : NULL;
	k->n = n;
	if (s->kept == NULL)
		s->kept = &k->letter;
	else
		s->kept_last->next = &k->letter;
	s->kept_last = &k->letter;
	s->kept_bytes += n;
}

static void
forget_kept(struct stt *s)
{
	struct letter *l;

	while ((l = s->kept) != NULL) {
		s->kept = l->next;
		arena_free(l->mem);
	}
	s->kept_bytes = 0;
}

static void
start(struct room *r, struct run_want *w, int number)
{
	struct stt *s = r->side;

	(void)number;
	s->run = run_start(r->gate, r, w, said);
	s->state = STT_RUNNING;
	r->owed++;
	r->gate->tasks++;
	pace_start(&r->pace, monotonic_us());
	for (const struct letter *l = s->kept; l != NULL; l = l->next) {
		const struct kept *k = (const struct kept *)l;

		if (k->n > 0)
			hear(r, s, k->bytes, k->n);
		else
			run_finalize(s->run);
	}
	forget_kept(s);
}

/* Nobody hears now, so nothing is pending. */
static void
say_nothing(struct room *r, const struct stt *s)
{
	struct arena *mem = arena_new();
	struct buf b = { .mem = mem };
	unsigned char id[8];

	random_bytes(id, sizeof(id));
	if (stt_say(&b,
		&(struct say_stt){ hex(mem, id, sizeof(id)), s->want->language, "",
		    s->before_us, s->before_us },
		true, "", 0, true))
		client_tell(r->writer, &b);
	arena_free(mem);
}

/* It begins anew when he goes on after the engines have failed. */
static void
take(struct room *r, struct stt *s, const void *p, size_t n)
{
	if (s->state == STT_NONE && monotonic_us() >= s->again_us)
		prepare(r, s);
	if (s->state == STT_PREPARING)
		keep(s, p, n);
	else if (s->state == STT_RUNNING && n > 0)
		hear(r, s, p, n);
	else if (s->state == STT_RUNNING)
		run_finalize(s->run);
	else if (n == 0)
		say_nothing(r, s);
}

/* ---- messages ---- */

static void
take_sound(struct client *c, const char *p, size_t n)
{
	struct arena *mem = arena_new();
	struct flaws flaws = { .mem = mem };
	const struct spot whole = spot_whole(NULL);

	if (!limit_take(&c->limits[LIMIT_AUDIO], LIMIT_AUDIO, monotonic_us()))
		warn_fast(c->room, c->room->side, limit_text(LIMIT_AUDIO));
	else if (n > MESSAGE_AUDIO_BYTES) {
		flaw_add(&flaws, &whole, FLAW_LENGTH, "must be at most %d bytes",
		    MESSAGE_AUDIO_BYTES);
		client_refuse(c, &flaws, false);
	} else if (n > 0)
		take(c->room, c->room->side, p, n);
	arena_free(mem);
}

static void
take_text(struct client *c, const char *p, size_t n)
{
	struct arena *mem = arena_new();
	struct flaws flaws = { .mem = mem };
	struct message m;

	if (message_read(mem, MESSAGE_STT, p, n, &m, &flaws))
		take(c->room, c->room->side, NULL, 0);
	else
		client_refuse(c, &flaws, m.kind == MESSAGE_UNKNOWN);
	arena_free(mem);
}

static void
message(struct client *c, const char *p, size_t n, bool binary)
{
	struct stt *s = c->room->side;

	s->frame_us = monotonic_us();
	s->cut &= !binary;
	if (!binary)
		take_text(c, p, n);
	else if (!c->room->gate->stopping) /* else it would never be drained */
		take_sound(c, p, n);
}

/* ---- time ---- */

/* Whether all that was heard so far is said; else a drain is asked for. */
static bool
is_drained(struct stt *s)
{
	if (s->state == STT_RUNNING && s->unsaid && !s->draining) {
		s->unsaid = false;
		s->draining = true;
		run_echo(s->run);
	}
	return s->state != STT_PREPARING && !s->unsaid && !s->draining;
}

static void
turn(struct room *r, int64_t now)
{
	struct stt *s = r->side;

	if (s == NULL || r->writer == NULL)
		return;
	if (r->gate->stopping && is_drained(s))
		client_end(r->writer, 1001, "stopping");
	if (now >= s->frame_us + SILENT_US && is_drained(s))
		client_end(r->writer, 1001, "no audio");
	if (!s->cut && s->state == STT_RUNNING && now >= s->frame_us + CUT_US) {
		s->cut = true;
		run_cut(s->run);
	}
	if (now >= s->entry_us + BOOK_US)
		book(r, s, now);
}

static void
left(struct room *r)
{
	struct stt *s = r->side;

	r->closed = true; /* who comes now has a room of his own */
	forget_kept(s);
	leave_run(s);
}

const struct room_ops stt_ops = {
	.entered = entered,
	.message = message,
	.start = start,
	.turn = turn,
	.left = left,
	.running = running,
};
