/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TESTS_UNIT_GATEWAY_FIXTURE_H
#define TESTS_UNIT_GATEWAY_FIXTURE_H

/*
 * A gateway without sockets: sessions, tasks, threads, the database and engines of kind
 * script are real; data sent to a connection is stored here for the test.
 */
#include <math.h>

#include "base/buf.h"
#include "channel/channel_session.h"
#include "gateway/listener_count.h"
#include "gateway/tally.h"
#include "server/gateway_parts.h"
#include "server/http_routes.h"
#include "session/session.h"
#include "store/ledger.h"
#include "store/sessions.h"
#include "tests/unit/unit.h"

struct shared_buffer {
	struct arena *mem;
	int owners;
	const char *text;
	size_t n;
};

#define MESSAGES_MOST 4000

struct websocket {
	struct connection *connection; /* NULL: it left */
	const char *said[MESSAGES_MOST];
	size_t bytes[MESSAGES_MOST];
	int64_t at_us[MESSAGES_MOST];
	int n;
	int code; /* close code; 0: open */
	const char *reason;
	size_t unsent;
	size_t most; /* most bytes of a message that the client may send */
};

static struct gateway gateway;

struct shared_buffer *
shared_buffer_new(const char *text, size_t n)
{
	struct arena *mem = arena_new();
	struct shared_buffer *p = arena_alloc(mem, sizeof(*p));

	*p = (struct shared_buffer){ mem, 1, arena_dup(mem, text, n), n };
	return p;
}

struct shared_buffer *
shared_buffer_binary(const void *bytes, size_t n)
{
	return shared_buffer_new(bytes, n);
}

const char *
shared_buffer_bytes(const struct shared_buffer *p, size_t *n)
{
	*n = p->n;
	return p->text;
}

void
shared_buffer_drop(struct shared_buffer *p)
{
	if (--p->owners == 0)
		arena_free(p->mem);
}

void
websocket_send(struct websocket *s, struct shared_buffer *p, int64_t group)
{
	(void)group;
	if (s->code != 0)
		return;
	ck_assert_int_lt(s->n, MESSAGES_MOST);
	s->at_us[s->n] = monotonic_us();
	s->bytes[s->n] = p->n;
	s->said[s->n++] = arena_dup(fixture.mem, p->text, p->n);
}

void
websocket_end(struct websocket *s, int code, const char *reason)
{
	if (s->code != 0)
		return;
	s->code = code;
	s->reason = arena_str(fixture.mem, reason);
}

void
websocket_end_for(struct websocket *s, int code, const char *reason)
{
	(void)reason;
	websocket_end(s, code, "");
}

void
websocket_name(struct websocket *s, const struct websocket_name *name)
{
	(void)s, (void)name;
}

void
websocket_limit(struct websocket *s, size_t bytes)
{
	s->most = bytes;
}

size_t
websocket_unsent(const struct websocket *s, int64_t *since_us)
{
	*since_us = monotonic_us();
	return s->unsent;
}

void
websocket_skip(struct websocket *s, int64_t before_us)
{
	(void)s, (void)before_us;
}

void
event_loop_adopt(struct event_loop *all, const struct websocket_owner *owner, int fd,
    const char *head, size_t n, void *visitor)
{
	(void)all, (void)owner, (void)fd, (void)head, (void)n, (void)visitor;
}

static void
wake_nothing(void *arg)
{
	(void)arg;
}

/* ---- the gateway ---- */

static inline void
gateway_engines(const char *settings)
{
	struct arena *its = arena_new();
	struct registry *engines;
	struct conf c;

	unit_write(getenv("DRAGOMAN_CONF"),
	    arena_printf(fixture.mem,
		"[server]\nbase_url = https://speech.example.org\n%s", settings));
	ck_assert_int_eq(conf_read(its, &c), OK);
	registry_drop(gateway.engines);
	ck_assert_int_eq(registry_new(&c, &engines), OK);
	gateway.engines = engines;
	arena_free(its);
}

#define SCRIPTS "[speech]\nasr = script\nmt = script\ntts = script\n"
#define LINES(s) SCRIPTS "[engine.script]\nkind = script\nlines = " s "\n"

/* Adds credits x 1,000,000 to the account; negative: removes. */
static inline void
gateway_pay(int64_t micro)
{
	struct db *db = fixture.app.db;

	ck_assert_int_eq(db_begin(db, DB_ALL), OK);
	ck_assert_int_eq(ledger_add(db, fixture.mem, fixture.account, "grant", micro,
			     id_new(fixture.mem)),
	    OK);
	ck_assert_int_eq(db_commit(db), OK);
}

static inline void
gateway_open(void)
{
	fixture_open("gateway", http_routes, http_routes_prepared);
	gateway = (struct gateway){
		.mem = arena_new(), .app = fixture.app, .begun_us = monotonic_us()
	};
	gateway_parts(&gateway);
	gateway.conf = &fixture.app.conf;
	gateway_engines(SCRIPTS);
	gateway.to_event_loop = mailbox_new(gateway.mem, wake_nothing, NULL);
	gateway.to_db_thread = mailbox_new(gateway.mem, wake_nothing, NULL);
	gateway.held = tally_new(gateway.mem);
	gateway.pool = pool_start(4, NULL);
	gateway_pay(INT64_C(100) * MICRO);
}

/* One tick of the database thread and one tick of the event loop. */
static inline void
gateway_tick(void)
{
	struct actor_message *next;

	for (struct actor_message *l = mailbox_drain(gateway.to_db_thread); l != NULL;
	     l = next) {
		struct thread_call *e = (struct thread_call *)l;

		next = l->next;
		e->run(&gateway, e);
		db_rollback(gateway.app.db);
	}
	/* each turn checks all that is otherwise checked now and then */
	gateway.readers_us = 0;
	session_owner.turn(&gateway);
	usleep(1000);
}

/* Ticks until the condition holds. */
#define gateway_await(condition) await_by(gateway_tick(), condition)

/*
 * Runs the loop for this long, to check that something does not happen. On a busy
 * machine a tick may take longer, so several ticks are run in any case.
 */
static inline void
gateway_wait(int ms)
{
	int64_t until_us = monotonic_us() + ms * INT64_C(1000);

	for (int ticks = 0; ticks < 20 || monotonic_us() < until_us; ticks++)
		gateway_tick();
}

/* Closes all remaining connections. */
static inline void
gateway_empty(void)
{
	for (struct session *s = gateway.sessions; s != NULL; s = s->next)
		while (s->connections != NULL) {
			struct connection *c = s->connections;

			s->refs++;
			((struct websocket *)c->to)->connection = NULL;
			session_owner.closed(c);
			s->refs--;
		}
	gateway_await(gateway.sessions == NULL && gateway.payers == NULL);
}

static inline void
free_messages(struct mailbox *box)
{
	struct actor_message *next;

	for (struct actor_message *m = mailbox_drain(box); m != NULL; m = next) {
		next = m->next;
		arena_free(m->mem);
	}
}

/* As gateway_empty(), and frees the rest of the gateway. */
static inline void
gateway_close(void)
{
	gateway_empty();
	ck_assert_int_eq(gateway.connections, 0);
	ck_assert_int_eq(gateway.tasks, 0);
	pool_stop(gateway.pool);
	free_messages(gateway.to_db_thread);
	free_messages(gateway.to_event_loop);
	if (gateway.listening != NULL)
		arena_free(gateway.listening->call.message.mem);
	registry_drop(gateway.engines);
	arena_free(gateway.mem);
	fixture_close();
}

/* ---- connections ---- */

static inline const char *
new_session(void)
{
	int64_t now = now_us();
	struct stream_session s = { .id = id_new(fixture.mem),
		.account = fixture.account,
		.created_us = now,
		.expires_us = now + 3600 * S_US,
		.counted_us = now + 3600 * S_US,
		.tokens_us = now + 86400 * S_US,
		.ttl_us = 3600 * S_US,
		.intent = "api" };

	ck_assert_int_eq(session_add(gateway.app.db, fixture.mem, &s), OK);
	return s.id;
}

static inline struct connection_request *
request_as(const char *session, bool writes, bool hears, const char *language)
{
	struct connection_request *v = THREAD_CALL(struct connection_request);
	struct arena *mem = v->call.message.mem;
	struct stream_session s;

	v->kind = SOCKET_S2S;
	v->account = arena_str(mem, fixture.account);
	v->stream = arena_str(mem, session);
	if (session_find(gateway.app.db, mem, session, &s) == OK)
		v->room = s.room;
	v->credential = v->stream;
	v->writes = writes;
	v->listens = hears;
	v->audio = true;
	v->language = arena_str(mem, language);
	return v;
}

static inline struct websocket *
connect_with(struct connection_request *v)
{
	struct websocket *s = arena_alloc(fixture.mem, sizeof(*s));

	/* as the database thread does for an admitted connection */
	gateway.connections++;
	s->connection = session_owner.opened(&gateway, s, v);
	return s;
}

static inline struct websocket *
connect_as(const char *session, bool writes, bool hears, const char *language)
{
	return connect_with(request_as(session, writes, hears, language));
}

static inline struct websocket *
connect_writer(void)
{
	return connect_as(new_session(), true, true, NULL);
}

static inline void
hang_up(struct websocket *s)
{
	session_owner.closed(s->connection);
	s->connection = NULL;
}

static inline void
tell(struct websocket *s, const char *type, const char *data)
{
	const char *m = arena_printf(
	    fixture.mem, "{\"message_type\":\"%s\",\"data\":%s}", type, data);

	session_owner.message(s->connection, m, strlen(m), false);
}

#define FINAL "{\"message_type\":\"validated_transcription\""

#define TASK(targets, more)                                                            \
	"{\"input_stream\":{\"source\":{\"type\":\"ws\",\"format\":\"pcm_s16le\","     \
	"\"sample_rate\":16000}},\"pipeline\":{\"transcription\":{"                    \
	"\"source_language\":\"en\"},\"translations\":[" targets "]" more "}}"
#define TO(code) "{\"target_language\":\"" code "\"}"
#define ALL_TYPES                                                                      \
	",\"allowed_message_types\":[\"partial_transcription\","                       \
	"\"validated_transcription\",\"translated_transcription\","                    \
	"\"partial_translated_transcription\",\"pipeline_timings\","                   \
	"\"tts_buffer_stats\",\"tts_text\"]"

/* Sends this much of a 300 Hz tone, or of silence. */
static inline void
send_sound(struct websocket *s, int ms, bool loud)
{
	size_t n = (size_t)ms * 16;
	int16_t *pcm = arena_alloc(fixture.mem, n * sizeof(*pcm));

	for (size_t i = 0; loud && i < n; i++)
		pcm[i] = (int16_t)(8000 * sin(2 * M_PI * 300 * (double)i / 16000));
	tell(s, "input_audio_data",
	    arena_printf(fixture.mem, "{\"data\":\"%s\"}",
		base64(fixture.mem, pcm, n * sizeof(*pcm))));
}

/*
 * A second of speech without a pause. Its level falls now and then, so that it is not
 * taken for hum.
 */
static inline void
send_talk(struct websocket *s)
{
	send_sound(s, 960, true);
	send_sound(s, 40, false);
}

static inline void
send_phrase(struct websocket *s)
{
	send_sound(s, 600, true);
	send_sound(s, 1000, false);
}

/* ---- what came ---- */

/* Returns the next message at or after *at that contains both texts; NULL: none. */
static inline const char *
seen_from(const struct websocket *s, int *at, const char *a, const char *b)
{
	for (; *at < s->n; ++*at)
		if (strstr(s->said[*at], a) != NULL && strstr(s->said[*at], b) != NULL)
			return s->said[(*at)++];
	return NULL;
}

static inline int
count_seen(const struct websocket *s, const char *a, const char *b)
{
	int at = 0, n = 0;

	while (seen_from(s, &at, a, b) != NULL)
		n++;
	return n;
}

/* Time limit; enough for phrases of five seconds on a busy machine. */
#define AWAIT_US (60 * S_US)

/* Waits until that many messages have arrived. */
static inline void
await_seen(const struct websocket *s, const char *a, const char *b, int n)
{
	int64_t until_us = monotonic_us() + AWAIT_US;

	while (count_seen(s, a, b) < n && monotonic_us() < until_us)
		gateway_tick();
	if (count_seen(s, a, b) < n)
		for (int i = 0; i < s->n; i++)
			fprintf(stderr, "%.200s\n", s->said[i]);
	ck_assert_msg(count_seen(s, a, b) >= n, "%s %s: %d, not %d", a, b,
	    count_seen(s, a, b), n);
}

static inline void
await_end(const struct websocket *s, int code)
{
	gateway_await(s->code != 0);
	ck_assert_int_eq(s->code, code);
}

static inline void
await_state(const struct websocket *s, enum state state)
{
	gateway_await(s->connection->session->state == state);
}

static inline struct websocket *
start_task(const char *task)
{
	struct websocket *s = connect_writer();

	tell(s, "set_task", task);
	await_state(s, STATE_RUNNING);
	return s;
}

#endif
