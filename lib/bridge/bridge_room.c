/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Bridge rooms: their languages, and when to call the media server for them. */
#include "bridge/bridge_internal.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <string.h>

#include "base/clock.h"
#include "base/hash.h"

/* time since the last packet in which attach calls are frequent */
#define SOON_US (5 * S_US)
#define POLL_US (20 * S_US) /* later time between two attach calls */
/* time for a channel, whose room gets a new name when it is lost */
#define CHANNEL_POLL_US (60 * S_US)
#define AGAIN_US (5 * S_US)  /* time after a failed attach */
#define DRAIN_US (30 * S_US) /* playout after the session left, at most */

void
bridge_report_send(const struct rtp_bridge *bridge, const struct bridge_message *from)
{
	struct bridge_message *m =
	    (struct bridge_message *)actor_message_new(sizeof(*m) + from->n);
	struct actor_message head = m->call.message;

	*m = *from;
	m->call = (struct thread_call){ head, bridge->report };
	if (m->n > 0)
		m->packet = arena_dup(head.mem, from->packet, m->n);
	mailbox_send(bridge->gateway->to_event_loop, &m->call.message);
}

/* ---- rooms ---- */

static struct output_track *
output_track_of(const struct bridge_room *room, const char *language)
{
	struct output_track *t = room->tracks;

	while (t != NULL && strcmp(t->language, language) != 0)
		t = t->next;
	return t;
}

static struct output_track *
new_track(const char *language)
{
	struct arena *mem = arena_new();
	struct output_track *t = arena_alloc(mem, sizeof(*t));

	t->mem = mem;
	t->language = arena_str(mem, language);
	random_bytes(&t->source, sizeof(t->source));
	t->source.last_tick = -1;
	return t;
}

/*
 * Change the tracks to these languages. The tracks of languages that stay keep their
 * queues.
 */
static void
change_tracks(struct bridge_room *room, const struct list *languages)
{
	const char *const *texts = languages->items;
	struct output_track *old = room->tracks, **at = &room->tracks, *t;

	room->tracks = NULL;
	for (size_t i = 0; i < languages->n; i++) {
		struct output_track **from = &old;

		while (*from != NULL && strcmp((*from)->language, texts[i]) != 0)
			from = &(*from)->next;
		if ((t = *from) != NULL)
			*from = t->next;
		else
			t = new_track(texts[i]);
		t->next = NULL;
		*at = t;
		at = &t->next;
	}
	while ((t = old) != NULL) {
		old = t->next;
		packet_queue_free(&t->queue);
		arena_free(t->mem);
	}
}

static void
make_ssrc(struct bridge_room *room)
{
	while (room->ssrc == 0)
		random_bytes(&room->ssrc, sizeof(room->ssrc));
}

/* An older room with this name no longer controls the room at the media server. */
static void
claim_name(struct rtp_bridge *bridge, const struct bridge_room *of)
{
	for (struct bridge_room *old = bridge->rooms; old != NULL; old = old->next)
		if (old != of && strcmp(old->name, of->name) == 0)
			old->replaced = true;
}

static void
set_languages(struct rtp_bridge *bridge, struct bridge_room *room,
    const struct bridge_languages *c)
{
	if (!room->listed) {
		make_ssrc(room);
		claim_name(bridge, room);
		room->next = bridge->rooms;
		bridge->rooms = room;
		room->listed = true;
	}
	room->wanted = c->number;
	change_tracks(room, &c->languages);
}

/* The track keeps the call until its audio is sent. */
static void
queue_audio(struct bridge_room *room, struct bridge_audio *c)
{
	struct output_track *t = output_track_of(room, c->language);

	if (t != NULL)
		packet_queue_put(&t->queue, &c->queued);
	else
		arena_free(c->call.message.mem);
}

static void
flush(struct bridge_room *room, const char *language)
{
	for (struct output_track *t = room->tracks; t != NULL; t = t->next)
		if (language == NULL || strcmp(t->language, language) == 0)
			packet_queue_flush(&t->queue);
}

static void
leave(struct rtp_bridge *bridge, struct bridge_room *room)
{
	for (struct output_track *t = room->tracks; t != NULL; t = t->next)
		packet_queue_end(&t->queue);
	bridge_report_send(bridge,
	    &(struct bridge_message){ .kind = BRIDGE_LEFT, .session = room->session });
	room->session = NULL;
	room->left_us = monotonic_us();
}

/* ---- the media server ---- */

static void
set_address(struct bridge_room *room, const struct janus_job *j, size_t i)
{
	struct output_track *t =
	    output_track_of(room, ((const char *const *)j->sound.languages.items)[i]);
	in_port_t port = htons((uint16_t)j->sound.to_ports[i]);

	if (t == NULL)
		return;
	room->attached &= port != 0; /* a channel's mountpoint may not exist yet */
	t->to = j->to;
	t->to_size = port != 0 ? j->to_size : 0;
	if (j->to.ss_family == AF_INET6)
		((struct sockaddr_in6 *)&t->to)->sin6_port = port;
	else
		((struct sockaddr_in *)&t->to)->sin_port = port;
}

static void
end_job(struct rtp_bridge *bridge, struct bridge_room *room, const struct janus_job *j)
{
	room->busy = false;
	room->destroyed = j->destroy;
	room->job_us = monotonic_us();
	room->heard = false;
	room->attached = j->how == OK && !j->destroy;
	for (size_t i = 0; j->sound.to_ports != NULL && i < j->sound.languages.n; i++)
		if (j->how == OK)
			set_address(room, j, i);
	if (j->how == OK && !j->destroy && room->session != NULL)
		bridge_report_send(
		    bridge, &(struct bridge_message){ .kind = BRIDGE_READY,
				.session = room->session,
				.number = j->number });
}

static bool
is_due(const struct bridge_room *room, int64_t now)
{
	int64_t since_us =
	    room->job_us > room->packet_us ? room->job_us : room->packet_us;
	int64_t quiet_us = room->ours ? POLL_US : CHANNEL_POLL_US;
	int64_t wait_us = !room->attached ? AGAIN_US : room->heard ? SOON_US : quiet_us;

	return room->wanted != room->sent || now >= since_us + wait_us;
}

/*
 * True when the session has left, and the queued audio is played or the deadline has
 * passed.
 */
static bool
is_over(const struct rtp_bridge *bridge, const struct bridge_room *room, int64_t now)
{
	if (room->session != NULL || room->busy)
		return false;
	for (const struct output_track *t = room->tracks; t != NULL && !room->replaced;
	     t = t->next)
		if (packet_queue_has_sound(&t->queue) &&
		    now < room->left_us + DRAIN_US && !bridge->stopping)
			return false;
	return true;
}

static void
free_room(struct bridge_room *room)
{
	change_tracks(room, &(struct list){ NULL, 0 });
	arena_free(room->mem);
}

bool
bridge_room_tick(struct rtp_bridge *bridge, struct bridge_room *room, int64_t now)
{
	if (is_over(bridge, room, now)) {
		if (!room->ours || room->replaced || room->destroyed) {
			free_room(room);
			return false;
		}
		janus_caller_send(bridge, room, true);
	} else if (room->session != NULL && !room->busy && !room->replaced &&
		   is_due(room, now))
		janus_caller_send(bridge, room, false);
	return true;
}

/* ---- calls ---- */

void
bridge_room_call(struct rtp_bridge *bridge, struct bridge_call *c)
{
	switch (c->kind) {
	case BRIDGE_LANGUAGES:
		set_languages(bridge, c->room, (const struct bridge_languages *)c);
		break;
	case BRIDGE_PLAY:
		queue_audio(c->room, (struct bridge_audio *)c);
		return;
	case BRIDGE_FLUSH:
		flush(c->room, ((const struct bridge_audio *)c)->language);
		break;
	case BRIDGE_LEAVE:
		leave(bridge, c->room);
		break;
	case BRIDGE_JOB_DONE:
		end_job(bridge, c->room, (const struct janus_job *)c);
		break;
	}
	arena_free(c->message.mem);
}
