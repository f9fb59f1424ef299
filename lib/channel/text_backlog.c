/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "channel/text_backlog.h"

#include <string.h>

#include "base/clock.h"
#include "base/id.h"
#include "base/lang.h"

struct kept_text {
	struct kept_text *next; /* newer */
	struct arena *mem;
	const char *id;       /* id of the segment */
	const char *language; /* folded; NULL: the original */
	int part;             /* part of a translation */
	bool first;           /* a text of the first target */
	struct shared_buffer *message;
};

struct text_backlog {
	struct kept_text *texts, **end; /* list, oldest first */
	struct kept_text **restored;    /* end of the restored ones */
};

static struct text_backlog *
backlog_of(const struct session *s)
{
	return *sink_state(s, &text_backlog_sink);
}

static void
drop_at(struct text_backlog *b, struct kept_text **at)
{
	struct kept_text *it = *at;

	*at = it->next;
	if (b->end == &it->next)
		b->end = at;
	if (b->restored == &it->next)
		b->restored = at;
	shared_buffer_drop(it->message);
	arena_free(it->mem);
}

static bool
same_language(const struct kept_text *a, const struct kept_text *b)
{
	return a->language == NULL || b->language == NULL
		   ? a->language == b->language
		   : strcmp(a->language, b->language) == 0;
}

/* Drop the oldest text of a language that has reached its limit. */
static void
make_room(struct text_backlog *b, const struct kept_text *for_it)
{
	struct kept_text **oldest = NULL;
	int n = 0;

	for (struct kept_text **at = &b->texts; *at != NULL; at = &(*at)->next)
		if (same_language(*at, for_it)) {
			oldest = oldest == NULL ? at : oldest;
			n++;
		}
	if (n >= TEXT_BACKLOG_MOST)
		drop_at(b, oldest);
}

static struct text_backlog *
open_backlog(struct session *s)
{
	struct text_backlog *b = backlog_of(s);

	if (b != NULL)
		return b;
	*sink_state(s, &text_backlog_sink) = b = arena_alloc(s->mem, sizeof(*b));
	*b = (struct text_backlog){ .end = &b->texts, .restored = &b->texts };
	return b;
}

static const char *
code_of(const struct task *t, int target)
{
	return target < 0 ? NULL : t->targets[target].language.code;
}

static struct kept_text *
new_text(const struct task *t, const struct pipeline_event *event)
{
	struct kept_text *it;
	struct arena *mem = arena_small(sizeof(*it) + 128);

	it = arena_alloc(mem, sizeof(*it));
	*it = (struct kept_text){ .mem = mem,
		.id = arena_str(mem, event->times.id),
		.language = arena_str(mem, code_of(t, event->target)),
		.part = event->line.part,
		.first = event->target == 0,
		.message = shared_buffer_new(event->text, event->n) };
	return it;
}

void
text_backlog_add(
    struct session *s, const struct task *t, const struct pipeline_event *event)
{
	struct text_backlog *b;
	struct kept_text *it;

	if (!event->final)
		return;
	b = open_backlog(s);
	it = new_text(t, event);
	make_room(b, it);
	*b->end = it;
	b->end = &it->next;
}

void
text_backlog_restore(
    struct session *s, const struct task *t, const struct pipeline_event *event)
{
	struct text_backlog *b = open_backlog(s);
	struct kept_text *it = new_text(t, event);

	make_room(b, it);
	it->next = *b->restored;
	*b->restored = it;
	if (b->end == b->restored)
		b->end = &it->next;
	b->restored = &it->next;
}

bool
text_backlog_has(
    const struct session *s, const struct task *t, const struct pipeline_event *event)
{
	const struct text_backlog *b = backlog_of(s);
	const struct kept_text now = { .language = code_of(t, event->target) };

	for (const struct kept_text *it = b != NULL ? b->texts : NULL; it != NULL;
	     it = it->next)
		if (same_language(it, &now) && it->part == event->line.part &&
		    strcmp(it->id, event->times.id) == 0)
			return true;
	return false;
}

/* The index of a folded language; -1: the original; -2: none. */
static int
target_of(const struct task *t, const char *code)
{
	for (size_t i = 0; code != NULL && i < t->n_targets; i++)
		if (strcmp(t->targets[i].language.code, code) == 0)
			return (int)i;
	return code == NULL ? -1 : -2;
}

void
text_backlog_each(const struct session *s,
    void (*take)(void *arg, const struct pipeline_event *), void *arg)
{
	const struct text_backlog *b = backlog_of(s);
	const struct task *t = session_task(s);
	struct pipeline_event e = { .kind = PIPELINE_TEXT, .final = true };

	for (const struct kept_text *it = b != NULL && t != NULL ? b->texts : NULL;
	     it != NULL; it = it->next) {
		if ((e.target = target_of(t, it->language)) < -1)
			continue;
		e.starred = e.target < 0 ? OUTPUT_VALIDATED : OUTPUT_TRANSLATED;
		e.times.id = it->id;
		e.line.part = it->part;
		e.text = shared_buffer_bytes(it->message, &e.n);
		take(arg, &e);
	}
}

void
text_backlog_correct(
    struct session *s, const struct transcript_line *l, const struct buf *message)
{
	const struct kept_text now = { .language = l->original ? NULL : l->language };

	const struct text_backlog *b = backlog_of(s);

	for (struct kept_text *it = b != NULL ? b->texts : NULL; it != NULL;
	     it = it->next) {
		if (!same_language(it, &now) || it->part != l->part ||
		    strcmp(it->id, l->segment) != 0)
			continue;
		shared_buffer_drop(it->message);
		it->message = shared_buffer_new(message->p, message->len);
	}
}

static bool
is_for(const struct connection *c, const struct kept_text *it)
{
	const char *tuned = c->tuned.language;

	if (it->language == NULL)
		return language_code_is_no_target(tuned);
	if (tuned[0] == '\0')
		return it->first;
	return strcmp(tuned, "all") == 0 || strcmp(tuned, it->language) == 0;
}

/* The text of a segment that was sent last; NULL: none is stored. */
static const struct kept_text *
last_of(const struct text_backlog *b, const char *id)
{
	const struct kept_text *last = NULL;

	for (const struct kept_text *it = b->texts; it != NULL; it = it->next)
		if (strcmp(it->id, id) == 0)
			last = it;
	return last;
}

/*
 * The id that all missed texts exceed, if that of the subscriber's last text is
 * unknown. Another owner of the channel may have sent that text to this subscriber
 * alone, so its time counts; "": all stored texts are missed, as it is no time that can
 * be.
 */
static const char *
bound_of(struct arena *mem, const char *since)
{
	return strcmp(since, id_of_phrase(mem, now_us())) < 0 ? since : "";
}

static bool
is_missed(const struct connection *c, const struct kept_text *it, const char *bound)
{
	return is_for(c, it) && strcmp(it->id, bound) > 0;
}

/* Send the texts that a subscriber missed since the segment in its parameter. */
static void
send_missed(struct connection *c)
{
	const struct text_backlog *b = backlog_of(c->session);
	const char *since = c->request->since, *bound;
	const struct kept_text *last, *from;
	struct arena *mem;
	int n = 0;

	if (since == NULL || b == NULL)
		return;
	mem = arena_small(64);
	last = last_of(b, since);
	from = last != NULL ? last->next : b->texts;
	bound = last != NULL ? "" : bound_of(mem, since);
	for (const struct kept_text *it = from; it != NULL; it = it->next)
		n += is_missed(c, it, bound);
	for (const struct kept_text *it = from; it != NULL; it = it->next)
		if (is_missed(c, it, bound) && n-- <= TEXT_BACKLOG_MOST)
			connection_put(c, it->message, 0);
	arena_free(mem);
}

static void
drop_all(struct session *s)
{
	struct text_backlog *b = backlog_of(s);

	while (b != NULL && b->texts != NULL)
		drop_at(b, &b->texts);
}

const struct sink_ops text_backlog_sink = {
	.send_text = text_backlog_add, .enter = send_missed, .forget = drop_all
};
