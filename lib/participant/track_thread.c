/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A track thread: a clock of 20 ms, and the packets of the translator's tracks for some
 * of the links.
 */
#include "participant/webrtc_internal.h"

#include <stdlib.h>

#include "base/clock.h"

#define LATE_TICKS 25 /* missed ticks that are served later, at most */
#define QUIET_MS 250  /* poll timeout without links; less than LATE_TICKS */

/* ---- calls ---- */

static void
start_part(struct track_thread *s, struct track_part *t)
{
	t->last_tick = -1;
	t->next = s->parts;
	s->parts = t;
}

/* End a link. The peer connection follows, and comes back as MEDIA_GONE_PEER. */
static void
close_link(struct webrtc_link *l)
{
	webrtc_track_stop_all(l);
	l->route = (struct rtc_route){ .cipher = NULL };
}

static void
set_route(struct webrtc_link *l, const struct rtc_route *to)
{
	l->route = *to;
}

static void
report_gone(struct webrtc_link *l)
{
	struct webrtc_event *e = (struct webrtc_event *)actor_message_new(sizeof(*e));

	e->call.run = webrtc_link_handle;
	e->link = l;
	e->kind = MEDIA_GONE;
	mailbox_send(l->thread->gateway->to_event_loop, &e->call.message);
}

enum next { FREE_CALL, KEEP_CALL, PASS_CALL };

/* Returns whether the call's memory is kept, or the call goes to the media thread. */
static enum next
run_call(struct track_thread *s, struct webrtc_call *c)
{
	switch (c->kind) {
	case MEDIA_TRACK:
		start_part(s, c->part);
		return FREE_CALL;
	case MEDIA_TRACK_END:
		packet_queue_end(&c->part->queue);
		c->part->ended = true;
		return FREE_CALL;
	case MEDIA_TRACK_FLUSH:
		packet_queue_flush(&c->part->queue);
		return FREE_CALL;
	case MEDIA_TRACK_PLAY:
		packet_queue_put(&c->part->queue, &((struct webrtc_play *)c)->queued);
		return KEEP_CALL;
	case MEDIA_SEND:
		webrtc_track_send(c->part, c->ear);
		return PASS_CALL;
	case MEDIA_STOP:
		c->ear = webrtc_track_stop(c->link, c->ssrc);
		return c->ear != NULL ? PASS_CALL : FREE_CALL;
	case MEDIA_ROUTE:
		set_route(c->link, c->route);
		return FREE_CALL;
	case MEDIA_CLOSE:
		close_link(c->link);
		return PASS_CALL;
	case MEDIA_GONE_PEER:
		report_gone(c->link);
		return FREE_CALL;
	default:
		return FREE_CALL;
	}
}

static void
run_calls(struct track_thread *s)
{
	struct actor_message *l = mailbox_drain(s->calls), *next;

	for (; l != NULL; l = next) {
		enum next then;

		next = l->next;
		then = run_call(s, (struct webrtc_call *)l);
		if (then == PASS_CALL)
			mailbox_send(s->media->calls, l);
		else if (then == FREE_CALL)
			arena_free(l->mem);
	}
}

/* ---- the clock ---- */

static void
play_due(struct track_thread *s, int64_t now)
{
	while (rtp_tick_next(&s->tick, now, LATE_TICKS))
		for (struct track_part **at = &s->parts, *t; (t = *at) != NULL;) {
			struct track_part *next = t->next;

			if (webrtc_track_tick(t, s->tick))
				at = &t->next;
			else
				*at = next;
		}
	rtc_sender_flush(s->sender);
}

static bool
has_sound(const struct track_thread *s)
{
	const struct track_part *t = s->parts;

	while (t != NULL && !webrtc_track_has_sound(t))
		t = t->next;
	return t != NULL;
}

/* Wait for calls or for the next tick. Ticks without sound are not made up for. */
static void
wait_for_work(struct track_thread *s)
{
	if (has_sound(s)) {
		wakeup_wait(&s->wakeup, -1,
		    s->ears == 0 ? QUIET_MS
				 : rtp_tick_wait_ms(s->tick, monotonic_us()));
		return;
	}
	wakeup_wait(&s->wakeup, -1, -1);
	s->tick = monotonic_us() / RTP_TICK_US;
}

static void *
run_thread(void *arg)
{
	struct track_thread *s = arg;

	pthread_setname_np(pthread_self(), "tracks");
	while (!s->media->stopping) {
		wait_for_work(s);
		watched_turn(s->watch);
		run_calls(s);
		play_due(s, monotonic_us());
	}
	return NULL;
}

bool
track_thread_start(struct track_thread *s, struct webrtc_thread *m)
{
	struct gateway *g = m->gateway;

	s->media = m;
	s->sender = rtc_sender_new(g->mem);
	s->calls = mailbox_new(g->mem, wakeup_wake, &s->wakeup);
	s->tick = monotonic_us() / RTP_TICK_US;
	s->watch = watchdog_add(&g->watchdog, "track thread", wakeup_wake, &s->wakeup);
	return wakeup_open(&s->wakeup) &&
	       pthread_create(&s->thread, NULL, run_thread, s) == 0;
}

bool
track_thread_stop(struct track_thread *s, int64_t most_us)
{
	wakeup_wake(&s->wakeup);
	if (!watchdog_join(s->thread, s->watch->name, most_us))
		return false;
	run_calls(s); /* passes on the links that close */
	for (struct track_part *t = s->parts, *next; t != NULL; t = next) {
		next = t->next;
		if (t->ended) /* do not play it out; other tracks belong to sessions */
			webrtc_track_free(t);
	}
	return true;
}

void
track_thread_finish(struct track_thread *s)
{
	run_calls(s); /* reports the links that are closed */
	wakeup_close(&s->wakeup);
}
