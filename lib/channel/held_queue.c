/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "channel/held_queue.h"

#include <string.h>

#include "base/clock.h"
#include "base/hash.h"
#include "base/log.h"
#include "channel/channel_internal.h"
#include "store/held_lines.h"

#define ASK_US (250 * 1000) /* time between two looks for decisions */
#define LATE_US (20 * 1000) /* a look comes this long after a text is due */

/* An event that waits; in the event's arena. */
struct held_line {
	struct held_line *next;
	struct pipeline_slot *slot;
	struct pipeline_event *event;
	int64_t due_us;      /* monotonic_us() */
	bool unseen;         /* it has no row */
	bool taken, dropped; /* the database lets it go, or nothing of it */
	const char *said;    /* text to send instead, or NULL */
};

struct held_queue {
	struct held_line *first, **end; /* in the order of the speech */
	const char *owner;              /* id in the rows */
	bool asking;                    /* a look is under way */
	int64_t asked_us;               /* monotonic_us(), last look */
};

/* A call to the database thread. */
struct held_call {
	struct thread_call call;
	struct session *session;
	const char *account; /* the channel's */
	struct held_text line;
	struct list found; /* result: struct held_text */
	enum err how;      /* result */
};

struct held_queue *
held_queue_new(struct arena *mem)
{
	struct held_queue *q = arena_alloc(mem, sizeof(*q));
	unsigned char id[8];

	random_bytes(id, sizeof(id));
	*q = (struct held_queue){ .owner = hex(mem, id, sizeof(id)) };
	q->end = &q->first;
	return q;
}

/* ---- the list ---- */

static void
append(struct held_queue *q, struct held_line *l)
{
	*q->end = l;
	q->end = &l->next;
}

/* Remove the line at a place of the list. */
static struct held_line *
pull(struct held_queue *q, struct held_line **at)
{
	struct held_line *l = *at;

	*at = l->next;
	if (q->end == &l->next)
		q->end = at;
	return l;
}

static struct held_line *
find(const struct held_queue *q, const char *segment)
{
	struct held_line *l = q->first;

	while (l != NULL && (l->event->held != HELD_TEXT ||
				strcmp(l->event->times.id, segment) != 0))
		l = l->next;
	return l;
}

static struct held_line *
new_line(struct pipeline_slot *slot, struct pipeline_event *event, int64_t due_us)
{
	struct held_line *l = arena_alloc(event->call.message.mem, sizeof(*l));

	*l = (struct held_line){ .slot = slot, .event = event, .due_us = due_us };
	return l;
}

static void
discard(struct pipeline_event *event)
{
	arena_free(event->call.message.mem);
}

/* ---- calls to the database thread ---- */

static struct held_call *
new_call(struct session *s, void (*run)(struct gateway *, struct thread_call *))
{
	struct held_call *c = THREAD_CALL(struct held_call);
	struct arena *mem = c->call.message.mem;

	c->call.run = run;
	c->session = s;
	c->account = arena_str(mem, s->account);
	c->line.channel = arena_str(mem, s->id);
	c->line.owner = arena_str(mem, s->channel->held->owner);
	return c;
}

static void
end_call(struct held_call *c)
{
	struct session *s = c->session;

	arena_free(c->call.message.mem);
	session_unref(s);
}

static void
stored(struct gateway *g, struct thread_call *e)
{
	struct held_call *c = (struct held_call *)e;
	struct held_line *l = find(c->session->channel->held, c->line.segment);

	(void)g;
	if (c->how != OK)
		log_error("channel %s: a text is held that people cannot see: %s",
		    c->line.channel, err_name(c->how));
	if (c->how != OK && l != NULL)
		l->unseen = true;
	end_call(c);
}

static void
store(struct gateway *g, struct thread_call *e)
{
	struct held_call *c = (struct held_call *)e;

	c->how = g->app.db == NULL ? ERR_FAILED : held_add(g->app.db, &c->line);
	session_answer(g, e, stored);
}

static void
forgotten(struct gateway *g, struct thread_call *e)
{
	(void)g;
	end_call((struct held_call *)e);
}

static void
forget(struct gateway *g, struct thread_call *e)
{
	struct held_call *c = (struct held_call *)e;

	if (g->app.db == NULL ||
	    held_drop(g->app.db, c->line.channel, c->line.owner, c->line.segment) != OK)
		log_warn(
		    "channel %s: a dropped text stays in the list", c->line.channel);
	session_answer(g, e, forgotten);
}

static void
ask(struct held_call *c, struct db *db,
    enum err (*how)(struct db *, struct arena *, const struct held_of *, struct list *))
{
	const struct held_of of = { c->account, c->line.channel, c->line.owner };

	c->how = db == NULL ? ERR_FAILED : how(db, c->call.message.mem, &of, &c->found);
}

static void taken(struct gateway *, struct thread_call *);

static void
take(struct gateway *g, struct thread_call *e)
{
	ask((struct held_call *)e, g->app.db, held_take);
	session_answer(g, e, taken);
}

static void adopted(struct gateway *, struct thread_call *);

static void
adopt(struct gateway *g, struct thread_call *e)
{
	ask((struct held_call *)e, g->app.db, held_adopt);
	session_answer(g, e, adopted);
}

/* ---- texts that go out ---- */

static bool
may_go(const struct held_line *l, int64_t now)
{
	return l->event->held != HELD_TEXT || l->taken ||
	       (l->unseen && now >= l->due_us);
}

static void
send(struct session *s, struct held_line *l)
{
	if (l->dropped)
		discard(l->event);
	else
		slot_release(s, l->slot, l->event, l->said);
}

/* Look for decisions, and for texts that are due. */
static void
look(struct session *s, const struct held_line *first, int64_t now)
{
	struct held_queue *q = s->channel->held;
	int64_t at_us = q->asked_us + ASK_US;

	if (q->asking || first->unseen)
		return;
	if (first->due_us + LATE_US < at_us && q->asked_us < first->due_us)
		at_us = first->due_us + LATE_US;
	if (now < at_us)
		return;
	q->asking = true;
	q->asked_us = now;
	session_ask(s, &new_call(s, take)->call);
}

void
held_queue_tick(struct session *s, int64_t now)
{
	struct held_queue *q = s->channel->held;

	while (q->first != NULL && may_go(q->first, now))
		send(s, pull(q, &q->first));
	if (q->first != NULL)
		look(s, q->first, now);
}

static void
taken(struct gateway *g, struct thread_call *e)
{
	struct held_call *c = (struct held_call *)e;
	struct held_queue *q = c->session->channel->held;
	const struct held_text *h = c->found.items;

	(void)g;
	q->asking = false;
	if (c->how != OK)
		log_error("channel %s: held texts wait: %s", c->line.channel,
		    err_name(c->how));
	for (size_t i = 0; c->how == OK && i < c->found.n; i++) {
		struct held_line *l = find(q, h[i].segment);

		if (l == NULL)
			continue;
		l->taken = true;
		l->dropped = h[i].action != NULL && strcmp(h[i].action, "drop") == 0;
		l->said = arena_str(l->event->call.message.mem, h[i].said);
	}
	held_queue_tick(c->session, monotonic_us());
	end_call(c);
}

/* ---- texts that come ---- */

static void
store_line(struct session *s, const struct held_line *l)
{
	struct held_call *c = new_call(s, store);
	const struct pipeline_event *event = l->event;
	struct arena *mem = c->call.message.mem;
	int64_t now = now_us();

	c->line.segment = arena_str(mem, event->times.id);
	c->line.language = arena_str(mem, event->line.language);
	c->line.text = arena_str(mem, event->line.text);
	c->line.start_us = event->line.start_us;
	c->line.end_us = event->line.end_us;
	c->line.held_us = now;
	c->line.due_us = now + s->channel->moderation.hold_s * S_US;
	session_ask(s, &c->call);
}

void
held_queue_take(
    struct session *s, struct pipeline_slot *slot, struct pipeline_event *event)
{
	int64_t now = monotonic_us(), hold_s = s->channel->moderation.hold_s;
	struct held_line *l;

	if (slot->dropped) {
		if (event->held == HELD_TEXT)
			discard(event);
		else
			slot_release(s, slot, event, NULL);
		return;
	}
	l = new_line(slot, event, now + hold_s * S_US);
	l->unseen = hold_s == 0;
	append(s->channel->held, l);
	if (event->held == HELD_TEXT && hold_s > 0)
		store_line(s, l);
	held_queue_tick(s, now);
}

/* ---- pipelines that begin and end ---- */

void
held_queue_follow(struct session *s)
{
	if (s->channel->moderation.hold_s == 0)
		return;
	for (struct pipeline_slot *slot = s->slots; slot != NULL; slot = slot->next)
		pipeline_hold(slot->pipeline);
}

/* Find texts that an earlier gateway held. */
void
held_queue_begin(struct session *s, struct pipeline_slot *slot)
{
	(void)slot;
	held_queue_follow(s);
	session_ask(s, &new_call(s, adopt)->call);
}

static struct held_line *
restore(struct pipeline_slot *slot, const struct held_text *h)
{
	const struct pipeline_line l = { h->text, h->language, 0, h->start_us,
		h->end_us };

	return new_line(slot, pipeline_restore(slot->pipeline, h->segment, &l),
	    monotonic_us() + h->due_us - now_us());
}

/* Put the texts of an earlier gateway before all others. */
static void
adopted(struct gateway *g, struct thread_call *e)
{
	struct held_call *c = (struct held_call *)e;
	struct session *s = c->session;
	struct held_queue *q = s->channel->held;
	const struct held_text *h = c->found.items;
	struct held_line **at = &q->first;

	(void)g;
	for (size_t i = 0; c->how == OK && i < c->found.n; i++) {
		struct held_line *l;

		if (s->slots == NULL || s->slots->dropped ||
		    find(q, h[i].segment) != NULL)
			continue;
		pipeline_hold(s->slots->pipeline);
		l = restore(s->slots, h + i);
		l->next = *at;
		*at = l;
		if (q->end == at)
			q->end = &l->next;
		at = &l->next;
	}
	end_call(c);
}

/* When the gateway stops, the next one sends the texts. */
static void
forget_line(struct session *s, struct held_line *l)
{
	struct held_call *c;

	if (!l->unseen && !s->gateway->stopping && !s->channel->moved) {
		c = new_call(s, forget);
		c->line.segment = arena_str(c->call.message.mem, l->event->times.id);
		session_ask(s, &c->call);
	}
	discard(l->event);
}

void
held_queue_drop(struct session *s, struct pipeline_slot *slot)
{
	struct held_queue *q = s->channel->held;
	struct held_line **at = &q->first, *l;

	while ((l = *at) != NULL) {
		if (l->slot != slot) {
			at = &l->next;
			continue;
		}
		pull(q, at);
		if (l->event->held == HELD_TEXT)
			forget_line(s, l);
		else
			slot_release(s, slot, l->event, NULL);
	}
}
