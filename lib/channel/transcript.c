/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "channel/transcript.h"

#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/text.h"
#include "store/transcripts.h"

#define GATHER_US S_US /* time from the first text of a batch to its write */
#define AGAIN_US S_US  /* time from a failed write to the next */

struct entry {
	struct entry *next;
	struct transcript_line line;
};

struct transcript_batch {
	struct thread_call call;
	struct entry *first, **last;
	size_t bytes; /* bytes of its texts, approximately */
	bool full;    /* texts were lost */
	enum err how; /* result */
};

/* ---- on the database thread ---- */

/* Check that at least one line must be stored; if not, the write lock is not needed. */
static enum err
check_stored(struct db *db, const struct transcript_batch *b, bool *any)
{
	const char *last = NULL;
	enum err e = OK;

	*any = false;
	for (const struct entry *i = b->first; i != NULL && e == OK && !*any;
	     i = i->next)
		if (last == NULL || strcmp(i->line.channel, last) != 0) {
			last = i->line.channel;
			e = transcript_is_stored(db, last, any);
		}
	return e;
}

static enum err
write_lines(struct db *db, const struct transcript_batch *b)
{
	enum err e = db_begin(db, DB_ROWS);

	for (const struct entry *i = b->first; i != NULL && e == OK; i = i->next)
		e = transcript_add(db, &i->line);
	return e == OK ? db_commit(db) : e;
}

static void written(struct gateway *, struct thread_call *);

static void
write_batch(struct gateway *g, struct thread_call *e)
{
	struct transcript_batch *b = (struct transcript_batch *)e;
	struct db *db = g->app.db;
	bool any;

	b->how = db == NULL ? ERR_FAILED : check_stored(db, b, &any);
	if (b->how == OK && any)
		b->how = write_lines(db, b);
	if (b->how != OK)
		log_warn("transcripts are not written: %s", err_name(b->how));
	session_answer(g, e, written);
}

/* ---- on the event loop ---- */

static void
report_loss(struct transcript_batch *b)
{
	if (!b->full)
		log_error("the database is slow: texts of transcripts are lost");
	b->full = true;
}

static void
send(struct gateway *g, struct transcript_batch *b)
{
	b->call.run = write_batch;
	g->transcript_writing = true;
	mailbox_send(g->to_db_thread, &b->call.message);
}

/* Append newer lines to the lines that could not be written. */
static void
join(struct transcript_batch *b, struct transcript_batch *newer)
{
	if (b->bytes + newer->bytes > TRANSCRIPT_BYTES) {
		report_loss(b);
		arena_free(newer->call.message.mem);
		return;
	}
	*b->last = newer->first;
	b->last = newer->last;
	b->bytes += newer->bytes;
	arena_defer(
	    b->call.message.mem, (void (*)(void *))arena_free, newer->call.message.mem);
}

static void
put_back(struct gateway *g, struct transcript_batch *b)
{
	if (g->transcript != NULL)
		join(b, g->transcript);
	g->transcript = b;
	g->transcript_due_us = monotonic_us() + AGAIN_US;
}

static void
written(struct gateway *g, struct thread_call *e)
{
	struct transcript_batch *b = (struct transcript_batch *)e;

	g->transcript_writing = false;
	if (b->how == OK)
		arena_free(e->message.mem);
	else
		put_back(g, b);
}

static struct transcript_batch *
open_batch(struct gateway *g)
{
	struct transcript_batch *b = g->transcript;

	if (b != NULL)
		return b;
	b = THREAD_CALL(struct transcript_batch);
	b->last = &b->first;
	g->transcript = b;
	g->transcript_due_us = monotonic_us() + GATHER_US;
	return b;
}

/* Add an entry to the batch; NULL: the batch is full. */
static struct entry *
add(struct session *s, size_t bytes)
{
	struct transcript_batch *b = open_batch(s->gateway);
	struct entry *i;

	if (b->bytes + bytes > TRANSCRIPT_BYTES) {
		report_loss(b);
		return NULL;
	}
	b->bytes += bytes + sizeof(*i);
	i = arena_alloc(b->call.message.mem, sizeof(*i));
	i->line.channel = arena_str(b->call.message.mem, s->id);
	*b->last = i;
	b->last = &i->next;
	return i;
}

void
transcript_queue(
    struct session *s, const struct task *t, const struct pipeline_event *event)
{
	const struct pipeline_line *l = &event->line;
	struct entry *i;
	struct arena *mem;

	(void)t;
	if (l->text == NULL ||
	    !text_valid(l->text, strlen(l->text)) || /* NUL, which databases refuse */
	    (i = add(s, strlen(l->text) + strlen(s->id))) == NULL)
		return;
	mem = s->gateway->transcript->call.message.mem;
	i->line.segment = arena_str(mem, event->times.id);
	i->line.part = l->part;
	i->line.language = arena_str(mem, l->language);
	i->line.original = event->target < 0;
	i->line.text = arena_str(mem, l->text);
	i->line.start_us = l->start_us;
	i->line.end_us = l->end_us;
	i->line.epoch = s->owned.epoch;
}

/* Send the batch to the database thread when it is due. */
static void
send_due(struct gateway *g, int64_t now)
{
	struct transcript_batch *b = g->transcript;

	if (b == NULL || g->transcript_writing || now < g->transcript_due_us)
		return;
	g->transcript = NULL;
	send(g, b);
}

void
transcript_flush(struct gateway *g)
{
	if (g->transcript != NULL)
		send(g, g->transcript);
	g->transcript = NULL;
}

const struct sink_ops transcript_sink = { .of_channels = true,
	.of_owner = true,
	.send_text = transcript_queue,
	.turn = send_due };
