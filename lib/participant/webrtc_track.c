/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Tracks on the track threads. Each packet is encoded once. For each link that receives
 * the track, only its RTP header is written, and it is encrypted.
 */
#include "participant/webrtc_internal.h"

#include "base/clock.h"
#include "base/hash.h"

struct webrtc_call *
webrtc_call_new(enum webrtc_call_kind kind, size_t bytes)
{
	struct webrtc_call *c =
	    (struct webrtc_call *)actor_message_new(sizeof(*c) + bytes);

	c->kind = kind;
	return c;
}

/* ---- subscriptions ---- */

void
webrtc_track_send(struct track_part *t, struct webrtc_subscription *ear)
{
	struct webrtc_link *l = ear->link;

	random_bytes(&ear->seq, sizeof(ear->seq));
	ear->next_of_link = l->ears;
	l->ears = ear;
	ear->next = t->ears;
	ear->at = &t->ears;
	if (ear->next != NULL)
		ear->next->at = &ear->next;
	t->ears = ear;
	l->sender->ears++;
}

static void
leave_track(struct webrtc_subscription *ear)
{
	*ear->at = ear->next;
	if (ear->next != NULL)
		ear->next->at = ear->at;
	ear->link->sender->ears--;
}

struct webrtc_subscription *
webrtc_track_stop(struct webrtc_link *l, uint32_t ssrc)
{
	struct webrtc_subscription **at = &l->ears, *ear;

	while ((ear = *at) != NULL && ear->ssrc != ssrc)
		at = &ear->next_of_link;
	if (ear == NULL)
		return NULL;
	*at = ear->next_of_link;
	leave_track(ear);
	return ear;
}

void
webrtc_track_stop_all(struct webrtc_link *l)
{
	for (struct webrtc_subscription *ear = l->ears; ear != NULL;
	     ear = ear->next_of_link)
		leave_track(ear);
}

/* ---- packets ---- */

/* The connection of a route by TCP belongs to the media thread. */
static void
forward_packet(struct webrtc_link *l, const struct rtp_packet *r)
{
	struct webrtc_call *c = webrtc_call_new(MEDIA_FORWARD, TRANSPORT_MOST);
	unsigned char *bytes = arena_alloc(c->message.mem, TRANSPORT_MOST);

	c->link = l;
	c->bytes = bytes;
	c->n = rtc_route_protect(&l->route, r, bytes);
	mailbox_send(l->thread->calls, &c->message);
}

static void
send_to(struct webrtc_subscription *ear, struct rtp_packet *r, int64_t now)
{
	struct webrtc_link *l = ear->link;

	r->ssrc = ear->ssrc;
	r->type = ear->payload_type;
	r->seq = ear->seq++;
	if (!rtc_route_is_open(&l->route, now))
		return;
	ear->greeted = true;
	if (l->route.fd >= 0)
		rtc_sender_put(l->sender->sender, &l->route, r);
	else
		forward_packet(l, r);
	rtc_sent_count(&ear->sent, r, now);
}

static struct rtp_packet
packet_at(const struct track_part *t, const struct opus_packet *packet, int64_t tick)
{
	return (
	    struct rtp_packet){ .ts = t->track->first_ts +
				      (uint32_t)(tick * (RTP_HZ / 1000 * RTP_FRAME_MS)),
		.p = packet->bytes,
		.n = packet->n };
}

/* Each link is somewhere else in memory, so fetch those that follow meanwhile. */
static void
prefetch(const struct webrtc_subscription *ear)
{
	const struct webrtc_subscription *next = ear->next;

	if (next == NULL)
		return;
	rtc_route_prefetch(&next->link->route);
	if ((next = next->next) == NULL)
		return;
	__builtin_prefetch(&next->link->route);
	__builtin_prefetch(next->next);
}

/* The marker is set on the first packet after a pause (RFC 3551, 4.1). */
static void
send_packet(struct track_part *t, const struct opus_packet *packet, int64_t tick)
{
	struct rtp_packet r = packet_at(t, packet, tick);
	int64_t now = monotonic_us();

	r.marker = t->last_tick != tick - 1;
	t->last_tick = tick;
	for (struct webrtc_subscription *ear = t->ears; ear != NULL; ear = ear->next) {
		prefetch(ear);
		send_to(ear, &r, now);
	}
}

/*
 * Send a packet of silence to those that got none yet: some players know a track only
 * by its first packet, and leave if none comes within seconds.
 */
static void
greet(struct track_part *t, int64_t tick)
{
	const struct opus_packet silence = opus_packets_silence();
	struct rtp_packet r = packet_at(t, &silence, tick);
	int64_t now = monotonic_us();

	r.marker = true;
	for (struct webrtc_subscription *ear = t->ears; ear != NULL && !ear->greeted;
	     ear = ear->next)
		send_to(ear, &r, now);
}

void
webrtc_track_free(struct track_part *t)
{
	struct webrtc_track *whole = t->track;

	packet_queue_free(&t->queue);
	if (atomic_fetch_sub(&whole->left, 1) == 1)
		arena_free(whole->mem);
}

bool
webrtc_track_has_sound(const struct track_part *t)
{
	return t->ended || packet_queue_has_sound(&t->queue) ||
	       (t->ears != NULL && !t->ears->greeted);
}

bool
webrtc_track_tick(struct track_part *t, int64_t tick)
{
	struct opus_packet packet;

	if (packet_queue_due(&t->queue, &packet)) {
		send_packet(t, &packet, tick);
		return true;
	}
	greet(t, tick);
	if (!t->ended)
		return true;
	webrtc_track_free(t);
	return false;
}
