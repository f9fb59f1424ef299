/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Tracks on the media thread. Each packet is encoded once. For each link that receives
 * the track, only its RTP header is written, and it is encrypted.
 */
#include "participant/webrtc_internal.h"

#include "base/hash.h"

void
webrtc_track_send(
    struct webrtc_link *l, struct webrtc_track *t, const struct webrtc_sender *as)
{
	struct arena *mem = arena_small(sizeof(struct webrtc_subscription));
	struct webrtc_subscription *ear = arena_alloc(mem, sizeof(*ear));

	*ear = (struct webrtc_subscription){ .mem = mem,
		.next = t->ears,
		.at = &t->ears,
		.next_of_link = l->ears,
		.track = t,
		.link = l,
		.ssrc = as->ssrc,
		.payload_type = as->payload_type };
	random_bytes(&ear->seq, sizeof(ear->seq));
	if (ear->next != NULL)
		ear->next->at = &ear->next;
	t->ears = l->ears = ear;
	if (l->peer != NULL)
		rtc_peer_report(l->peer, as->ssrc, as->cname, true);
}

static void
free_ear(struct webrtc_subscription *ear)
{
	*ear->at = ear->next;
	if (ear->next != NULL)
		ear->next->at = ear->at;
	arena_free(ear->mem);
}

void
webrtc_track_stop(struct webrtc_link *l, uint32_t ssrc)
{
	struct webrtc_subscription **at = &l->ears, *ear;

	while ((ear = *at) != NULL && ear->ssrc != ssrc)
		at = &ear->next_of_link;
	if (ear == NULL)
		return;
	*at = ear->next_of_link;
	free_ear(ear);
	if (l->peer != NULL)
		rtc_peer_report(l->peer, ssrc, NULL, false);
}

/* The marker is set on the first packet after a pause (RFC 3551, 4.1). */
static void
send_packet(struct webrtc_track *t, const struct opus_packet *packet, int64_t tick)
{
	struct rtp_packet r = { .marker = t->last_tick != tick - 1,
		.ts = t->first_ts + (uint32_t)(tick * (RTP_HZ / 1000 * RTP_FRAME_MS)),
		.p = packet->bytes,
		.n = packet->n };

	t->last_tick = tick;
	for (struct webrtc_subscription *ear = t->ears; ear != NULL; ear = ear->next) {
		r.ssrc = ear->ssrc;
		r.type = ear->payload_type;
		r.seq = ear->seq++;
		if (ear->link->peer != NULL)
			rtc_peer_send(ear->link->peer, &r);
	}
}

void
webrtc_track_free(struct webrtc_track *t)
{
	packet_queue_free(&t->queue);
	arena_free(t->mem);
}

bool
webrtc_track_tick(struct webrtc_track *t, int64_t tick)
{
	struct opus_packet packet;

	if (packet_queue_due(&t->queue, &packet)) {
		send_packet(t, &packet, tick);
		return true;
	}
	if (!t->ended)
		return true;
	webrtc_track_free(t);
	return false;
}
