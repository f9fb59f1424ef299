/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The RTP bridge as sessions use it, on the event loop: messages in both directions.
 * The bridge keeps a reference to the session until bridge_api_left().
 */
#include "bridge/bridge_internal.h"

#include <string.h>

#include "session/sink.h"
#include "store/sessions.h"

/* The bridge room as the session holds it.  Event loop. */
struct bridge_handle {
	struct bridge_room *room; /* used only on the thread of the RTP bridge */
	struct arena *mem;
	const char *name;      /* of the room at the media server */
	struct list languages; /* const char * */
	int number;            /* version of the languages: requested */
	int ready;             /* version attached */
};

static struct bridge_handle *
handle_of(const struct session *s)
{
	return *sink_state(s, &bridge_sink);
}

/* ---- messages to the RTP bridge ---- */

static void *
call_new(const struct session *s, enum bridge_call_kind kind, size_t bytes)
{
	struct bridge_call *c = (struct bridge_call *)actor_message_new(bytes);

	c->kind = kind;
	c->room = handle_of(s)->room;
	return c;
}

static void
call_send(const struct session *s, struct bridge_call *c)
{
	mailbox_send(s->gateway->bridge->calls, &c->message);
}

static struct bridge_handle *
handle_new(struct session *s, const char *name, bool ours)
{
	struct arena *mem = arena_new(); /* freed by the RTP bridge */
	struct bridge_room *room = arena_alloc(mem, sizeof(*room));
	struct arena *its = arena_new();
	struct bridge_handle *to = arena_alloc(its, sizeof(*to));

	*room = (struct bridge_room){
		.mem = mem, .name = arena_str(mem, name), .ours = ours, .session = s
	};
	*to = (struct bridge_handle){
		.mem = its, .room = room, .name = arena_str(its, name)
	};
	s->refs++;
	return to;
}

static bool
same_languages(const struct bridge_handle *h, const struct list *languages)
{
	const char *const *a = h->languages.items, *const *b = languages->items;
	size_t i = 0;

	if (h->number == 0 || h->languages.n != languages->n)
		return false;
	while (i < languages->n && strcmp(a[i], b[i]) == 0)
		i++;
	return i == languages->n;
}

static struct list
copy_languages(struct arena *mem, const struct list *languages)
{
	const char **to = arena_alloc(mem, (languages->n + 1) * sizeof(*to));

	for (size_t i = 0; i < languages->n; i++)
		to[i] = arena_str(mem, ((const char *const *)languages->items)[i]);
	return (struct list){ to, languages->n };
}

static void
send_languages(struct session *s)
{
	struct bridge_languages *c = call_new(s, BRIDGE_LANGUAGES, sizeof(*c));

	c->number = handle_of(s)->number;
	c->languages = copy_languages(c->call.message.mem, &handle_of(s)->languages);
	call_send(s, &c->call);
}

void
bridge_open(
    struct session *s, const char *media, const struct list *languages, bool ours)
{
	if (handle_of(s) != NULL && strcmp(handle_of(s)->name, media) != 0)
		bridge_close(s);
	if (handle_of(s) == NULL) {
		input_forget(s); /* audio came by WebSocket before */
		*sink_state(s, &bridge_sink) = handle_new(s, media, ours);
		s->in.sources++;
	}
	if (same_languages(handle_of(s), languages))
		return;
	handle_of(s)->number++;
	handle_of(s)->languages = copy_languages(handle_of(s)->mem, languages);
	send_languages(s);
}

/* The languages as messages spell them. */
static struct list
languages_of(const struct task *t, const char *to[TASK_TARGETS])
{
	for (size_t i = 0; i < t->n_targets; i++)
		to[i] = t->targets[i].language.said;
	return (struct list){ to, t->n_targets };
}

static void
begin(struct session *s, const struct pipeline_config *w)
{
	const struct task *t = &w->task;
	const char *texts[TASK_TARGETS];
	struct list languages = languages_of(t, texts);

	if (s->gateway->bridge == NULL)
		return;
	if (t->source == TASK_WEBRTC && w->media != NULL)
		bridge_open(s, w->media, &languages, true);
	else if (s->channel == NULL)
		bridge_close(s);
}

bool
bridge_ready(const struct session *s)
{
	return handle_of(s) == NULL || handle_of(s)->ready == handle_of(s)->number;
}

static void
play(struct session *s, const struct sink_audio *a)
{
	const char *language;
	size_t n;
	struct bridge_audio *c;
	char *its;

	if (handle_of(s) == NULL || a->target < 0)
		return;
	language = a->task->targets[a->target].language.said;
	n = strlen(language) + 1;
	c = call_new(s, BRIDGE_PLAY, sizeof(*c) + n + a->packets.n);
	its = (char *)(c + 1); /* one small block: many wait for their tick */
	c->language = memcpy(its, language, n);
	c->queued = (struct queued_packets){
		.mem = c->call.message.mem, .packets.n = a->packets.n, .last = a->last
	};
	if (a->packets.n > 0)
		c->queued.packets.bytes =
		    memcpy(its + n, a->packets.bytes, a->packets.n);
	call_send(s, &c->call);
}

static void
flush(struct session *s, const struct task *t, int target)
{
	struct bridge_audio *c;

	if (handle_of(s) == NULL)
		return;
	c = call_new(s, BRIDGE_FLUSH, sizeof(*c));
	if (target >= 0)
		c->language =
		    arena_str(c->call.message.mem, t->targets[target].language.said);
	call_send(s, &c->call);
}

void
bridge_close(struct session *s)
{
	struct bridge_call *c;

	if (handle_of(s) == NULL)
		return;
	c = call_new(s, BRIDGE_LEAVE, sizeof(*c));
	arena_free(handle_of(s)->mem);
	*sink_state(s, &bridge_sink) = NULL;
	s->in.sources--;
	call_send(s, c);
}

static const char *
describe(const struct session *session, struct arena *mem, bool speaks)
{
	const struct task *t =
	    session->now != NULL ? pipeline_task(session->now->pipeline) : NULL;
	const struct rtp_bridge *bridge = session->gateway->bridge;
	const char *texts[TASK_TARGETS];
	struct list languages;
	struct buf b = { .mem = mem };
	struct json_writer j = { .out = &b };

	if (handle_of(session) == NULL || t == NULL || t->source != TASK_WEBRTC)
		return NULL;
	languages = languages_of(t, texts);
	jw_open(&j, NULL);
	bridge->driver->invite(
	    &bridge->conf, mem, handle_of(session)->name, &languages, speaks, &j);
	jw_close(&j);
	return buf_text(&b);
}

/* ---- as an output ---- */

/* The room of a session at the media server.  That of a channel is known already. */
static enum err
prepare(struct gateway *g, const struct session *session, struct pipeline_config *w)
{
	struct stream_session s;
	enum err e;

	if (w->task.source != TASK_WEBRTC || session->channel != NULL)
		return OK;
	e = session_find(g->app.db, w->mem, session->id, &s);
	w->media = e == OK ? s.room : NULL;
	return e == ERR_NOT_FOUND ? OK : e; /* deleted: it will be closed */
}

static void
leave(struct session *s)
{
	if (s->channel == NULL)
		bridge_close(s);
}

static void
tick(struct session *s, int64_t now)
{
	(void)now;
	if (s->connections == NULL && (s->closed || s->gateway->stopping))
		bridge_close(s);
}

const struct sink_ops bridge_sink = {
	.prepare = prepare,
	.begin = begin,
	.is_ready = bridge_ready,
	.play = play,
	.flush = flush,
	.leave = leave,
	.tick = tick,
	.describe = describe,
};

/* ---- messages from the RTP bridge ---- */

struct bridge_message {
	struct thread_call call;
	struct session *session;
	enum { PACKET, READY, LEFT } kind;
	int number;    /* READY: version of the languages */
	const void *p; /* PACKET: of Opus */
	size_t n;      /* bytes */
};

static void
set_ready(struct session *s, int number)
{
	if (handle_of(s) == NULL || handle_of(s)->ready == number)
		return;
	handle_of(s)->ready = number;
	slot_ready(s);
}

static void
take_message(struct gateway *g, struct thread_call *call)
{
	const struct bridge_message *m = (const struct bridge_message *)call;

	(void)g;
	switch (m->kind) {
	case PACKET:
		s2s_packet(m->session, m->p, m->n);
		break;
	case READY:
		set_ready(m->session, m->number);
		break;
	case LEFT:
		session_unref(m->session);
		break;
	}
	arena_free(call->message.mem);
}

static void
send_message(struct gateway *g, const struct bridge_message *from)
{
	struct bridge_message *m =
	    (struct bridge_message *)actor_message_new(sizeof(*m) + from->n);
	struct actor_message head = m->call.message;

	*m = *from;
	m->call = (struct thread_call){ head, take_message };
	if (m->n > 0)
		m->p = arena_dup(head.mem, from->p, m->n);
	mailbox_send(g->to_event_loop, &m->call.message);
}

void
bridge_api_packet(
    struct gateway *g, struct session *s, const unsigned char *p, size_t n)
{
	send_message(g,
	    &(struct bridge_message){ .session = s, .kind = PACKET, .p = p, .n = n });
}

void
bridge_api_ready(struct gateway *g, struct session *s, int number)
{
	send_message(g,
	    &(struct bridge_message){ .session = s, .kind = READY, .number = number });
}

void
bridge_api_left(struct gateway *g, struct session *s)
{
	send_message(g, &(struct bridge_message){ .session = s, .kind = LEFT });
}
