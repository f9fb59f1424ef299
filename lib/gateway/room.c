#include "gateway/room.h"

#include <string.h>

#include "base/clock.h"
#include "gateway/busy.h"
#include "gateway/payer.h"
#include "gateway/rates.h"
#include "gateway/studio.h"
#include "stream/say.h"

#define UNSENT_BYTES (4 << 20) /* then a reader is too slow */
#define UNSENT_US (30 * S_US)
#define LATE_US (2 * S_US) /* then a listener misses a phrase */

/* ---- telling ---- */

void
client_send(struct client *c, const char *text, size_t n)
{
	struct parcel *p = parcel_new(text, n);

	socket_send(c->socket, p, 0);
	parcel_drop(p);
}

void
client_tell(struct client *c, const struct buf *b)
{
	client_send(c, b->p, b->len);
}

void
client_error(struct client *c, const char *code, const char *desc, const char *param)
{
	struct arena *mem = arena_new();
	struct buf b = { .mem = mem };

	if (say_error(&b, code, desc, param))
		client_tell(c, &b);
	arena_free(mem);
}

void
client_refuse(struct client *c, const struct flaws *f, bool unknown)
{
	struct arena *mem = arena_new();
	struct buf b = { .mem = mem };

	if (say_flaws(&b, f))
		client_tell(c, &b);
	arena_free(mem);
	if (unknown && !limit_take(&c->limits[LIMIT_BAD], LIMIT_BAD, monotonic_us()))
		client_end(c, 1008, "too many bad messages");
}

void
client_end(struct client *c, int code, const char *reason)
{
	socket_end(c->socket, code, reason);
}

void
room_end(struct room *r, int code, const char *reason)
{
	r->closed = true;
	if (code == 1000 && r->gate->stopping)
		code = 1001;
	for (struct client *c = r->clients; c != NULL; c = c->next)
		client_end(c, code, reason);
}

void
room_warn(struct room *r, const char *code, const char *message)
{
	struct arena *mem = arena_new();
	struct buf b = { .mem = mem };

	if (r->writer != NULL && warned_due(&r->warned, code, monotonic_us()) &&
	    say_warning(&b, code, message))
		client_tell(r->writer, &b);
	arena_free(mem);
}

/* ---- rooms ---- */

static void take_pen(struct room *, struct client *);
static void lose_pen(struct room *);
static void say_to_talk(struct client *, const char *, size_t n, bool binary);

static const struct room_ops s2s_ops = {
	.entered = take_pen,
	.message = say_to_talk,
	.start = play_start,
	.turn = talk_turn,
	.left = lose_pen,
	.running = book_running,
};

static const struct room_ops *const kinds[SOCKET_KINDS] = {
	[SOCKET_S2S] = &s2s_ops, [SOCKET_STT] = &stt_ops, [SOCKET_TTS] = &tts_ops
};

struct room *
room_all(struct gate *g)
{
	return g->rooms;
}

static struct room *
find_room(struct gate *g, const char *id, enum socket_kind kind)
{
	struct room *r = g->rooms;

	while (
	    r != NULL && (r->closed || r->ops != kinds[kind] || strcmp(r->id, id) != 0))
		r = r->next;
	return r;
}

/* On a socket of whatever kind. */
static bool
is_connected(const struct gate *g, const char *id)
{
	const struct room *r = g->rooms;

	while (r != NULL && (r->clients == NULL || strcmp(r->id, id) != 0))
		r = r->next;
	return r != NULL;
}

static struct room *
open_room(struct gate *g, const struct visitor *v)
{
	struct arena *mem = arena_new();
	struct room *r = arena_alloc(mem, sizeof(*r));

	*r = (struct room){ .next = g->rooms,
		.mem = mem,
		.gate = g,
		.ops = kinds[v->kind],
		.id = arena_str(mem, v->stream),
		.account = arena_str(mem, v->account),
		.key = arena_str(mem, v->key),
		.own = v->own,
		.checked_us = monotonic_us(),
		.renewed_us = monotonic_us() };
	r->air = onair_open(r, v);
	g->rooms = r;
	payer_enter(r);
	return r;
}

struct room *
room_for(struct gate *g, const struct visitor *v)
{
	struct room *r = find_room(g, v->stream, v->kind);

	return r != NULL ? r : open_room(g, v);
}

/* When nobody is there and nothing comes back. */
static void
close_room(struct room *r)
{
	struct room **at = &r->gate->rooms;

	if (r->clients != NULL || r->owed > 0)
		return;
	while (*at != r)
		at = &(*at)->next;
	*at = r->next;
	hear_forget(r);
	talk_forget(r);
	onair_close(r);
	payer_leave(r);
	arena_free(r->mem);
}

void
room_paid(struct room *r)
{
	r->owed--;
	close_room(r);
}

/* ---- who comes and goes ---- */

static void
visitor_free(struct visitor *v)
{
	arena_free(v->errand.letter.mem);
}

/* A channel's task goes on, whoever speaks. */
static void
take_pen(struct room *r, struct client *c)
{
	struct client *was;

	if (!c->visitor->writes) {
		client_check_language(c);
		if (r->air != NULL)
			onair_entered(c);
		return;
	}
	if (r->air != NULL && r->state == STATE_ENDING)
		talk_event(r, EVENT_SENT); /* the speaker before needs no more time */
	was = r->writer;
	r->writer = c;
	if (was != NULL)
		client_end(was, 1008, "replaced");
	r->left_us = 0;
	if (r->air != NULL) {
		hear_align(r);
		onair_replaced(r);
		return;
	}
	if (was != NULL)
		talk_event(r, EVENT_GONE);
	r->state = STATE_NONE;
	r->startup = (struct state_startup){ 0 };
	r->ended_us = 0;
}

static void
lose_pen(struct room *r)
{
	if (r->air != NULL) {
		if (r->now != NULL)
			run_cut(r->now->run);
		return;
	}
	r->left_us = monotonic_us();
	talk_event(r, EVENT_GONE);
}

static void
say_to_talk(struct client *c, const char *p, size_t n, bool binary)
{
	(void)binary; /* both hold text */
	talk_message(c, p, n);
}

static void
take_message(void *conn, const char *p, size_t n, bool binary)
{
	struct client *c = conn;

	c->room->ops->message(c, p, n, binary);
}

static void *
enter(void *arg, struct socket *socket, void *visitor)
{
	struct gate *g = arg;
	struct visitor *v = visitor;
	struct room *r = room_for(g, v);
	struct arena *mem = v->errand.letter.mem; /* the client dies with it */
	struct client *c = arena_alloc(mem, sizeof(*c));

	*c = (struct client){
		.next = r->clients, .room = r, .socket = socket, .visitor = v
	};
	if (!v->writes)
		socket_limit(socket, SOCKET_READER_BYTES);
	client_tune(c, v->language);
	r->clients = c;
	if (g->rates == NULL)
		g->rates = rates_new(g->mem);
	if (rates_take(g->rates, v->credential, monotonic_us()))
		r->ops->entered(r, c);
	else
		client_end(c, 1008, "connection rate limit");
	return c;
}

static void
leave(void *conn)
{
	struct client *c = conn;
	struct room *r = c->room;
	struct client **at = &r->clients;

	while (*at != c)
		at = &(*at)->next;
	*at = c->next;
	if (r->writer == c) {
		r->writer = NULL;
		r->ops->left(r);
	}
	r->gate->connections--;
	if (r->clients == NULL && r->air == NULL)
		studio_close(r);
	if (!is_connected(r->gate, r->id))
		book_leave(r);
	busy_leave(r->gate, c->visitor);
	visitor_free(c->visitor);
	close_room(r);
}

/* Nothing came of the upgrade. */
static void
lose(void *arg, void *visitor)
{
	struct visitor *v = visitor;
	struct room *r = open_room(arg, v);

	if (!is_connected(arg, r->id))
		book_leave(r);
	r->gate->connections--;
	busy_leave(arg, v);
	visitor_free(v);
	close_room(r);
}

/* ---- turns ---- */

static void
too_slow(struct client *c)
{
	if (c == c->room->writer && c->room->ops == &s2s_ops && c->room->air == NULL)
		talk_event(c->room, EVENT_GONE);
	client_end(c, 1008, "slow consumer");
}

static void
check_reader(struct client *c, int64_t now)
{
	int64_t since_us;
	size_t unsent;

	if (c != c->room->writer && c->room->ops == &s2s_ops)
		socket_skip(c->socket, now - LATE_US);
	unsent = socket_unsent(c->socket, &since_us);

	if (unsent > UNSENT_BYTES || (unsent > 0 && now > since_us + UNSENT_US))
		too_slow(c);
}

static void
adopt(struct gate *g, struct visitor *v)
{
	sockets_adopt(g->sockets, v->fd, v->head, v->head_bytes, v);
}

static void
run_errands(struct gate *g)
{
	struct letter *l = mailbox_take(g->to_sockets), *next;

	for (; l != NULL; l = next) {
		struct errand *e = (struct errand *)l;

		next = l->next;
		if (e->run != NULL)
			e->run(g, e);
		else /* a visitor, from the desk */
			adopt(g, (struct visitor *)e);
	}
}

static void
turn(void *arg)
{
	struct gate *g = arg;
	int64_t now = monotonic_us();
	struct room *r, *next;

	run_errands(g);
	for (r = g->rooms; r != NULL; r = next) {
		next = r->next;
		r->owed++; /* it stays until we are through with it */
		for (struct client *c = r->clients; c != NULL; c = c->next)
			check_reader(c, now);
		r->ops->turn(r, now);
		book_turn(r, now);
		if (r->clients == NULL && (r->closed || g->stopping))
			studio_close(r);
		next = r->next;
		room_paid(r);
	}
	payers_turn(g, now);
}

const struct socket_owner room_owner = {
	.opened = enter,
	.message = take_message,
	.closed = leave,
	.lost = lose,
	.turn = turn,
};
