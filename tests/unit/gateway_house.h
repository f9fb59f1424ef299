#ifndef TESTS_UNIT_GATEWAY_HOUSE_H
#define TESTS_UNIT_GATEWAY_HOUSE_H

/*
 * A gateway without sockets: rooms, runs, threads, database and engines of kind
 * script are real; what is sent to a connection is kept here, to be looked at.
 */
#include <math.h>

#include "base/buf.h"
#include "gateway/entry.h"
#include "gateway/room.h"
#include "gateway/tally.h"
#include "store/ledger.h"
#include "store/sessions.h"
#include "tests/unit/unit.h"

struct parcel {
	struct arena *mem;
	int owners;
	const char *text;
};

#define MESSAGES_MOST 4000

struct socket {
	struct client *client; /* NULL: it left */
	const char *said[MESSAGES_MOST];
	int64_t at_us[MESSAGES_MOST];
	int n;
	int code; /* of its end; 0: none */
	const char *reason;
	size_t unsent;
	size_t most; /* bytes of a message that it may send */
};

static struct gate gate;

struct parcel *
parcel_new(const char *text, size_t n)
{
	struct arena *mem = arena_new();
	struct parcel *p = arena_alloc(mem, sizeof(*p));

	*p = (struct parcel){ mem, 1, arena_dup(mem, text, n) };
	return p;
}

void
parcel_drop(struct parcel *p)
{
	if (--p->owners == 0)
		arena_free(p->mem);
}

void
socket_send(struct socket *s, struct parcel *p, int64_t group)
{
	(void)group;
	if (s->code != 0)
		return;
	ck_assert_int_lt(s->n, MESSAGES_MOST);
	s->at_us[s->n] = monotonic_us();
	s->said[s->n++] = arena_str(house.mem, p->text);
}

void
socket_end(struct socket *s, int code, const char *reason)
{
	if (s->code != 0)
		return;
	s->code = code;
	s->reason = arena_str(house.mem, reason);
}

void
socket_limit(struct socket *s, size_t bytes)
{
	s->most = bytes;
}

size_t
socket_unsent(const struct socket *s, int64_t *since_us)
{
	*since_us = monotonic_us();
	return s->unsent;
}

void
socket_skip(struct socket *s, int64_t before_us)
{
	(void)s, (void)before_us;
}

void
sockets_adopt(struct sockets *all, int fd, const char *head, size_t n, void *visitor)
{
	(void)all, (void)fd, (void)head, (void)n, (void)visitor;
}

static void
wake_nobody(void *arg)
{
	(void)arg;
}

/* ---- the gateway ---- */

static inline void
gate_engines(const char *settings)
{
	struct arena *its = arena_new();
	struct conf c;

	unit_write(getenv("DRAGOMAN_CONF"),
	    arena_printf(house.mem,
		"[server]\nbase_url = https://speech.example.org\n%s", settings));
	ck_assert_int_eq(conf_read(its, &c), OK);
	registry_drop(gate.engines);
	gate.engines = NULL;
	ck_assert_int_eq(registry_new(&c, &gate.engines), OK);
	arena_free(its);
}

#define SCRIPTS "[speech]\nasr = script\nmt = script\ntts = script\n"
#define LINES(s) SCRIPTS "[engine.script]\nkind = script\nlines = " s "\n"

/* Credits x 1,000,000 that the account gains, or loses. */
static inline void
gate_pay(int64_t micro)
{
	struct db *db = house.app.db;

	ck_assert_int_eq(db_begin(db), OK);
	ck_assert_int_eq(
	    ledger_add(db, house.mem, house.account, "grant", micro, id_new(house.mem)),
	    OK);
	ck_assert_int_eq(db_commit(db), OK);
}

static inline void
gate_open(void)
{
	house_open("gateway", entry_routes, entry_prepared);
	gate = (struct gate){
		.mem = arena_new(), .app = house.app, .begun_us = monotonic_us()
	};
	gate.conf = &house.app.conf;
	gate_engines(SCRIPTS);
	gate.to_sockets = mailbox_new(gate.mem, wake_nobody, NULL);
	gate.to_desk = mailbox_new(gate.mem, wake_nobody, NULL);
	gate.held = tally_new(gate.mem);
	gate.pool = pool_start(4);
	gate_pay(INT64_C(100) * MICRO);
}

/* One turn of the desk and one of the sockets. */
static inline void
gate_turn(void)
{
	struct letter *next;

	for (struct letter *l = mailbox_take(gate.to_desk); l != NULL; l = next) {
		struct errand *e = (struct errand *)l;

		next = l->next;
		e->run(&gate, e);
		db_rollback(gate.app.db);
	}
	room_owner.turn(&gate);
	usleep(1000);
}

static inline void
gate_wait(int ms)
{
	int64_t until_us = monotonic_us() + ms * INT64_C(1000);

	do
		gate_turn();
	while (monotonic_us() < until_us);
}

/* Whoever is still there leaves. */
static inline void
gate_empty(void)
{
	for (struct room *r = gate.rooms; r != NULL; r = r->next)
		while (r->clients != NULL) {
			struct client *c = r->clients;

			r->owed++;
			c->socket->client = NULL;
			room_owner.closed(c);
			r->owed--;
		}
	for (int i = 0; (gate.rooms != NULL || gate.payers != NULL) && i < 5000; i++)
		gate_turn();
}

/* The same, and everything is given back. */
static inline void
gate_close(void)
{
	gate_empty();
	ck_assert_ptr_null(gate.rooms);
	ck_assert_ptr_null(gate.payers);
	ck_assert_int_eq(gate.connections, 0);
	ck_assert_int_eq(gate.tasks, 0);
	pool_stop(gate.pool);
	registry_drop(gate.engines);
	arena_free(gate.mem);
	house_close();
}

/* ---- connections ---- */

static inline const char *
new_session(void)
{
	int64_t now = now_us();
	struct stream_session s = { .id = id_new(house.mem),
		.account = house.account,
		.created_us = now,
		.expires_us = now + 3600 * S_US,
		.counted_us = now + 3600 * S_US,
		.tokens_us = now + 86400 * S_US,
		.ttl_us = 3600 * S_US,
		.intent = "api" };

	ck_assert_int_eq(session_add(gate.app.db, house.mem, &s), OK);
	return s.id;
}

static inline struct socket *
connect_as(const char *session, bool writes, bool hears, const char *language)
{
	struct visitor *v = ERRAND(struct visitor);
	struct arena *mem = v->errand.letter.mem;
	struct socket *s = arena_alloc(house.mem, sizeof(*s));

	v->kind = SOCKET_S2S;
	v->account = arena_str(mem, house.account);
	v->stream = arena_str(mem, session);
	v->credential = v->stream;
	v->writes = writes;
	v->hears = hears;
	v->audio = true;
	v->language = arena_str(mem, language);
	gate.connections++; /* as the desk does, who admits */
	s->client = room_owner.opened(&gate, s, v);
	return s;
}

static inline struct socket *
connect_writer(void)
{
	return connect_as(new_session(), true, true, NULL);
}

static inline void
hang_up(struct socket *s)
{
	room_owner.closed(s->client);
	s->client = NULL;
}

static inline void
tell(struct socket *s, const char *type, const char *data)
{
	const char *m = arena_printf(
	    house.mem, "{\"message_type\":\"%s\",\"data\":%s}", type, data);

	room_owner.message(s->client, m, strlen(m), false);
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

/* So much of a 300 Hz tone, or of silence. */
static inline void
send_sound(struct socket *s, int ms, bool loud)
{
	size_t n = (size_t)ms * 16;
	int16_t *pcm = arena_alloc(house.mem, n * sizeof(*pcm));

	for (size_t i = 0; loud && i < n; i++)
		pcm[i] = (int16_t)(8000 * sin(2 * M_PI * 300 * (double)i / 16000));
	tell(s, "input_audio_data",
	    arena_printf(house.mem, "{\"data\":\"%s\"}",
		base64(house.mem, pcm, n * sizeof(*pcm))));
}

static inline void
send_phrase(struct socket *s)
{
	send_sound(s, 600, true);
	send_sound(s, 1000, false);
}

/* ---- what came ---- */

/* The next message at or behind *at that holds both texts; NULL: there is none. */
static inline const char *
seen_from(const struct socket *s, int *at, const char *a, const char *b)
{
	for (; *at < s->n; ++*at)
		if (strstr(s->said[*at], a) != NULL && strstr(s->said[*at], b) != NULL)
			return s->said[(*at)++];
	return NULL;
}

static inline int
count_seen(const struct socket *s, const char *a, const char *b)
{
	int at = 0, n = 0;

	while (seen_from(s, &at, a, b) != NULL)
		n++;
	return n;
}

/* Long enough for two phrases, one after the other, that take five seconds each. */
#define AWAIT_US (20 * S_US)

/* Wait until that many of them are there. */
static inline void
await_seen(const struct socket *s, const char *a, const char *b, int n)
{
	int64_t until_us = monotonic_us() + AWAIT_US;

	while (count_seen(s, a, b) < n && monotonic_us() < until_us)
		gate_turn();
	if (count_seen(s, a, b) < n)
		for (int i = 0; i < s->n; i++)
			fprintf(stderr, "%.200s\n", s->said[i]);
	ck_assert_msg(count_seen(s, a, b) >= n, "%s %s: %d, not %d", a, b,
	    count_seen(s, a, b), n);
}

static inline void
await_end(const struct socket *s, int code)
{
	int64_t until_us = monotonic_us() + AWAIT_US;

	while (s->code == 0 && monotonic_us() < until_us)
		gate_turn();
	ck_assert_int_eq(s->code, code);
}

static inline void
await_state(const struct socket *s, enum state state)
{
	for (int i = 0; i < 20000 && s->client->room->state != state; i++)
		gate_turn();
	ck_assert_int_eq(s->client->room->state, state);
}

static inline struct socket *
start_task(const char *task)
{
	struct socket *s = connect_writer();

	tell(s, "set_task", task);
	await_state(s, STATE_RUNNING);
	return s;
}

#endif
