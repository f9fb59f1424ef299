/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Tracks on the media thread. Each packet is encoded once. For each link that receives
 * the track, only its RTP header is written, and it is encrypted.
 */
#include "participant/media_internal.h"

#include "base/hash.h"

void
media_track_send(
    struct media_link *l, struct media_track *t, uint32_t ssrc, const char *cname)
{
	struct arena *mem = arena_small(sizeof(struct media_ear));
	struct media_ear *ear = arena_alloc(mem, sizeof(*ear));

	*ear = (struct media_ear){ .mem = mem,
		.next = t->ears,
		.at = &t->ears,
		.next_of_link = l->ears,
		.track = t,
		.link = l,
		.ssrc = ssrc };
	random_bytes(&ear->seq, sizeof(ear->seq));
	if (ear->next != NULL)
		ear->next->at = &ear->next;
	t->ears = l->ears = ear;
	if (l->peer != NULL)
		rtc_peer_report(l->peer, ssrc, cname, true);
}

static void
free_ear(struct media_ear *ear)
{
	*ear->at = ear->next;
	if (ear->next != NULL)
		ear->next->at = ear->at;
	arena_free(ear->mem);
}

void
media_track_deaf(struct media_link *l, uint32_t ssrc)
{
	struct media_ear **at = &l->ears, *ear;

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
send_packet(struct media_track *t, const struct opus_packet *packet, int64_t tick)
{
	struct rtp_packet r = { .type = RTP_OPUS,
		.marker = t->last_tick != tick - 1,
		.ts = t->first_ts + (uint32_t)(tick * (RTP_HZ / 1000 * RTP_FRAME_MS)),
		.p = packet->bytes,
		.n = packet->n };

	t->last_tick = tick;
	for (struct media_ear *ear = t->ears; ear != NULL; ear = ear->next) {
		r.ssrc = ear->ssrc;
		r.seq = ear->seq++;
		if (ear->link->peer != NULL)
			rtc_peer_send(ear->link->peer, &r);
	}
}

void
media_track_free(struct media_track *t)
{
	packet_queue_free(&t->queue);
	arena_free(t->mem);
}

bool
media_track_tick(struct media_track *t, int64_t tick)
{
	struct opus_packet packet;

	if (packet_queue_due(&t->queue, &packet)) {
		send_packet(t, &packet, tick);
		return true;
	}
	if (!t->ended)
		return true;
	media_track_free(t);
	return false;
}
