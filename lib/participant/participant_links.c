/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The two peer connections of a participant. */
#include "participant/participant_internal.h"

#include "base/hash.h"
#include "base/log.h"

/* ---- links ---- */

static void
receive_state(
    void *owner, enum rtc_state state, enum webrtc_failure failure, const char *words)
{
	struct participant_half *half = owner;
	struct participant *p = half->of;
	bool was = half->connected;

	half->connected = state == RTC_CONNECTED;
	p->was_connected |= half->connected;
	if (state != RTC_FAILED)
		return;
	half->failed = true;
	participant_check(p);
	log_info("participant %s: %s", p->sid, words);
	if (failure == MEDIA_TOO_SLOW)
		participant_transport.end(p, CLOSE_SLOW);
	else if (!was)
		participant_send_leave(p, SIGNAL_JOIN_FAILURE, SIGNAL_RECONNECT);
	else
		participant_send_leave(p, SIGNAL_STATE_MISMATCH, SIGNAL_RECONNECT);
}

static void
receive_packet(void *owner, const void *bytes, size_t n)
{
	const struct participant_half *half = owner;
	const struct participant *p = half->of;

	if (half == &p->publisher && p->connection != NULL &&
	    p->microphone.sid != NULL && connection_speaks(p->connection) &&
	    !p->microphone.muted)
		s2s_packet(p->connection->session, bytes, n);
}

static void
receive_channel(void *owner, const char *label)
{
	participant_channel(owner, label);
}

static void
receive_data(void *owner, const char *label, const void *bytes, size_t n)
{
	struct participant_half *half = owner;

	(void)label;
	participant_data(half->of, bytes, n);
}

static void
receive_loss(void *owner, uint32_t ssrc, int percent)
{
	const struct participant_half *half = owner;
	struct participant *p = half->of;

	for (size_t i = 0; i < p->n_sections; i++)
		if (p->sections[i].ssrc == ssrc)
			p->sections[i].loss = percent > 100 ? 100 : percent;
}

static const struct webrtc_events events = { .state = receive_state,
	.packet = receive_packet,
	.channel = receive_channel,
	.message = receive_data,
	.loss = receive_loss };

void
participant_open_link(struct participant *p, struct participant_half *half)
{
	if (half->link != NULL)
		return;
	half->of = p;
	random_bytes(&half->local.id, sizeof(half->local.id));
	half->local.id >>= 1;
	ice_credentials_new(&half->local.ice);
	half->local.fingerprint = webrtc_fingerprint(p->gateway->webrtc_thread);
	half->local.candidates = webrtc_candidates(
	    p->gateway->webrtc_thread, p->mem, &half->local.n_candidates);
	half->link = webrtc_link_open(
	    p->gateway, &events, half, &half->local.ice, half == &p->subscriber);
}

static void
close_one(struct participant *p, struct participant_half *half)
{
	struct arena *mem = arena_new();

	if (half->link != NULL)
		webrtc_link_close(half->link,
		    arena_printf(mem, "%s (%s %s, %s)", p->sid, p->params->sdk,
			p->params->version,
			half == &p->publisher ? "publisher" : "subscriber"));
	half->link = NULL;
	arena_free(mem);
}

void
participant_close_links(struct participant *p)
{
	close_one(p, &p->publisher);
	close_one(p, &p->subscriber);
}
