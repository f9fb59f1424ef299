/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The thread that connects to NATS. It makes each call that may wait for the server;
 * callers of cluster.h only send it commands. The library's own threads call
 * receive_message(), receive_answer(), note_served(), note_closed() and note_error().
 *
 * The library does not connect again by itself: it would give up after the second
 * refusal, and send old messages after a pause. A lost connection is closed, and
 * another one is made with all subscriptions.
 */
#include "cluster/cluster_internal.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/hash.h"
#include "base/log.h"

#define CONNECT_MS 2000 /* for one server */
#define WRITE_MS 2000   /* a server that reads nothing for so long is lost */
#define PING_MS 1000
#define PINGS 4 /* unanswered ones; at the next the connection is lost */
#define RETRY_US S_US
#define RETRY_JITTER_US 500000 /* so that nodes do not all come at once */
#define FLUSH_MS 500
#define WARN_US (10 * S_US) /* least time between warnings about messages */
#define SERVERS_MOST 64

/* ---- what the library calls ---- */

static struct cluster_message *
message_new(const char *subject, const char *reply, const void *bytes, size_t n)
{
	size_t subject_bytes = strlen(subject) + 1,
	       reply_bytes = reply != NULL ? strlen(reply) + 1 : 0;
	struct cluster_message *m = (struct cluster_message *)actor_message_new(
	    sizeof(*m) + subject_bytes + reply_bytes + n);
	char *p = (char *)(m + 1);

	m->subject = memcpy(p, subject, subject_bytes);
	p += subject_bytes;
	if (reply != NULL)
		m->reply = memcpy(p, reply, reply_bytes);
	p += reply_bytes;
	if (n > 0)
		memcpy(p, bytes, n);
	m->bytes = (unsigned char *)p;
	m->n = n;
	return m;
}

static struct cluster_message *
read_message(struct cluster *c, natsMsg *msg)
{
	size_t prefix = strlen(c->conf->cluster_prefix) + 1,
	       n = (size_t)natsMsg_GetDataLength(msg);

	c->messages_in++;
	c->bytes_in += (long long)n;
	return message_new(natsMsg_GetSubject(msg) + prefix, natsMsg_GetReply(msg),
	    natsMsg_GetData(msg), n);
}

static void
receive_message(natsConnection *nc, natsSubscription *at, natsMsg *msg, void *arg)
{
	struct cluster_subscription *s = arg;
	struct cluster *c = s->cluster;
	struct cluster_message *m = read_message(c, msg);

	(void)nc;
	(void)at;
	m->call.run = s->run;
	m->arg = s->arg;
	pthread_mutex_lock(&c->lock);
	if (!s->ended)
		mailbox_send(c->to, &m->call.message);
	else
		arena_free(m->call.message.mem);
	pthread_mutex_unlock(&c->lock);
	natsMsg_Destroy(msg);
}

static void
receive_answer(natsConnection *nc, natsSubscription *at, natsMsg *msg, void *arg)
{
	struct cluster_subscription *s = arg;
	struct cluster *c = s->cluster;
	const char *number = natsMsg_GetSubject(msg) + strlen(c->inbox);
	struct question *q = question_take(c, strtoull(number, NULL, 10));
	struct cluster_message *m;

	(void)nc;
	(void)at;
	if (q != NULL && natsMsg_IsNoResponders(msg)) {
		mailbox_send(c->to, &q->message.call.message);
	} else if (q != NULL) {
		m = read_message(c, msg);
		m->call.run = q->message.call.run;
		m->arg = q->message.arg;
		mailbox_send(c->to, &m->call.message);
		arena_free(q->message.call.message.mem);
	}
	natsMsg_Destroy(msg);
}

void
connection_release(struct cluster_subscription *s)
{
	if (--s->refs == 0)
		arena_free(s->mem);
}

/* The library will not call us for this subscription again. */
static void
note_served(void *arg)
{
	struct cluster_subscription *s = arg;
	struct cluster *c = s->cluster;

	connection_release(s);
	pthread_mutex_lock(&c->lock);
	c->served--;
	wakeup_wake(&c->wakeup);
	pthread_mutex_unlock(&c->lock);
}

static void
note_closed(natsConnection *nc, void *arg)
{
	struct cluster *c = arg;

	(void)nc;
	pthread_mutex_lock(&c->lock);
	c->closed = true;
	wakeup_wake(&c->wakeup);
	pthread_mutex_unlock(&c->lock);
}

/* True for one of many messages with a fault, so that they do not fill the log. */
static bool
may_warn(struct cluster *c)
{
	int64_t now = monotonic_us();

	if (c->warned_us != 0 && now < c->warned_us + WARN_US)
		return false;
	c->warned_us = now;
	return true;
}

/* For example, a subject is not permitted to cluster.user. */
static void
note_error(natsConnection *nc, natsSubscription *at, natsStatus s, void *arg)
{
	const char *text = NULL;

	(void)at;
	if (!may_warn(arg))
		return;
	if (s != NATS_NOT_PERMITTED ||
	    natsConnection_GetLastError(nc, &text) != NATS_NOT_PERMITTED)
		text = natsStatus_GetText(s);
	log_warn("NATS: %s", text);
}

/* ---- connecting ---- */

static void
report_change(struct cluster *c)
{
	struct thread_call *call;

	if (c->changed == NULL)
		return;
	call = THREAD_CALL(struct thread_call);
	call->run = c->changed;
	mailbox_send(c->to, &call->message);
}

static const char *
describe(natsStatus s)
{
	const char *text;

	switch (s) {
	case NATS_CONNECTION_AUTH_FAILED:
		return "the server refuses the credentials: cluster.user with "
		       "cluster.password, or cluster.credentials";
	case NATS_NO_SERVER:
		return "no server of cluster.nats answers";
	case NATS_SECURE_CONNECTION_WANTED:
		return "the server has no TLS: write nats:// in cluster.nats";
	case NATS_STALE_CONNECTION:
		return "the server does not answer";
	case NATS_TIMEOUT:
		return "the server takes too long";
	case NATS_OK:
	case NATS_IO_ERROR:
	case NATS_CONNECTION_CLOSED:
		return "the server has closed the connection";
	default:
		if ((text = nats_GetLastError(NULL)) == NULL || text[0] == '\0')
			return natsStatus_GetText(s);
		/* "(FILE:LINE): TEXT" of the library */
		return strncmp(text, "(", 1) == 0 && strstr(text, "): ") != NULL
			   ? strstr(text, "): ") + 3
			   : text;
	}
}

/* Set the addresses of cluster.nats; the library copies them. */
static natsStatus
set_servers(natsOptions *o, const char *list)
{
	struct arena *mem = arena_new();
	const char *servers[SERVERS_MOST];
	char *save, *one = strtok_r(arena_str(mem, list), ", ", &save);
	natsStatus s;
	int n = 0;

	for (; one != NULL && n < SERVERS_MOST; one = strtok_r(NULL, ", ", &save))
		servers[n++] = one;
	s = natsOptions_SetServers(o, servers, n);
	arena_free(mem);
	return s;
}

static natsStatus
set_security(natsOptions *o, const struct conf *c)
{
	natsStatus s = NATS_OK;

	if (strncmp(c->cluster_nats, "tls://", 6) == 0)
		s = natsOptions_SetSecure(o, true);
	if (s == NATS_OK && c->cluster_ca[0] != '\0')
		s = natsOptions_LoadCATrustedCertificates(o, c->cluster_ca);
	if (s == NATS_OK && c->cluster_user[0] != '\0')
		s = natsOptions_SetUserInfo(o, c->cluster_user, c->cluster_password);
	if (s == NATS_OK && c->cluster_credentials[0] != '\0')
		s = natsOptions_SetUserCredentialsFromFiles(
		    o, c->cluster_credentials, NULL);
	return s;
}

static natsStatus
set_options(natsOptions *o, struct cluster *c)
{
	natsStatus s;

	/* one thread for the messages of all subscriptions */
	if ((s = natsOptions_UseGlobalMessageDelivery(o, true)) != NATS_OK ||
	    (s = natsOptions_SetAllowReconnect(o, false)) != NATS_OK ||
	    (s = natsOptions_SetName(o, c->conf->node)) != NATS_OK ||
	    (s = natsOptions_SetTimeout(o, CONNECT_MS)) != NATS_OK ||
	    (s = natsOptions_SetWriteDeadline(o, WRITE_MS)) != NATS_OK ||
	    (s = natsOptions_SetPingInterval(o, PING_MS)) != NATS_OK ||
	    (s = natsOptions_SetMaxPingsOut(o, PINGS)) != NATS_OK ||
	    (s = natsOptions_SetClosedCB(o, note_closed, c)) != NATS_OK ||
	    (s = natsOptions_SetErrorHandler(o, note_error, c)) != NATS_OK ||
	    (s = set_servers(o, c->conf->cluster_nats)) != NATS_OK)
		return s;
	return set_security(o, c->conf);
}

static void
subscribe_at_server(struct cluster *c, struct cluster_subscription *s)
{
	if (natsConnection_Subscribe(&s->at, c->connection, s->subject,
		s->run != NULL ? receive_message : receive_answer, s) != NATS_OK) {
		c->broken = NATS_ERR;
		return;
	}
	s->refs++;
	/* A connection that is already lost reports no end: then s is never freed. */
	if (natsSubscription_SetOnCompleteCB(s->at, note_served, s) == NATS_OK)
		c->served++;
}

static void
unsubscribe_at_server(struct cluster_subscription *s)
{
	if (s->at == NULL)
		return;
	natsSubscription_Unsubscribe(s->at);
	natsSubscription_Destroy(s->at);
	s->at = NULL;
}

/* Log the fault unless the attempt before had the same one. */
static void
note_fault(struct cluster *c, natsStatus s)
{
	const char *fault = describe(s);
	bool same;

	pthread_mutex_lock(&c->lock);
	same = strncmp(c->fault, fault, sizeof(c->fault) - 1) == 0;
	snprintf(c->fault, sizeof(c->fault), "%s", fault);
	pthread_mutex_unlock(&c->lock);
	if (!same)
		log_error("cannot connect to NATS: %s", fault);
}

static void
note_connected(struct cluster *c)
{
	char server[sizeof(c->server)] = "";

	natsConnection_GetConnectedUrl(c->connection, server, sizeof(server));
	pthread_mutex_lock(&c->lock);
	memcpy(c->server, server, sizeof(server));
	pthread_mutex_unlock(&c->lock);
	c->connects++;
	log_info("connected to NATS at %s", server);
}

static void
retry_after(struct cluster *c, int64_t us)
{
	uint32_t random;

	random_bytes(&random, sizeof(random));
	c->due_us = monotonic_us() + us + random % RETRY_JITTER_US;
}

static void
try_connect(struct cluster *c)
{
	natsOptions *o = NULL;
	natsStatus s = natsOptions_Create(&o);

	c->closed = false;
	c->broken = NATS_OK;
	if (s == NATS_OK && (s = set_options(o, c)) == NATS_OK)
		s = natsConnection_Connect(&c->connection, o);
	natsOptions_Destroy(o);
	if (s != NATS_OK) {
		c->connection = NULL;
		retry_after(c, RETRY_US);
		note_fault(c, s);
		return;
	}
	note_connected(c);
	for (struct cluster_subscription *l = c->subscriptions; l != NULL; l = l->next)
		subscribe_at_server(c, l);
	c->connected = true;
	report_change(c);
}

static bool
library_may_call(struct cluster *c)
{
	bool may;

	pthread_mutex_lock(&c->lock); /* after its last call has ended */
	may = !c->closed || c->served > 0;
	pthread_mutex_unlock(&c->lock);
	return may;
}

/* Close the connection, and wait until the library will not call us for it again. */
static void
disconnect(struct cluster *c)
{
	c->connected = false;
	natsConnection_Close(c->connection);
	for (struct cluster_subscription *l = c->subscriptions; l != NULL; l = l->next)
		unsubscribe_at_server(l);
	while (library_may_call(c))
		wakeup_wait(&c->wakeup, -1, -1);
	natsConnection_Destroy(c->connection);
	c->connection = NULL;
}

static void
lose_connection(struct cluster *c)
{
	const char *text;
	natsStatus s = natsConnection_GetLastError(c->connection, &text);

	if (c->broken != NATS_OK)
		s = c->broken;
	disconnect(c);
	pthread_mutex_lock(&c->lock);
	snprintf(c->fault, sizeof(c->fault), "%s", describe(s));
	pthread_mutex_unlock(&c->lock);
	log_warn("the connection to NATS at %s is lost: %s", c->server, c->fault);
	retry_after(c, 0);
	report_change(c);
}

/* ---- commands ---- */

static void
publish(struct cluster *c, const struct command *m)
{
	int n = (int)m->n;
	natsStatus s;

	if (c->connection == NULL)
		s = NATS_CONNECTION_CLOSED;
	else if (m->reply == NULL)
		s = natsConnection_Publish(c->connection, m->subject, m->bytes, n);
	else
		s = natsConnection_PublishRequest(
		    c->connection, m->subject, m->reply, m->bytes, n);
	if (s == NATS_OK) {
		c->messages_out++;
		c->bytes_out += n;
		return;
	}
	c->dropped++;
	if (s != NATS_MAX_PAYLOAD)
		c->broken = c->connection != NULL ? s : NATS_OK;
	else if (may_warn(c))
		log_warn("a message of %d bytes to %s was not sent: max_payload of the "
			 "NATS server is %" PRId64,
		    n, m->subject, natsConnection_GetMaxPayload(c->connection));
}

static void
subscribe(struct cluster *c, struct cluster_subscription *s)
{
	s->next = c->subscriptions;
	c->subscriptions = s;
	if (c->connection != NULL)
		subscribe_at_server(c, s);
}

static void
unsubscribe(struct cluster *c, struct cluster_subscription *s)
{
	struct cluster_subscription **at = &c->subscriptions;

	while (*at != s)
		at = &(*at)->next;
	*at = s->next;
	unsubscribe_at_server(s);
	connection_release(s);
}

static void
run_command(struct cluster *c, const struct command *m)
{
	switch (m->kind) {
	case PUBLISH:
		publish(c, m);
		break;
	case SUBSCRIBE:
		subscribe(c, m->subscription);
		break;
	case UNSUBSCRIBE:
		unsubscribe(c, m->subscription);
		break;
	}
}

static void
run_commands(struct cluster *c)
{
	struct actor_message *next;
	const char *text;
	natsStatus s;

	for (struct actor_message *l = mailbox_drain(c->commands); l != NULL;
	     l = next) {
		struct command *m = (struct command *)l;

		next = l->next;
		run_command(c, m);
		c->queued -= m->size;
		arena_free(l->mem);
	}
	if (c->connection == NULL)
		return;
	/* The library goes on after a part of a message was not sent in time. */
	s = natsConnection_GetLastError(c->connection, &text);
	if (s == NATS_TIMEOUT || s == NATS_IO_ERROR)
		c->broken = s;
}

static void
wait_until(struct cluster *c, int64_t due_us)
{
	int64_t left_us;

	if (c->connection == NULL && c->due_us < due_us)
		due_us = c->due_us;
	left_us = due_us - monotonic_us();
	if (due_us == INT64_MAX)
		wakeup_wait(&c->wakeup, -1, -1);
	else if (left_us > 0)
		wakeup_wait(&c->wakeup, -1, (int)(left_us / 1000) + 1);
}

void *
connection_run(void *arg)
{
	struct cluster *c = arg;

	while (!c->stopping) {
		if (c->connection == NULL && monotonic_us() >= c->due_us)
			try_connect(c);
		run_commands(c);
		if (c->connection != NULL && (c->closed || c->broken != NATS_OK))
			lose_connection(c);
		wait_until(c, question_end_late(c));
	}
	run_commands(c);
	if (c->connection != NULL) {
		natsConnection_FlushTimeout(c->connection, FLUSH_MS);
		disconnect(c);
	}
	nats_ReleaseThreadMemory();
	return NULL;
}
