/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The actor that calls the media server for the RTP bridge.  It makes one call at a
 * time, so an unresponsive server blocks only one thread of the pool.
 */
#include "bridge/bridge_internal.h"

#include <netdb.h>
#include <string.h>

#include "base/log.h"

/* ---- on the pool ---- */

/* Address of the mountpoints, in the address family of the UDP socket. */
static enum err
find_host(const struct rtp_bridge *bridge, struct janus_job *j)
{
	const struct addrinfo want = { .ai_family = bridge->family,
		.ai_socktype = SOCK_DGRAM,
		.ai_flags = bridge->family == AF_INET6 ? AI_V4MAPPED : 0 };
	struct addrinfo *found;
	int how = getaddrinfo(j->sound.to_host, NULL, &want, &found);

	if (how != 0) {
		log_warn("%s: %s", j->sound.to_host, gai_strerror(how));
		return ERR_TIMEOUT;
	}
	memcpy(&j->to, found->ai_addr, found->ai_addrlen);
	j->to_size = found->ai_addrlen;
	freeaddrinfo(found);
	return OK;
}

static void
run_job(void *self, struct actor_message *message)
{
	struct rtp_bridge *bridge = self;
	struct janus_job *j = (struct janus_job *)message;

	if (j->destroy)
		j->how =
		    bridge->driver->destroy(&bridge->conf, message->mem, j->sound.name);
	else if ((j->how = bridge->driver->attach(
		      &bridge->conf, message->mem, &j->sound)) == OK)
		j->how = find_host(bridge, j);
	mailbox_send(bridge->calls, &j->call.message);
}

static void
end(void *self)
{
	(void)self;
}

struct actor *
janus_caller_new(struct rtp_bridge *bridge)
{
	return actor_new(bridge->gateway->pool, bridge, run_job, end);
}

/* ---- on the RTP bridge's thread ---- */

void
janus_caller_send(struct rtp_bridge *bridge, struct bridge_room *room, bool destroy)
{
	struct janus_job *j = ACTOR_MESSAGE(struct janus_job);
	struct arena *mem = j->call.message.mem;
	struct list *of = &j->sound.languages;
	const char **to;

	j->call.kind = BRIDGE_JOB_DONE;
	j->call.room = room;
	j->destroy = destroy;
	j->number = room->sent = room->wanted;
	j->sound = (struct broadcast_sound){ .name = arena_str(mem, room->name),
		.ours = room->ours,
		.host = bridge->conf.janus_rtp_host,
		.port = bridge->port,
		.ssrc = room->ssrc };
	for (const struct output_track *t = room->tracks; t != NULL; t = t->next)
		of->n++;
	of->items = to = arena_alloc(mem, (of->n + 1) * sizeof(*to));
	for (const struct output_track *t = room->tracks; t != NULL; t = t->next)
		*to++ = arena_str(mem, t->language);
	room->busy = true;
	actor_send(bridge->janus_caller, &j->call.message);
}
