/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Messages to connections, and functions that every kind of session needs.
 */
#include "base/clock.h"
#include "base/log.h"
#include "protocol/output.h"
#include "session/session.h"

/* ---- slow clients ---- */

void
connection_watch(struct connection *c)
{
	struct gateway *g = c->session->gateway;

	if (c->at_reader != NULL)
		return;
	c->next_reader = g->readers;
	c->at_reader = &g->readers;
	if (c->next_reader != NULL)
		c->next_reader->at_reader = &c->next_reader;
	g->readers = c;
}

void
connection_unwatch(struct connection *c)
{
	if (c->at_reader == NULL)
		return;
	*c->at_reader = c->next_reader;
	if (c->next_reader != NULL)
		c->next_reader->at_reader = c->at_reader;
	c->at_reader = NULL;
}

/* ---- messages ---- */

void
connection_put(struct connection *c, struct shared_buffer *p, int64_t group)
{
	c->transport->send(c->to, p, group);
	connection_watch(c);
}

void
connection_send(struct connection *c, const char *text, size_t n)
{
	struct shared_buffer *p = shared_buffer_new(text, n);

	connection_put(c, p, 0);
	shared_buffer_drop(p);
}

void
connection_send_buf(struct connection *c, const struct buf *b)
{
	connection_send(c, b->p, b->len);
}

void
connection_error(
    struct connection *c, const char *code, const char *desc, const char *param)
{
	struct arena *mem = arena_new();
	struct buf b = { .mem = mem };

	if (output_error(&b, code, desc, param))
		connection_send_buf(c, &b);
	arena_free(mem);
}

/* See state_allows_error(). */
bool
connection_is_quiet(const struct connection *c, const char *code)
{
	if (c != c->session->publisher ||
	    state_allows_error(&c->session->startup, code, false, monotonic_us()))
		return false;
	log_info("message not sent: %s", code);
	return true;
}

void
connection_send_error(struct connection *c, const char *code, const char *desc)
{
	if (!connection_is_quiet(c, code))
		connection_error(c, code, desc, NULL);
}

void
connection_refuse(struct connection *c, const struct validation_errors *f, bool unknown)
{
	struct arena *mem = arena_new();
	struct buf b = { .mem = mem };

	if (output_validation_errors(&b, f))
		connection_send_buf(c, &b);
	arena_free(mem);
	if (unknown && !limit_admit(&c->limits[LIMIT_BAD], LIMIT_BAD, monotonic_us()))
		connection_end(c, CLOSE_BAD_MESSAGES);
}

void
connection_end(struct connection *c, enum close_why why)
{
	c->transport->end(c->to, why);
}

void
session_end(struct session *s, enum close_why why)
{
	s->closed = true;
	if (why == CLOSE_DONE && s->gateway->stopping)
		why = CLOSE_SHUTDOWN;
	for (struct connection *c = s->connections; c != NULL; c = c->next)
		connection_end(c, why);
}

void
session_warn(struct session *s, const char *code, const char *message)
{
	struct arena *mem = arena_new();
	struct buf b = { .mem = mem };

	if (s->publisher != NULL &&
	    pipeline_warning_due(&s->warnings, code, monotonic_us()) &&
	    output_warning(&b, code, message))
		connection_send_buf(s->publisher, &b);
	arena_free(mem);
}

void
session_close_soon(struct session *s, enum close_why why, const char *desc)
{
	s->close_why = why;
	s->close_desc = desc;
}

bool
connection_publishes(const struct connection *c)
{
	return c == c->session->publisher || c == c->session->partner;
}

bool
connection_speaks(const struct connection *c)
{
	return connection_publishes(c) ||
	       (c->session->guest != NULL && c->request->writes);
}

void
session_promote(struct session *s)
{
	connection_end(s->publisher, CLOSE_REPLACED);
	s->publisher = s->partner;
	s->partner = NULL;
}

/* ---- references ---- */

void
session_unref(struct session *s)
{
	s->refs--;
}

void
session_ask(struct session *s, struct thread_call *e)
{
	s->refs++;
	mailbox_send(s->gateway->to_db_thread, &e->message);
}

void
session_answer(struct gateway *g, struct thread_call *e,
    void (*run)(struct gateway *, struct thread_call *))
{
	e->run = run;
	mailbox_send(g->to_event_loop, &e->message);
}

struct pipeline *
session_start_pipeline(struct session *s, struct pipeline_config *w,
    void (*report)(struct gateway *, struct thread_call *))
{
	const struct pipeline_host host = { s->gateway->conf, s->gateway->pool,
		s->gateway->to_event_loop, report };

	s->refs++;
	s->gateway->tasks++;
	return pipeline_start(&host, s, w);
}
