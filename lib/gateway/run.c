#include "gateway/run_room.h"

#include <string.h>

#include "base/clock.h"
#include "base/hash.h"

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
		    (target >= 0 || task_takes(t, &t->targets[i], p->language)))
			to_mouth(r, i, MOUTH_PHRASE, p);
}

/* ---- echoes and the end ---- */

void
run_echoed(struct run *r)
{
	if (--r->echoes == 0)
		said_send(said_new(r, SAID_ECHO, -1), NULL, -1);
}

/* Through the ears first, and then through the mouths. */
void
run_left(struct run *r)
{
	if (--r->left == 0)
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
	r->left = 1 + (int)w->task.n_targets;
	for (int i = 0; i < (int)w->task.n_targets; i++)
		r->mouths[i] =
		    actor_new(g->pool, mouth_new(r, i), mouth_read, mouth_gone);
	r->ears = actor_new(g->pool, ears_new(r), ears_read, ears_gone);
	to_ears(r, EARS_OPEN);
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
run_hear(struct run *r, const void *p, size_t n, int64_t sound_us)
{
	struct ears_letter *l = LETTER(struct ears_letter);

	l->kind = EARS_SOUND;
	l->bytes = arena_dup(l->letter.mem, p, n);
	l->n = n;
	r->heard_us += sound_us;
	actor_send(r->ears, &l->letter);
}

int64_t
run_backlog_us(const struct run *r)
{
	int64_t us = r->heard_us - r->done_us;

	return us > 0 ? us : 0;
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
		.start_us = r->want->heard_us + r->heard_us,
		.ended_us = monotonic_us(),
		.plain = !translate };

	random_bytes(id, sizeof(id));
	p.id = hex(mem, id, sizeof(id));
	p.end_us = p.start_us;
	run_pass(r, &p, translate || at == NULL ? -1 : (int)(at - t->targets));
	arena_free(mem);
}

void
run_flush(struct run *r, int target)
{
	for (int i = 0; i < (int)r->want->task.n_targets; i++)
		if (target < 0 || i == target)
			r->flushed[i]++;
	if (target < 0)
		to_ears(r, EARS_DROP);
}

void
run_echo(struct run *r)
{
	to_ears(r, EARS_ECHO);
}

void
run_leave(struct run *r, bool drop)
{
	for (int i = 0; drop && i < (int)r->want->task.n_targets; i++)
		r->flushed[i]++;
	actor_leave(r->ears);
}

void
run_free(struct run *r)
{
	registry_drop(r->want->registry);
	arena_free(r->want->mem);
}
