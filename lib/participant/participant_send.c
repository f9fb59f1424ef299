/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Responses of signalling. */
#include "participant/participant_internal.h"

#include "base/clock.h"
#include "participant/ice_servers.h"

void
participant_send_to(struct websocket *to, const struct buf *b)
{
	struct shared_buffer *message = shared_buffer_binary(b->p, b->len);

	websocket_send(to, message, 0);
	shared_buffer_drop(message);
}

void
participant_send(struct participant *p, const struct buf *b)
{
	if (p->signal == NULL)
		return;
	participant_send_to(p->signal->websocket, b);
	participant_check(p); /* the client may not read it */
}

/* The client itself, as the others would see it. */
static struct signal_participant
self_of(const struct participant *p)
{
	const struct signal_params *it = p->params;

	return (struct signal_participant){ .sid = p->sid,
		.identity = it->identity,
		.name = it->name,
		.metadata = it->metadata,
		.attributes = it->attributes,
		.tracks = &p->microphone,
		.n_tracks = p->microphone.sid != NULL,
		.joined_ms = p->joined_ms,
		.version = p->version,
		.can_subscribe = it->subscribes,
		.can_publish = it->publishes,
		.can_publish_data = it->sends_data,
		.hidden = it->hidden,
		.is_publisher = p->microphone.sid != NULL };
}

void
participant_send_join(struct participant *p)
{
	struct session *s = p->connection->session;
	const struct translator *t = translator_of(s);
	struct arena *mem = arena_new();
	struct buf b = { .mem = mem };
	struct signal_participant self = self_of(p),
				  translator = translator_info(s, mem);
	struct signal_join join = { .room_sid = t->room_sid,
		.room_name = t->room,
		.created_s = t->made_ms / 1000,
		.self = &self,
		.translator = &translator,
		.subscriber_primary = p->params->subscribes };

	join.ice_servers =
	    ice_servers(p->gateway->conf, mem, p->sid, &join.n_ice_servers);
	p->told_version = t->version;
	signal_write_join(&b, &join);
	participant_send(p, &b);
	arena_free(mem);
}

void
participant_send_reconnect(struct participant *p)
{
	struct arena *mem = arena_new();
	struct buf b = { .mem = mem };
	size_t n;
	const struct signal_ice_server *servers =
	    ice_servers(p->gateway->conf, mem, p->sid, &n);

	signal_write_reconnect(&b, servers, n);
	participant_send(p, &b);
	arena_free(mem);
}

static void
send_update(struct participant *p, const struct signal_participant *of)
{
	struct arena *mem = arena_new();
	struct buf b = { .mem = mem };

	signal_write_update(&b, of);
	participant_send(p, &b);
	arena_free(mem);
}

void
participant_send_self(struct participant *p)
{
	struct signal_participant self;

	p->version++;
	self = self_of(p);
	send_update(p, &self);
}

void
participant_send_translator(struct participant *p)
{
	struct arena *mem = arena_new();
	struct signal_participant translator =
	    translator_info(p->connection->session, mem);

	p->told_version = translator_is(p->connection->session)->version;
	send_update(p, &translator);
	arena_free(mem);
}

void
participant_send_description(
    struct participant *p, const char *type, const struct buf *sdp, uint32_t id)
{
	struct arena *mem = arena_new();
	struct buf b = { .mem = mem };

	signal_write_description(&b, type, sdp->p, sdp->len, id);
	participant_send(p, &b);
	arena_free(mem);
}

void
participant_send_leave(struct participant *p, enum signal_leave_reason reason,
    enum signal_leave_action action)
{
	static const char *const reasons[] = {
		[SIGNAL_CLIENT_INITIATED] = "done",
		[SIGNAL_DUPLICATE_IDENTITY] = "replaced",
		[SIGNAL_SERVER_SHUTDOWN] = "shutdown",
		[SIGNAL_PARTICIPANT_REMOVED] = "removed",
		[SIGNAL_ROOM_DELETED] = "room deleted",
		[SIGNAL_STATE_MISMATCH] = "state mismatch",
		[SIGNAL_JOIN_FAILURE] = "join failure",
	};
	struct arena *mem = arena_new();
	struct buf b = { .mem = mem };

	if (p->signal != NULL && !p->leaving) {
		signal_write_leave(&b, reason, action);
		participant_send(p, &b);
		websocket_end_for(p->signal->websocket,
		    reason == SIGNAL_SERVER_SHUTDOWN ? 1001 : 1000, reasons[reason]);
	}
	if (!p->leaving)
		participant_check(p);
	p->leaving = true;
	arena_free(mem);
}
