/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Requests of signalling. */
#include "participant/participant_internal.h"

#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/log.h"

#define REQUEST_RESPONSES 15 /* first protocol with request_response */

/* ---- descriptions ---- */

/*
 * Begin an ICE restart if the credentials differ from those of the last offer.
 */
static void
follow_restart(struct participant_half *half, const struct sdp *offer)
{
	bool restarts = half->remote_ufrag[0] != '\0' &&
			strcmp(half->remote_ufrag, offer->ufrag) != 0;

	memcpy(half->remote_ufrag, offer->ufrag, sizeof(half->remote_ufrag));
	if (!restarts)
		return;
	ice_credentials_new(&half->local.ice);
	webrtc_link_restart(half->link, &half->local.ice);
}

/* A track without a section has been unpublished. */
static void
follow_track(struct participant *p, const struct sdp_section *received)
{
	if (received->opus >= 0) {
		webrtc_link_receive(p->publisher.link, received->opus, received->ssrc);
		p->received = true;
	} else if (p->received) {
		p->received = false;
		p->microphone = (struct signal_track){ 0 };
	}
}

static void
handle_offer(struct participant *p, const struct signal_description *d)
{
	struct participant_half *half = &p->publisher;
	struct sdp_section received;
	struct arena *mem;
	struct buf b;
	struct sdp *offer;

	if (!limit_admit(&p->limits[LIMIT_OFFERS], LIMIT_OFFERS, monotonic_us()) ||
	    (!p->params->publishes && !p->params->sends_data)) {
		log_info("participant %s: an offer is not answered", p->sid);
		return;
	}
	mem = arena_new();
	b = (struct buf){ .mem = mem };
	offer = arena_alloc(mem, sizeof(*offer));
	if (sdp_read(d->sdp, d->n, offer)) {
		participant_open_link(p, half);
		follow_restart(half, offer);
		half->local.version++;
		sdp_write_answer(&b, &half->local, offer, NULL, &received);
		webrtc_link_remote(half->link, offer);
		if (p->params->publishes)
			follow_track(p, &received);
		participant_send_description(p, "answer", &b, d->id);
	} else
		log_info("participant %s: its offer cannot be read", p->sid);
	arena_free(mem);
}

/* Browsers answer "active"; pion answers "passive" to an offer of a lite agent. */
static bool
has_role(const struct sdp *answer)
{
	return strcmp(answer->setup, "active") == 0 ||
	       strcmp(answer->setup, "passive") == 0;
}

static void
handle_answer(struct participant *p, const struct signal_description *d)
{
	struct arena *mem;
	struct sdp *answer;

	if (p->subscriber.link == NULL || p->offered_us == 0 ||
	    (d->id != 0 && d->id != p->offer_id))
		return;
	mem = arena_new();
	answer = arena_alloc(mem, sizeof(*answer));
	if (!sdp_read(d->sdp, d->n, answer) || !has_role(answer)) {
		log_info("participant %s: its answer cannot be used", p->sid);
		participant_send_leave(p, SIGNAL_JOIN_FAILURE, SIGNAL_DISCONNECT);
	} else {
		webrtc_link_remote(p->subscriber.link, answer);
		participant_answered(p, answer);
	}
	arena_free(mem);
}

/* ---- tracks of the client ---- */

static void
refuse_track(struct participant *p, const struct signal_add_track *t,
    enum signal_refusal refusal, const char *message)
{
	struct arena *mem = arena_new();
	struct buf b = { .mem = mem };

	if (p->params->protocol >= REQUEST_RESPONSES) {
		signal_write_refusal(&b, 0, refusal, message, t);
		participant_send(p, &b);
	}
	arena_free(mem);
}

static void
publish(struct participant *p, const struct signal_add_track *t)
{
	struct arena *mem = arena_new();
	struct buf b = { .mem = mem };
	sid_new(p->microphone_sid, "TR_");
	snprintf(p->microphone_name, sizeof(p->microphone_name), "%s", t->name);
	p->microphone = (struct signal_track){ .sid = p->microphone_sid,
		.name = p->microphone_name,
		.muted = t->muted,
		.source = (enum signal_source)t->source };
	p->version++;
	signal_write_track_published(&b, t->cid, &p->microphone);
	participant_send(p, &b);
	arena_free(mem);
}

static void
add_track(struct participant *p, const struct signal_add_track *t)
{
	if (t->type != SIGNAL_AUDIO)
		refuse_track(p, t, SIGNAL_UNSUPPORTED_TYPE, "only audio is accepted");
	else if (!p->params->publishes ||
		 (t->source == SIGNAL_SOURCE_MICROPHONE && !p->params->microphone))
		refuse_track(p, t, SIGNAL_NOT_ALLOWED, "this token may only listen");
	else if (p->microphone.sid != NULL)
		refuse_track(p, t, SIGNAL_NOT_ALLOWED, "only one track is accepted");
	else if (t->encryption != 0)
		refuse_track(
		    p, t, SIGNAL_NOT_ALLOWED, "encrypted tracks cannot be translated");
	else
		publish(p, t);
}

static void
mute(struct participant *p, const struct signal_request *r)
{
	const char *const *sids = r->sids.items;

	if (p->microphone.sid == NULL || r->sids.n == 0 ||
	    strcmp(sids[0], p->microphone.sid) != 0 || p->microphone.muted == r->on)
		return;
	p->microphone.muted = r->on;
	participant_send_self(p);
}

/* ---- tracks of the translator ---- */

static void
choose(struct participant *p, const struct signal_request *r)
{
	const char *const *sids = r->sids.items;

	for (size_t i = 0; i < r->sids.n; i++)
		if (r->kind == SIGNAL_SUBSCRIPTION)
			participant_choose(p, sids[i], r->on);
		else
			participant_disable(p, sids[i], r->on);
	participant_review_tracks(p);
}

/* ---- the rest ---- */

static void
send_pong(struct participant *p, const struct signal_request *r)
{
	struct arena *mem = arena_new();
	struct buf b = { .mem = mem };
	int64_t now_ms = now_us() / 1000;

	if (r->kind == SIGNAL_PING)
		signal_write_pong(&b, now_ms);
	else
		signal_write_pong_resp(&b, r->time_ms, now_ms);
	participant_send(p, &b);
	arena_free(mem);
}

static void
refuse_update(struct participant *p, uint32_t request_id)
{
	struct arena *mem = arena_new();
	struct buf b = { .mem = mem };

	if (p->params->protocol >= REQUEST_RESPONSES) {
		signal_write_refusal(&b, request_id, SIGNAL_NOT_ALLOWED,
		    "metadata comes from the token", NULL);
		participant_send(p, &b);
	}
	arena_free(mem);
}

static void
handle_request(struct participant *p, const struct signal_request *r)
{
	switch (r->kind) {
	case SIGNAL_OFFER:
		handle_offer(p, &r->description);
		break;
	case SIGNAL_ANSWER:
		handle_answer(p, &r->description);
		break;
	case SIGNAL_ADD_TRACK:
		add_track(p, &r->add_track);
		break;
	case SIGNAL_MUTE:
		mute(p, r);
		break;
	case SIGNAL_SUBSCRIPTION:
	case SIGNAL_TRACK_SETTING:
		choose(p, r);
		break;
	case SIGNAL_LEAVE:
		p->leaving = true;
		websocket_end(p->signal->websocket, 1000, "");
		break;
	case SIGNAL_PING:
	case SIGNAL_PING_REQ:
		send_pong(p, r);
		break;
	case SIGNAL_UPDATE_METADATA:
		refuse_update(p, r->request_id);
		break;
	case SIGNAL_OTHER:
		break;
	}
}

static void
count_bad(struct participant *p)
{
	if (!limit_admit(&p->limits[LIMIT_BAD], LIMIT_BAD, monotonic_us()))
		websocket_end(p->signal->websocket, 1008, "too many bad messages");
}

bool
participant_request(struct participant *p, const char *bytes, size_t n, bool binary)
{
	struct arena *mem;
	struct signal_request r;
	bool stays = true;

	if (p->leaving || p->connection == NULL)
		return true;
	mem = arena_new();
	if (!binary || !signal_read(mem, bytes, n, &r))
		count_bad(p);
	else if (r.kind == SIGNAL_LEAVE ||
		 (r.kind != SIGNAL_OTHER && /* candidates come in dozens at once */
		     limit_admit(
			 &p->limits[LIMIT_SIGNAL], LIMIT_SIGNAL, monotonic_us()))) {
		handle_request(p, &r);
		stays = r.kind != SIGNAL_LEAVE;
	}
	arena_free(mem);
	return stays;
}
