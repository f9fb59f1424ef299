/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The media thread as the event loop uses it: messages in both directions. */
#include "participant/webrtc_internal.h"

#include <string.h>

#include "base/clock.h"
#include "base/hash.h"

#define CANDIDATES_US (60 * S_US) /* time between two reads of the interfaces */

/* ---- calls ---- */

static void
call_send(struct webrtc_thread *t, struct webrtc_call *c)
{
	mailbox_send(t->calls, &c->message);
}

static void
call_link(struct webrtc_link *l, struct webrtc_call *c)
{
	c->link = l;
	call_send(l->thread, c);
}

static void
call_sender(struct webrtc_link *l, struct webrtc_call *c)
{
	c->link = l;
	mailbox_send(l->sender->calls, &c->message);
}

/* ---- links ---- */

struct webrtc_link *
webrtc_link_open(struct gateway *g, const struct webrtc_events *events, void *owner,
    const struct ice_credentials *local, bool channels)
{
	struct webrtc_call *c = webrtc_call_new(MEDIA_OPEN, 0);
	struct arena *mem = arena_small(sizeof(struct webrtc_link));
	struct webrtc_link *l = arena_alloc(mem, sizeof(*l));

	l->mem = mem;
	l->thread = g->webrtc_thread;
	l->sender = &l->thread->senders[l->thread->next_sender];
	l->thread->next_sender = (l->thread->next_sender + 1) % l->thread->n_senders;
	l->events = events;
	l->owner = owner;
	c->local = *local;
	c->channels = channels;
	call_link(l, c);
	return l;
}

void
webrtc_link_close(struct webrtc_link *l, const char *of)
{
	struct webrtc_call *c = webrtc_call_new(MEDIA_CLOSE, 128);

	c->text = arena_str(c->message.mem, of);
	l->closed = true;
	call_sender(l, c);
}

/* 0: the description has no section for data channels. */
static int
sctp_port_of(const struct sdp *d)
{
	for (size_t i = 0; i < d->n; i++)
		if (d->sections[i].kind == SDP_APPLICATION && !d->sections[i].rejected)
			return d->sctp_port;
	return 0;
}

void
webrtc_link_remote(struct webrtc_link *l, const struct sdp *d)
{
	struct webrtc_call *c = webrtc_call_new(MEDIA_REMOTE, 256);

	c->hash = arena_str(c->message.mem, d->hash);
	c->text = arena_str(c->message.mem, d->fingerprint);
	c->number = sctp_port_of(d);
	c->passive = strcmp(d->setup, "passive") == 0;
	call_link(l, c);
}

void
webrtc_link_receive(struct webrtc_link *l, int payload_type, uint32_t ssrc)
{
	struct webrtc_call *c = webrtc_call_new(MEDIA_RECEIVE, 0);

	c->number = payload_type;
	c->ssrc = ssrc;
	call_link(l, c);
}

void
webrtc_link_restart(struct webrtc_link *l, const struct ice_credentials *local)
{
	struct webrtc_call *c = webrtc_call_new(MEDIA_RESTART, 0);

	c->local = *local;
	call_link(l, c);
}

void
webrtc_link_message(struct webrtc_link *l, const char *label, const void *p, size_t n)
{
	struct webrtc_call *c = webrtc_call_new(MEDIA_MESSAGE, n);

	c->text = arena_str(c->message.mem, label);
	c->bytes = arena_dup(c->message.mem, p, n);
	c->n = n;
	call_link(l, c);
}

void
webrtc_link_send_track(
    struct webrtc_link *l, struct webrtc_track *t, const struct webrtc_sender *as)
{
	struct webrtc_call *c = webrtc_call_new(MEDIA_SEND, 0);
	struct arena *mem = arena_small(sizeof(*c->ear) + strlen(as->cname) + 1);

	c->ear = arena_alloc(mem, sizeof(*c->ear));
	c->ear->mem = mem;
	c->ear->link = l;
	c->ear->ssrc = as->ssrc;
	c->ear->payload_type = as->payload_type;
	c->ear->cname = arena_str(mem, as->cname);
	c->part = &t->parts[l->sender - l->thread->senders];
	call_sender(l, c);
}

void
webrtc_link_stop_track(struct webrtc_link *l, uint32_t ssrc)
{
	struct webrtc_call *c = webrtc_call_new(MEDIA_STOP, 0);

	c->ssrc = ssrc;
	call_sender(l, c);
}

/* ---- tracks ---- */

/* Send a call to the i-th track thread. */
static void
call_part(const struct webrtc_thread *m, int i, struct track_part *part,
    struct webrtc_call *c)
{
	c->part = part;
	mailbox_send(m->senders[i].calls, &c->message);
}

static void
call_track(struct webrtc_track *t, enum webrtc_call_kind kind)
{
	const struct webrtc_thread *m =
	    t->thread; /* the last call may free the track */

	for (int i = 0; i < m->n_senders; i++)
		call_part(m, i, &t->parts[i], webrtc_call_new(kind, 0));
}

struct webrtc_track *
webrtc_track_new(struct gateway *g)
{
	struct webrtc_thread *m = g->webrtc_thread;
	size_t n = (size_t)m->n_senders;
	struct arena *mem = arena_new();
	struct webrtc_track *t =
	    arena_alloc(mem, sizeof(*t) + n * sizeof(struct track_part));

	t->mem = mem;
	t->thread = m;
	t->left = m->n_senders;
	random_bytes(&t->first_ts, sizeof(t->first_ts));
	for (size_t i = 0; i < n; i++)
		t->parts[i].track = t;
	call_track(t, MEDIA_TRACK);
	return t;
}

void
webrtc_track_end(struct webrtc_track *t)
{
	call_track(t, MEDIA_TRACK_END);
}

/* Each thread has a queue of its own: the packets of a second are 3 KB. */
static void
play_part(struct webrtc_track *t, int i, struct opus_packets packets, bool last)
{
	struct webrtc_play *c =
	    (struct webrtc_play *)actor_message_new(sizeof(*c) + packets.n);
	struct arena *mem = c->call.message.mem;

	c->call.kind = MEDIA_TRACK_PLAY;
	c->queued = (struct queued_packets){ .mem = mem, .last = last };
	if (packets.n > 0)
		c->queued.packets =
		    (struct opus_packets){ (const unsigned char *)arena_dup(mem,
					       (const char *)packets.bytes, packets.n),
			    packets.n };
	call_part(t->thread, i, &t->parts[i], &c->call);
}

void
webrtc_track_play(struct webrtc_track *t, struct opus_packets packets, bool last)
{
	for (int i = 0; i < t->thread->n_senders; i++)
		play_part(t, i, packets, last);
}

void
webrtc_track_flush(struct webrtc_track *t)
{
	call_track(t, MEDIA_TRACK_FLUSH);
}

/* ---- events ---- */

static void
notify_owner(const struct webrtc_link *l, const struct webrtc_event *e)
{
	switch (e->kind) {
	case MEDIA_STATE:
		l->events->state(l->owner, e->state, e->failure, e->text);
		break;
	case MEDIA_PACKET:
		l->events->packet(l->owner, e->bytes, e->n);
		break;
	case MEDIA_CHANNEL:
		l->events->channel(l->owner, e->text);
		break;
	case MEDIA_DATA:
		l->events->message(l->owner, e->text, e->bytes, e->n);
		break;
	case MEDIA_LOSS:
		l->events->loss(l->owner, e->ssrc, e->percent);
		break;
	case MEDIA_GONE:
		break;
	}
}

void
webrtc_link_handle(struct gateway *g, struct thread_call *call)
{
	const struct webrtc_event *e = (const struct webrtc_event *)call;
	struct webrtc_link *l = e->link;

	(void)g;
	if (!l->closed)
		notify_owner(l, e);
	if (e->kind == MEDIA_GONE)
		arena_free(l->mem);
	arena_free(call->message.mem);
}

/* ---- the thread, for other threads ---- */

const char *
webrtc_fingerprint(const struct webrtc_thread *t)
{
	return rtc_fingerprint(t->rtc);
}

bool
webrtc_is_stalled(const struct webrtc_thread *t)
{
	const struct watched *stalled = t->gateway->stalled;

	for (int i = 0; i < t->n_senders; i++)
		if (stalled != NULL && stalled == t->senders[i].watch)
			return true;
	return stalled == t->watch;
}

const struct ice_addresses *
webrtc_addresses(const struct webrtc_thread *t)
{
	return &t->settings.at;
}

/* The interfaces may change while the gateway runs. */
static void
read_candidates(struct webrtc_thread *m)
{
	int64_t now = monotonic_us();

	if (m->mem != NULL && now < m->candidates_us + CANDIDATES_US)
		return;
	arena_free(m->mem);
	m->mem = arena_new();
	m->candidates_us = now;
	m->candidates = ice_candidates(m->mem, &m->settings.at, &m->n_candidates);
}

const struct ice_candidate *
webrtc_candidates(struct webrtc_thread *m, struct arena *mem, size_t *n)
{
	struct ice_candidate *to;

	pthread_mutex_lock(&m->lock);
	read_candidates(m);
	*n = m->n_candidates;
	to = arena_alloc(mem, (*n + 1) * sizeof(*to));
	memcpy(to, m->candidates, *n * sizeof(*to));
	pthread_mutex_unlock(&m->lock);
	return to;
}

void
webrtc_stats(struct webrtc_thread *m, struct rtc_stats *to)
{
	pthread_mutex_lock(&m->lock);
	*to = m->stats;
	pthread_mutex_unlock(&m->lock);
	for (int i = 0; i < m->n_senders; i++)
		to->datagrams_out += rtc_sender_count(m->senders[i].sender);
}
