/* Bridge rooms: their languages, and when to call the media server for them. */
#include "bridge/bridge_internal.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <string.h>

#include "base/clock.h"
#include "base/hash.h"

#define SOON_US (5 * S_US)          /* since the last packet */
#define LOOK_US (20 * S_US)         /* then between two attach calls */
#define CHANNEL_POLL_US (60 * S_US) /* for a channel: a lost one gets a new name */
#define AGAIN_US (5 * S_US)         /* after a failed attach */
#define DRAIN_US (30 * S_US)        /* playout after the session left, at most */

/* ---- rooms ---- */

static struct output_track *
output_track_of(const struct bridge_room *b, const char *language)
{
	struct output_track *l = b->tracks;

	while (l != NULL && strcmp(l->language, language) != 0)
		l = l->next;
	return l;
}

/* Tracks of languages that stay keep their queue. */
static void
change_tracks(struct bridge_room *b, const struct list *languages)
{
	const char *const *texts = languages->items;
	struct output_track *old = b->tracks, **at = &b->tracks, *l;

	b->tracks = NULL;
	for (size_t i = 0; i < languages->n; i++) {
		struct output_track **from = &old;

		while (*from != NULL && strcmp((*from)->language, texts[i]) != 0)
			from = &(*from)->next;
		if ((l = *from) != NULL)
			*from = l->next;
		else
			l = output_track_new(texts[i]);
		l->next = NULL;
		*at = l;
		at = &l->next;
	}
	while ((l = old) != NULL) {
		old = l->next;
		output_track_free(l);
	}
}

static void
make_ssrc(struct bridge_room *b)
{
	while (b->ssrc == 0)
		random_bytes(&b->ssrc, sizeof(b->ssrc));
}

/* An older room with this name no longer controls the room at the media server. */
static void
take_name(struct rtp_bridge *s, const struct bridge_room *of)
{
	for (struct bridge_room *b = s->rooms; b != NULL; b = b->next)
		if (b != of && strcmp(b->name, of->name) == 0)
			b->replaced = true;
}

void
bridge_room_languages(struct rtp_bridge *s, struct bridge_call *c)
{
	const struct bridge_languages *l = (const struct bridge_languages *)c;
	struct bridge_room *b = l->room;

	if (!b->here) {
		make_ssrc(b);
		take_name(s, b);
		b->next = s->rooms;
		s->rooms = b;
		b->here = true;
	}
	b->wanted = l->number;
	change_tracks(b, &l->languages);
	arena_free(c->message.mem);
}

void
bridge_room_play(struct rtp_bridge *s, struct bridge_call *c)
{
	struct bridge_audio *p = (struct bridge_audio *)c;
	struct output_track *l = output_track_of(p->room, p->language);

	(void)s;
	if (l != NULL)
		output_track_put(l, p);
	else
		arena_free(c->message.mem);
}

void
bridge_room_flush(struct rtp_bridge *s, struct bridge_call *c)
{
	const struct bridge_audio *p = (const struct bridge_audio *)c;

	(void)s;
	for (struct output_track *l = p->room->tracks; l != NULL; l = l->next)
		if (p->language == NULL || strcmp(l->language, p->language) == 0)
			output_track_flush(l);
	arena_free(c->message.mem);
}

void
bridge_room_leave(struct rtp_bridge *s, struct bridge_call *c)
{
	struct bridge_room *b = ((struct bridge_audio *)c)->room;

	for (struct output_track *l = b->tracks; l != NULL; l = l->next)
		l->ended = true;
	bridge_api_left(s->gateway, b->session);
	b->session = NULL;
	b->left_us = monotonic_us();
	arena_free(c->message.mem);
}

/* ---- the media server ---- */

static void
set_address(struct bridge_room *b, const struct janus_job *j, size_t i)
{
	struct output_track *l =
	    output_track_of(b, ((const char *const *)j->sound.languages.items)[i]);
	in_port_t port = htons((uint16_t)j->sound.to_ports[i]);

	if (l == NULL)
		return;
	b->attached &= port != 0; /* a channel's mountpoint may not exist yet */
	l->to = j->to;
	l->to_size = port != 0 ? j->to_size : 0;
	if (j->to.ss_family == AF_INET6)
		((struct sockaddr_in6 *)&l->to)->sin6_port = port;
	else
		((struct sockaddr_in *)&l->to)->sin_port = port;
}

void
bridge_room_done(struct rtp_bridge *s, struct bridge_call *c)
{
	struct janus_job *j = (struct janus_job *)c;
	struct bridge_room *b = j->room;

	b->busy = false;
	b->dropped = j->drop;
	b->looked_us = monotonic_us();
	b->heard = false;
	b->attached = j->how == OK && !j->drop;
	for (size_t i = 0; j->sound.to_ports != NULL && i < j->sound.languages.n; i++)
		if (j->how == OK)
			set_address(b, j, i);
	if (j->how == OK && !j->drop && b->session != NULL)
		bridge_api_ready(s->gateway, b->session, j->number);
	arena_free(c->message.mem);
}

static bool
is_to_poll(const struct bridge_room *b, int64_t now)
{
	int64_t since_us = b->looked_us > b->heard_us ? b->looked_us : b->heard_us;
	int64_t quiet_us = b->ours ? LOOK_US : CHANNEL_POLL_US;
	int64_t patience_us = !b->attached ? AGAIN_US : b->heard ? SOON_US : quiet_us;

	return b->wanted != b->sent || now >= since_us + patience_us;
}

/* The session has left, and the queued audio is played or the deadline has passed. */
static bool
is_over(const struct rtp_bridge *s, const struct bridge_room *b, int64_t now)
{
	if (b->session != NULL || b->busy)
		return false;
	for (const struct output_track *l = b->tracks; l != NULL && !b->replaced;
	     l = l->next)
		if (output_track_has_sound(l) && now < b->left_us + DRAIN_US &&
		    !s->stopping)
			return false;
	return true;
}

static void
free_room(struct bridge_room *b)
{
	change_tracks(b, &(struct list){ NULL, 0 });
	arena_free(b->mem);
}

bool
bridge_room_tick(struct rtp_bridge *s, struct bridge_room *b, int64_t now)
{
	if (is_over(s, b, now)) {
		if (!b->ours || b->replaced || b->dropped) {
			free_room(b);
			return false;
		}
		janus_caller_drop(s, b);
	} else if (b->session != NULL && !b->busy && !b->replaced && is_to_poll(b, now))
		janus_caller_attach(s, b);
	return true;
}
