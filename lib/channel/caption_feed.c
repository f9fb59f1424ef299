/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "channel/caption_internal.h"
#include "channel/caption_outputs.h"
#include "channel/channel_internal.h"
#include "channel/output_save.h"
#include "service/caption_post.h"

#define SOONEST_US (S_US / 2) /* the shortest wait after a failed try */
#define LATEST_US (30 * S_US) /* the longest wait */
#define STEP_US (S_US / 2)    /* smaller differences of clocks are ignored */

struct caption_waiting {
	struct caption_waiting *next;
	struct arena *mem;
	const char *text;
	int64_t start_us; /* unix time when the text was spoken */
	int64_t since_us; /* monotonic */
};

/* A body and its tries. While it is sent, a thread of a separate pool uses it. */
struct caption_body {
	struct thread_call call;
	struct session *session; /* a reference is held while the body is sent */
	const char *output;      /* id of its output */
	const char *language;
	struct caption_post_try what;
	int captions;
	int64_t since_us; /* time of the oldest of its captions */
	bool trusted;
	struct caption_post_result result;
};

/* ---- storing the state ---- */

/* Find the output; NULL: the channel does not have it any more. */
static struct caption_feed *
feed_of(const struct session *s, const char *id, const char *language)
{
	struct caption_feed *f = s->channel->captions;

	while (f != NULL &&
	       (strcmp(f->is.id, id) != 0 || strcmp(f->language, language) != 0))
		f = f->next;
	return f;
}

static void
keep_unwritten(struct session *s, const char *id, const char *language)
{
	struct caption_feed *f = feed_of(s, id, language);

	if (f != NULL)
		f->unwritten = true;
}

static void
save(struct caption_feed *f)
{
	f->unwritten = false;
	f->saved_us = monotonic_us();
	output_save(f->session, &f->is, f->language, keep_unwritten);
}

void
caption_feed_set_why(struct caption_feed *f, const char *why)
{
	if (why != NULL) {
		strncpy(f->why, why, sizeof(f->why) - 1);
		f->is.error = f->why;
	} else {
		f->is.error = NULL;
	}
}

static void
set_runtime(struct caption_feed *f, const char *runtime, const char *why)
{
	bool same = strcmp(f->is.runtime, runtime) == 0 &&
		    (why == NULL ? f->is.error == NULL
				 : f->is.error != NULL &&
				       strncmp(why, f->why, sizeof(f->why) - 1) == 0);

	if (same)
		return;
	if (why != NULL)
		log_warn("channel %s: captions in %s are not accepted: %s",
		    f->session->id, f->language, why);
	f->is.runtime = runtime;
	caption_feed_set_why(f, why);
	save(f);
}

/* ---- waiting captions ---- */

static void
drop_first(struct caption_feed *f)
{
	struct caption_waiting *w = f->first;

	f->first = w->next;
	if (f->first == NULL)
		f->last = &f->first;
	f->n--;
	arena_free(w->mem);
}

static void
count_dropped(struct caption_feed *f, int n)
{
	f->is.dropped += n;
	f->unwritten = true;
}

void
caption_feed_put(struct caption_feed *f, struct arena *mem, const char *text,
    int64_t start_us, int64_t now)
{
	struct caption_waiting *w = arena_alloc(mem, sizeof(*w));

	*w = (struct caption_waiting){
		.mem = mem, .text = text, .start_us = start_us, .since_us = now
	};
	*f->last = w;
	f->last = &w->next;
	if (++f->n > CAPTION_WAITING_MOST) {
		drop_first(f);
		count_dropped(f, 1);
	}
}

static void
drop_late(struct caption_feed *f, int64_t now)
{
	struct caption_body *b = f->under_way ? NULL : f->body;

	if (b != NULL && now > b->since_us + CAPTION_LATE_US) {
		count_dropped(f, b->captions);
		arena_free(b->call.message.mem);
		f->body = NULL;
	}
	while (f->first != NULL && now > f->first->since_us + CAPTION_LATE_US) {
		drop_first(f);
		count_dropped(f, 1);
	}
}

/* ---- bodies ---- */

static void answered(struct gateway *, struct thread_call *);

/* Post a body. Runs on a thread of the pool; self: the gateway. */
static void
post(void *self, struct actor_message *m)
{
	struct caption_body *b = (struct caption_body *)m;
	struct gateway *g = self;

	b->result = caption_post_send(g->conf, m->mem, &b->what);
	session_answer(g, &b->call, answered);
}

static void
no_more(void *self)
{
	(void)self;
}

static void
send(struct caption_feed *f)
{
	struct gateway *g = f->session->gateway;
	struct actor *a;

	if (g->caption_pool == NULL)
		g->caption_pool = pool_start(CAPTION_THREADS, NULL);
	f->under_way = true;
	f->session->refs++;
	f->body->trusted = f->tries == 0 && strcmp(f->is.runtime, "active") == 0;
	g->captions_untrusted += !f->body->trusted;
	a = actor_new(g->caption_pool, g, post, no_more);
	actor_send(a, &f->body->call.message);
	actor_leave(a);
}

/* The time of the first waiting caption by the server's clock. Times never decrease. */
static int64_t
next_time(struct caption_feed *f)
{
	int64_t us = f->first->start_us + f->ahead_us;

	return f->last_us = us > f->last_us ? us : f->last_us;
}

static struct caption_body *
make_body(struct caption_feed *f)
{
	struct caption_body *b = THREAD_CALL(struct caption_body);
	struct arena *mem = b->call.message.mem;
	struct buf text = { .mem = mem };
	int most = caption_post_most(f->url);

	b->session = f->session;
	b->output = arena_str(mem, f->is.id);
	b->language = arena_str(mem, f->language);
	b->since_us = f->first->since_us;
	for (; f->first != NULL && b->captions < most; b->captions++) {
		caption_post_put(&text, f->url, next_time(f), f->first->text);
		drop_first(f);
	}
	f->is.seq++;
	b->what = (struct caption_post_try){ arena_str(mem, f->url), f->is.seq,
		buf_text(&text) };
	return b;
}

void
caption_feed_step(struct caption_feed *f, int64_t now)
{
	bool trusted = f->tries == 0 && strcmp(f->is.runtime, "active") == 0;

	drop_late(f, now);
	if (!f->under_way && (f->body != NULL || f->first != NULL) &&
	    now >= f->due_us &&
	    (trusted || f->session->gateway->captions_untrusted < CAPTION_UNTRUSTED)) {
		if (f->body == NULL) {
			f->body = make_body(f);
			save(f); /* store the number before it is used */
		}
		send(f);
	}
	if (f->unwritten && now >= f->saved_us + S_US)
		save(f);
}

/* ---- answers ---- */

/* The wait doubles after each failure. */
static int64_t
wait_us(const struct caption_feed *f, const struct caption_post_result *r)
{
	int64_t us = SOONEST_US << (f->tries < 7 ? f->tries : 7);

	us = us < LATEST_US ? us : LATEST_US;
	return us > r->after_s * S_US ? us : r->after_s * S_US;
}

static void
handle_failure(struct caption_feed *f, struct caption_body *b)
{
	const struct caption_post_result *r = &b->result;

	f->due_us = monotonic_us() + wait_us(f, r);
	f->tries++;
	if (r->again) {
		f->body = b;
	} else {
		f->body = NULL;
		f->is.dropped += b->captions;
	}
	set_runtime(f, "failed", r->why);
}

/* Differences below STEP_US are only the delay of answers. */
static void
follow_clock(struct caption_feed *f, int64_t ahead_us)
{
	if (ahead_us == NULL_INT || llabs(ahead_us - f->ahead_us) < STEP_US)
		return;
	f->ahead_us = ahead_us;
	f->last_us = 0;
}

static void
handle_answer(struct caption_feed *f, struct caption_body *b)
{
	f->under_way = false;
	follow_clock(f, b->result.ahead_us);
	if (b->result.why != NULL) {
		handle_failure(f, b);
		return;
	}
	f->body = NULL;
	f->tries = 0;
	set_runtime(f, "active", NULL);
	caption_feed_step(f, monotonic_us());
}

static void
answered(struct gateway *g, struct thread_call *e)
{
	struct caption_body *b = (struct caption_body *)e;
	struct session *s = b->session;
	struct caption_feed *f = feed_of(s, b->output, b->language);

	g->captions_untrusted -= !b->trusted;
	if (f != NULL && f->body == b) /* otherwise the output was removed meanwhile */
		handle_answer(f, b);
	if (f == NULL || f->body != b)
		arena_free(e->message.mem);
	session_unref(s);
}

void
caption_feed_free(struct caption_feed *f)
{
	int lost = f->n + (f->body != NULL && !f->under_way ? f->body->captions : 0);

	if (lost > 0)
		log_warn("channel %s: %d captions in %s were not posted",
		    f->session->id, lost, f->language);
	while (f->first != NULL)
		drop_first(f);
	if (f->body != NULL && !f->under_way)
		arena_free(f->body->call.message.mem);
	arena_free(f->mem);
}
