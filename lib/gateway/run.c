#include "gateway/run_room.h"

#include <string.h>

#include "base/clock.h"
#include "base/hash.h"

#define AGAIN_US (10 * S_US)
#define BACKLOG_BYTES (12 << 20) /* 60 s of the largest sound there is */
#define BACKLOG_LETTERS 6000     /* or of the smallest pieces */
#define FULL_US (3600 * S_US)    /* a backlog that is full */

/* ---- what is said ---- */

struct said *
said_new(struct run *r, enum said_kind kind, int target)
{
	struct said *s = ERRAND(struct said);

	s->errand.run = r->told;
	s->room = r->room;
	s->run = r;
	s->kind = kind;
	s->target = target;
	s->starred = -1;
	return s;
}

struct said *
said_with(struct run *r, enum said_kind kind, int target, const struct buf *b)
{
	struct said *s = (struct said *)letter_new(sizeof(*s) + b->len);

	s->errand.run = r->told;
	s->room = r->room;
	s->run = r;
	s->kind = kind;
	s->target = target;
	s->text = arena_dup(s->errand.letter.mem, b->p, b->len);
	s->n = b->len;
	return s;
}

struct buf
said_buf(struct said *s)
{
	return (struct buf){ .mem = s->errand.letter.mem };
}

void
said_send(struct said *s, const struct buf *b, int starred)
{
	if (b != NULL) {
		s->text = b->p;
		s->n = b->len;
	}
	s->starred = starred;
	mailbox_send(s->run->gate->to_sockets, &s->errand.letter);
}

void
run_warn(struct run *r, const char *code, const char *message)
{
	struct said *s = said_new(r, SAID_TEXT, -1);
	struct buf b = said_buf(s);

	say_warning(&b, code, message);
	said_send(s, &b, -1);
}

void
run_error(struct run *r, const char *code, const char *desc)
{
	struct said *s = said_new(r, SAID_TEXT, -1);
	struct buf b = said_buf(s);

	say_error(&b, code, desc, NULL);
	said_send(s, &b, -1);
}

bool
warned_due(struct warned *w, const char *code, int64_t now)
{
	struct warning *oldest = &w->last[0];

	for (int i = 0; i < WARNINGS; i++) {
		struct warning *at = &w->last[i];

		if (at->code != NULL && strcmp(at->code, code) == 0) {
			if (now < at->at_us + AGAIN_US)
				return false;
			at->at_us = now;
			return true;
		}
		if (at->at_us < oldest->at_us)
			oldest = at;
	}
	*oldest = (struct warning){ code, now };
	return true;
}

/* ---- letters ---- */

static void
to_ears(struct run *r, enum ears_kind kind)
{
	struct ears_letter *l = LETTER(struct ears_letter);

	l->kind = kind;
	actor_send(r->ears, &l->letter);
}

static struct phrase_said
phrase_copy(struct arena *mem, const struct phrase_said *p)
{
	struct phrase_said to = *p;

	to.id = arena_str(mem, p->id);
	to.language = arena_str(mem, p->language);
	to.text = arena_str(mem, p->text);
	return to;
}

static void
to_mouth(struct run *r, int target, enum mouth_kind kind, const struct phrase_said *p)
{
	struct mouth_letter *l = LETTER(struct mouth_letter);

	l->kind = kind;
	l->epoch = r->flushed[target];
	r->waiting[target]++;
	if (p != NULL)
		l->phrase = phrase_copy(l->letter.mem, p);
	actor_send(r->mouths[target], &l->letter);
}

void
run_pass(struct run *r, const struct phrase_said *p, int target)
{
	const struct task *t = &r->want->task;

	for (int i = 0; i < (int)t->n_targets; i++)
		if ((target < 0 || i == target) &&
		    (!p->partial || t->targets[i].partials) &&
		    (target >= 0 || p->spoken ||
			task_takes(t, &t->targets[i], p->language)))
			to_mouth(r, i, MOUTH_PHRASE, p);
}

void
run_pass_echo(struct run *r)
{
	int n = (int)r->want->task.n_targets;

	r->echoes = n + 1;
	for (int i = 0; i < n; i++)
		to_mouth(r, i, MOUTH_ECHO, NULL);
	run_echoed(r);
}

/* ---- far behind ---- */

void
run_behind(struct run *r, int64_t us)
{
	r->behind_us = us;
}

bool
run_drops(const struct run *r, enum run_drop what)
{
	static const int64_t over_us[] = {
		[DROP_PARTIAL_TRANSLATIONS] = RUN_BEHIND_US,
		[DROP_PARTIALS] = RUN_BEHIND_US + S_US,
		[DROP_SPEECH] = 2 * RUN_BEHIND_US,
	};

	return r->behind_us > over_us[what];
}

/* ---- echoes and the end ---- */

void
run_echoed(struct run *r)
{
	if (--r->echoes == 0)
		said_send(said_new(r, SAID_ECHO, -1), NULL, -1);
}

void
run_left(struct run *r)
{
	if (--r->left > 0)
		return;
	readiness_leave(r->readiness);
	said_send(said_new(r, SAID_GONE, -1), NULL, -1);
}

/* ---- the sockets' side ---- */

struct run *
run_start(struct gate *g, struct room *room, struct run_want *w,
    void (*told)(struct gate *, struct errand *))
{
	struct run *r = arena_alloc(w->mem, sizeof(*r));

	r->gate = g;
	r->room = room;
	r->want = w;
	r->told = told;
	r->before_us = w->heard_us;
	r->epoch_us = w->epoch_us;
	r->left = 1 + (int)w->task.n_targets;
	r->readiness = readiness_new(r, r->left);
	for (int i = 0; i < (int)w->task.n_targets; i++)
		r->mouths[i] =
		    actor_new(g->pool, mouth_new(r, i), mouth_read, mouth_gone);
	r->ears = actor_new(g->pool, ears_new(r), ears_read, ears_gone);
	to_ears(r, EARS_OPEN);
	for (int i = 0; i < (int)w->task.n_targets; i++)
		to_mouth(r, i, MOUTH_WARM, NULL);
	return r;
}

const struct task *
run_task(const struct run *r)
{
	return &r->want->task;
}

void
run_level(struct run *r, int target, int64_t ms)
{
	r->level_ms[target] = ms;
}

void
run_begin(struct run *r, int64_t before_us, int64_t epoch_us)
{
	r->before_us = before_us;
	r->epoch_us = epoch_us;
}

void
run_hear(struct run *r, const void *p, size_t n, int64_t sound_us)
{
	struct ears_letter *l = (struct ears_letter *)letter_new(sizeof(*l) + n);

	l->kind = EARS_SOUND;
	l->bytes = arena_dup(l->letter.mem, p, n);
	l->n = n;
	l->us = sound_us;
	l->came_us = monotonic_us();
	r->heard_us += sound_us;
	r->queued += (long long)n;
	r->letters++;
	actor_send(r->ears, &l->letter);
}

void
run_original(struct run *r, bool on)
{
	if (r->original == on || r->leaving)
		return;
	r->original = on;
	to_ears(r, on ? EARS_ORIGINAL : EARS_NO_ORIGINAL);
}

int64_t
run_backlog_us(const struct run *r)
{
	int64_t us = r->heard_us - r->done_us, queued = r->queued, read = r->read;

	if (queued > BACKLOG_BYTES || r->letters > BACKLOG_LETTERS)
		return FULL_US;
	if (us <= 0 && read > 0)
		us = (int64_t)((double)r->decoded_us * (double)queued / (double)read);
	return us > 0 ? us : 0;
}

int64_t
run_voiced_us(const struct run *r)
{
	return r->voiced_us;
}

bool
run_hears(const struct run *r)
{
	return r->hears;
}

int64_t
run_decoded_us(const struct run *r)
{
	return r->decoded_us;
}

void
run_finalize(struct run *r)
{
	to_ears(r, EARS_FINALIZE);
}

void
run_cut(struct run *r)
{
	to_ears(r, EARS_CUT);
}

void
run_speak(struct run *r, const char *text, const char *language, bool translate)
{
	struct arena *mem = arena_new();
	unsigned char id[8];
	const struct task *t = &r->want->task;
	const struct task_target *at = task_target(mem, t, language);
	struct phrase_said p = { .language = code_fold(mem, language),
		.text = text,
		.start_us = r->before_us + r->decoded_us,
		.ended_us = monotonic_us(),
		.spoken = true,
		.plain = !translate };

	random_bytes(id, sizeof(id));
	p.id = hex(mem, id, sizeof(id));
	p.end_us = p.start_us;
	p.voiced_us = p.ended_us;
	run_pass(r, &p, translate || at == NULL ? -1 : (int)(at - t->targets));
	arena_free(mem);
}

static void
drop_unsaid(struct run *r, int target)
{
	for (int i = 0; i < (int)r->want->task.n_targets; i++)
		if (target < 0 || i == target)
			r->flushed[i]++;
}

void
run_flush(struct run *r, int target)
{
	drop_unsaid(r, target);
	if (target >= 0 || r->leaving)
		return;
	r->flushed_all++;
	to_ears(r, EARS_DROP);
}

int
run_epoch(const struct run *r, int target)
{
	return r->flushed[target];
}

void
run_echo(struct run *r)
{
	to_ears(r, EARS_ECHO);
}

void
run_leave(struct run *r, bool drop)
{
	if (drop) {
		r->dropped = true;
		drop_unsaid(r, -1);
	}
	if (!r->leaving)
		actor_leave(r->ears);
	r->leaving = true;
}

void
run_free(struct run *r)
{
	registry_drop(r->want->registry);
	arena_free(r->want->mem);
}
