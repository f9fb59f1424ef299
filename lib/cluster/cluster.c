/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cluster/cluster.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "base/id.h"
#include "base/json_writer.h"
#include "base/log.h"
#include "cluster/cluster_internal.h"

/* ---- publishing ---- */

/* Words without blanks, which would be read as commands by the server. */
static bool
is_subject(const char *subject)
{
	return subject[0] != '\0' && strpbrk(subject, " \t\r\n") == NULL;
}

static struct command *
command_new(int kind, size_t bytes)
{
	size_t size = sizeof(struct command) + bytes;
	struct command *m = (struct command *)actor_message_new(size);

	m->kind = kind;
	m->size = size;
	return m;
}

static void
send_command(struct cluster *c, struct command *m)
{
	c->queued += m->size;
	mailbox_send(c->commands, &m->message);
}

/* The message to publish, of these bytes, with room for the subject and the reply. */
static struct command *
publish_new(struct cluster *c, size_t names, const void *bytes, size_t n)
{
	struct command *m;
	char *p;

	if (!c->connected || c->queued + n > QUEUED_MOST) {
		c->dropped++;
		return NULL;
	}
	m = command_new(PUBLISH, names + n);
	p = (char *)(m + 1) + names;
	if (n > 0)
		memcpy(p, bytes, n);
	m->bytes = p;
	m->n = n;
	return m;
}

/* Publish to <prefix>.<subject>; reply is whole, or NULL. False: dropped. */
static bool
publish(struct cluster *c, const char *subject, const char *reply, const void *bytes,
    size_t n)
{
	const char *prefix = c->conf->cluster_prefix;
	size_t subject_bytes = strlen(prefix) + strlen(subject) + 2,
	       reply_bytes = reply != NULL ? strlen(reply) + 1 : 0;
	struct command *m = publish_new(c, subject_bytes + reply_bytes, bytes, n);
	char *p;

	assert(is_subject(subject));
	if (m == NULL)
		return false;
	p = (char *)(m + 1);
	snprintf(p, subject_bytes, "%s.%s", prefix, subject);
	m->subject = p;
	if (reply != NULL)
		m->reply = memcpy(p + subject_bytes, reply, reply_bytes);
	send_command(c, m);
	return true;
}

void
cluster_publish(struct cluster *c, const char *subject, const void *bytes, size_t n)
{
	publish(c, subject, NULL, bytes, n);
}

void
cluster_ask(struct cluster *c, const char *subject, const void *bytes, size_t n,
    void (*run)(struct gateway *, struct thread_call *), void *arg)
{
	uint64_t number = question_add(c, run, arg);
	struct question *q;
	char reply[512];

	snprintf(reply, sizeof(reply), "%s%" PRIu64, c->inbox, number);
	if (!publish(c, subject, reply, bytes, n) &&
	    (q = question_take(c, number)) != NULL)
		mailbox_send(c->to, &q->message.call.message);
}

void
cluster_answer(struct cluster *c, const char *reply, const void *bytes, size_t n)
{
	size_t reply_bytes = strlen(reply) + 1;
	struct command *m = publish_new(c, reply_bytes, bytes, n);

	assert(is_subject(reply));
	if (m == NULL)
		return;
	m->subject = memcpy(m + 1, reply, reply_bytes);
	send_command(c, m);
}

/* ---- subscriptions ---- */

static struct cluster_subscription *
subscribe(struct cluster *c, struct cluster_subscription like)
{
	struct arena *mem = arena_small(sizeof(like) + strlen(like.subject) + 64);
	struct cluster_subscription *s = arena_alloc(mem, sizeof(*s));
	struct command *m = command_new(SUBSCRIBE, 0);

	*s = like;
	s->mem = mem;
	s->cluster = c;
	s->subject = arena_str(mem, like.subject);
	s->refs = 1;
	m->subscription = s;
	send_command(c, m);
	return s;
}

struct cluster_subscription *
cluster_subscribe(struct cluster *c, const char *subject,
    void (*run)(struct gateway *, struct thread_call *), void *arg)
{
	struct arena *mem = arena_new();
	const char *whole =
	    arena_printf(mem, "%s.%s", c->conf->cluster_prefix, subject);
	struct cluster_subscription *s;

	assert(is_subject(subject));
	s = subscribe(c,
	    (struct cluster_subscription){ .subject = whole, .run = run, .arg = arg });
	arena_free(mem);
	return s;
}

void
cluster_unsubscribe(struct cluster_subscription *s)
{
	struct command *m = command_new(UNSUBSCRIBE, 0);

	pthread_mutex_lock(&s->cluster->lock);
	s->ended = true;
	pthread_mutex_unlock(&s->cluster->lock);
	m->subscription = s;
	send_command(s->cluster, m);
}

/* ---- the connection ---- */

bool
cluster_is_connected(const struct cluster *c)
{
	return c != NULL && c->connected;
}

struct cluster_state
cluster_state(struct cluster *c, struct arena *mem)
{
	struct cluster_state s = { .connected = c->connected,
		.connects = c->connects,
		.messages_in = c->messages_in,
		.bytes_in = c->bytes_in,
		.messages_out = c->messages_out,
		.bytes_out = c->bytes_out,
		.dropped = c->dropped };

	pthread_mutex_lock(&c->lock);
	if (s.connected)
		s.server = arena_str(mem, c->server);
	else
		s.fault = arena_str(mem, c->fault);
	pthread_mutex_unlock(&c->lock);
	return s;
}

const char *
cluster_report(struct cluster *c, struct arena *mem)
{
	struct buf b = { .mem = mem };
	struct json_writer j = { .out = &b };
	struct cluster_state s;

	if (c == NULL)
		return NULL;
	s = cluster_state(c, mem);
	jw_open(&j, NULL);
	jw_text(&j, s.connected ? "server" : "fault", s.connected ? s.server : s.fault);
	jw_int(&j, "connected", s.connected);
	jw_int(&j, "connects", s.connects);
	jw_int(&j, "messages_in", s.messages_in);
	jw_int(&j, "messages_out", s.messages_out);
	jw_int(&j, "bytes_in", s.bytes_in);
	jw_int(&j, "bytes_out", s.bytes_out);
	jw_int(&j, "dropped", s.dropped);
	jw_close(&j);
	return buf_text(&b);
}

struct cluster *
cluster_open(const struct conf *conf, struct mailbox *to,
    void (*changed)(struct gateway *, struct thread_call *))
{
	struct arena *mem;
	struct cluster *c;
	int e;

	if (conf->cluster_nats[0] == '\0')
		return NULL;
	mem = arena_new();
	c = arena_alloc(mem, sizeof(*c));
	c->mem = mem;
	c->conf = conf;
	c->to = to;
	c->changed = changed;
	c->inbox = arena_printf(mem, "%s.inbox.%s.", conf->cluster_prefix, id_new(mem));
	snprintf(c->fault, sizeof(c->fault), "not connected yet");
	pthread_mutex_init(&c->lock, NULL);
	c->commands = mailbox_new(mem, wakeup_wake, &c->wakeup);
	if (!wakeup_open(&c->wakeup)) {
		log_error("no connection to NATS: %s", strerror(errno));
		arena_free(mem);
		return NULL;
	}
	subscribe(c, (struct cluster_subscription){
			 .subject = arena_printf(mem, "%s*", c->inbox) });
	if ((e = pthread_create(&c->thread, NULL, connection_run, c)) != 0) {
		log_error("no connection to NATS: %s", strerror(e));
		wakeup_close(&c->wakeup);
		arena_free(mem);
		return NULL;
	}
	return c;
}

void
cluster_close(struct cluster *c)
{
	struct cluster_subscription *s;
	struct question *q;

	if (c == NULL)
		return;
	c->stopping = true;
	wakeup_wake(&c->wakeup);
	pthread_join(c->thread, NULL);
	while ((s = c->subscriptions) != NULL) {
		c->subscriptions = s->next;
		connection_release(s);
	}
	while ((q = c->questions) != NULL) {
		c->questions = q->next;
		arena_free(q->message.call.message.mem);
	}
	wakeup_close(&c->wakeup);
	pthread_mutex_destroy(&c->lock);
	arena_free(c->mem);
}
