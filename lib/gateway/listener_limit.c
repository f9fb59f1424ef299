/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "gateway/listener_limit.h"

#include "gateway/tally.h"

#define OF_LISTENER 2
#define ALL "readers" /* tally of all subscribers; no other name equals it */

/* The tally names of a socket.  NULL: not counted. */
struct held {
	const char *address;  /* sockets of every kind from this address */
	const char *stream;   /* sockets of this kind at the session or channel */
	const char *listener; /* subscribers with this listener id */
	const char *here; /* subscribers from this address at the session or channel */
	const char *network; /* subscribers from this address */
};

struct leaving {
	struct thread_call call;
	struct held held;
};

/* True if the listener is counted by its own id, too, not only by its address. */
static bool
is_counted(const struct connection_request *v)
{
	return v->kind == SOCKET_S2S ? !v->writes : !v->own;
}

static struct held
names_of(struct arena *mem, const struct connection_request *v)
{
	static const char *const kinds[SOCKET_KINDS] = { "s2s", "stt", "tts" };
	struct held h = { .address = arena_printf(mem, "all at %s", v->network) };

	if (!is_counted(v))
		return h;
	h.stream = arena_printf(mem, "%s %s", kinds[v->kind], v->stream);
	if (v->kind != SOCKET_S2S)
		return h;
	if (v->listener != NULL)
		h.listener = arena_printf(mem, "listener %s", v->listener);
	h.here = arena_printf(mem, "at %s %s", v->stream, v->network);
	h.network = arena_printf(mem, "at %s", v->network);
	return h;
}

/* True from 80 % on, where the limit for each address applies. */
static bool
is_nearly_full(int64_t taken, int64_t capacity)
{
	return taken >= capacity - capacity / 5;
}

static int64_t
tenth(int64_t capacity)
{
	return (capacity + 9) / 10;
}

/*
 * A publisher may exceed the limit by a tenth, so that a hall's listeners do not lock
 * out its speaker.
 */
static bool
is_address_full(
    const struct gateway *g, const struct connection_request *v, const struct held *h)
{
	int64_t most = g->conf->stream_max_per_address;

	if (v->writes && !v->own)
		most += tenth(most);
	return tally_of(g->held, h->address) >= most;
}

/* The reason to refuse one more subscriber; NULL: none. */
static const char *
too_much(const struct gateway *g, const struct tally *t, const struct held *h)
{
	int64_t here = tally_of(t, h->stream), most = g->conf->stream_max_listeners;
	int64_t capacity = g->conf->stream_max_connections;

	if (h->listener != NULL && tally_of(t, h->listener) >= OF_LISTENER)
		return "This listener has two sockets already.";
	if (here >= most || tally_of(t, ALL) >= capacity - tenth(capacity))
		return "This channel has no free places.";
	if ((is_nearly_full(here, most) && tally_of(t, h->here) >= tenth(most)) ||
	    (is_nearly_full(g->connections, capacity) &&
		tally_of(t, h->network) >= tenth(capacity)))
		return "This address has no free places for listeners.";
	return NULL;
}

enum listener_limit
listener_limit_is(
    const struct gateway *g, const struct connection_request *v, const char **why)
{
	const struct tally *t = g->held;
	struct held h = names_of(v->call.message.mem, v);

	if (is_address_full(g, v, &h)) {
		*why = "This address has the most sockets that are allowed.";
		return LISTENER_LIMIT_FULL;
	}
	if (!is_counted(v))
		return LISTENER_LIMIT_FREE;
	if (v->kind == SOCKET_S2S) {
		*why = too_much(g, t, &h);
		return *why != NULL ? LISTENER_LIMIT_FULL : LISTENER_LIMIT_FREE;
	}
	*why = v->kind == SOCKET_STT ? "The session has an open STT socket."
				     : "The session has an open TTS socket.";
	return tally_of(t, h.stream) > 0 ? LISTENER_LIMIT_IN_USE : LISTENER_LIMIT_FREE;
}

static void
count(struct tally *t, const struct held *h, void (*one)(struct tally *, const char *))
{
	one(t, h->address);
	if (h->stream != NULL)
		one(t, h->stream);
	if (h->listener != NULL)
		one(t, h->listener);
	if (h->network == NULL)
		return;
	one(t, h->here);
	one(t, h->network);
	one(t, ALL);
}

void
listener_limit_add(struct gateway *g, struct connection_request *v)
{
	struct arena *mem = v->call.message.mem;
	struct held *h = arena_alloc(mem, sizeof(*h));

	*h = names_of(mem, v);
	count(g->held, h, tally_add);
	v->held = h;
}

static void
leave(struct gateway *g, struct thread_call *e)
{
	count(g->held, &((const struct leaving *)e)->held, tally_remove);
	arena_free(e->message.mem);
}

void
listener_limit_leave(struct gateway *g, const struct connection_request *v)
{
	struct leaving *l;

	if (v->held == NULL)
		return;
	l = THREAD_CALL(struct leaving);
	l->call.run = leave;
	l->held = names_of(l->call.message.mem, v);
	mailbox_send(g->to_db_thread, &l->call.message);
}
