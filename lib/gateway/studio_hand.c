/*
 * The actor that asks the media server for what the studio needs, one call after the
 * other, so that one that is silent keeps a single thread of the pool.
 */
#include "gateway/studio_room.h"

#include <netdb.h>
#include <string.h>

#include "base/log.h"

/* ---- on the pool ---- */

/* Where mountpoints are, in the form of our own socket. */
static enum err
find_host(const struct studio *s, struct hand_job *j)
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
read_job(void *self, struct letter *l)
{
	struct studio *s = self;
	struct hand_job *j = (struct hand_job *)l;

	if (j->drop)
		j->how = s->driver->destroy(&s->conf, l->mem, j->sound.name);
	else if ((j->how = s->driver->attach(&s->conf, l->mem, &j->sound)) == OK)
		j->how = find_host(s, j);
	cue_send(s, &j->cue, studio_done);
}

static void
forget(void *self)
{
	(void)self;
}

struct actor *
hand_new(struct studio *s)
{
	return actor_new(s->gate->pool, s, read_job, forget);
}

/* ---- on the studio's thread ---- */

static struct hand_job *
job_for(struct studio *s, struct booth *b)
{
	struct hand_job *j = CUE(struct hand_job);
	struct arena *mem = j->cue.letter.mem;

	j->studio = s;
	j->booth = b;
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
hand_attach(struct studio *s, struct booth *b)
{
	struct hand_job *j = job_for(s, b);
	struct arena *mem = j->cue.letter.mem;
	struct list *of = &j->sound.languages;
	const char **to;

	for (const struct lane *l = b->lanes; l != NULL; l = l->next)
		of->n++;
	of->items = to = arena_alloc(mem, (of->n + 1) * sizeof(*to));
	for (const struct lane *l = b->lanes; l != NULL; l = l->next)
		*to++ = arena_str(mem, l->language);
	actor_send(s->hand, &j->cue.letter);
}

void
hand_drop(struct studio *s, struct booth *b)
{
	struct hand_job *j = job_for(s, b);

	j->drop = true;
	actor_send(s->hand, &j->cue.letter);
}
