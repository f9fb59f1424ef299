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
find_host(const struct rtp_bridge *s, struct janus_job *j)
{
	const struct addrinfo want = { .ai_family = s->family,
		.ai_socktype = SOCK_DGRAM,
		.ai_flags = s->family == AF_INET6 ? AI_V4MAPPED : 0 };
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
read_job(void *self, struct actor_message *l)
{
	struct rtp_bridge *s = self;
	struct janus_job *j = (struct janus_job *)l;

	if (j->drop)
		j->how = s->driver->destroy(&s->conf, l->mem, j->sound.name);
	else if ((j->how = s->driver->attach(&s->conf, l->mem, &j->sound)) == OK)
		j->how = find_host(s, j);
	bridge_call_send(s, &j->call, bridge_room_done);
}

static void
forget(void *self)
{
	(void)self;
}

struct actor *
janus_caller_new(struct rtp_bridge *s)
{
	return actor_new(s->gateway->pool, s, read_job, forget);
}

/* ---- on the RTP bridge's thread ---- */

static struct janus_job *
job_for(struct rtp_bridge *s, struct bridge_room *b)
{
	struct janus_job *j = BRIDGE_CALL(struct janus_job);
	struct arena *mem = j->call.message.mem;

	j->bridge = s;
	j->room = b;
	j->number = b->sent = b->wanted;
	j->sound = (struct broadcast_sound){ .name = arena_str(mem, b->name),
		.ours = b->ours,
		.host = s->conf.janus_rtp_host,
		.port = s->port,
		.ssrc = b->ssrc };
	b->busy = true;
	return j;
}

void
janus_caller_attach(struct rtp_bridge *s, struct bridge_room *b)
{
	struct janus_job *j = job_for(s, b);
	struct arena *mem = j->call.message.mem;
	struct list *of = &j->sound.languages;
	const char **to;

	for (const struct output_track *l = b->tracks; l != NULL; l = l->next)
		of->n++;
	of->items = to = arena_alloc(mem, (of->n + 1) * sizeof(*to));
	for (const struct output_track *l = b->tracks; l != NULL; l = l->next)
		*to++ = arena_str(mem, l->language);
	actor_send(s->janus_caller, &j->call.message);
}

void
janus_caller_drop(struct rtp_bridge *s, struct bridge_room *b)
{
	struct janus_job *j = job_for(s, b);

	j->drop = true;
	actor_send(s->janus_caller, &j->call.message);
}
