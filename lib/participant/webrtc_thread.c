/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The media thread: peer connections of participants, and what they receive. */
#include "participant/webrtc_internal.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"

#define TIMERS_MS 10    /* step of struct rtc's timers */
#define STATS_MS 200    /* longest time until statistics show a change */
#define REPORT_MOST 200 /* messages of a link passed to the event loop in a second */
/* age of unsent data above which a client is too slow */
#define UNSENT_US (30 * S_US)
#define STOP_US (2 * S_US) /* limit of webrtc_thread_stop() */

/* ---- events ---- */

static struct webrtc_event *
event_new(struct webrtc_link *l, enum webrtc_event_kind kind, size_t bytes)
{
	struct webrtc_event *e =
	    (struct webrtc_event *)actor_message_new(sizeof(*e) + bytes);

	e->call.run = webrtc_link_handle;
	e->link = l;
	e->kind = kind;
	return e;
}

static void
event_send(struct webrtc_event *e)
{
	mailbox_send(e->link->thread->gateway->to_event_loop, &e->call.message);
}

static void
report_state(void *owner, enum rtc_state state)
{
	struct webrtc_link *l = owner;
	struct webrtc_event *e = event_new(l, MEDIA_STATE, 128);

	e->state = state;
	if (state == RTC_FAILED)
		e->text = arena_str(e->call.message.mem, rtc_peer_failure(l->peer));
	event_send(e);
}

static void
report_bytes(struct webrtc_link *l, enum webrtc_event_kind kind, const char *label,
    const void *p, size_t n)
{
	struct webrtc_event *e = event_new(l, kind, n + 32);
	struct arena *mem = e->call.message.mem;

	e->text = arena_str(mem, label);
	e->bytes = n > 0 ? arena_dup(mem, p, n) : NULL;
	e->n = n;
	event_send(e);
}

static void
report_channel(void *owner, const char *label)
{
	report_bytes(owner, MEDIA_CHANNEL, label, NULL, 0);
}

/* Pass only this many to the event loop; a client may send more. */
static bool
may_report(struct webrtc_link *l)
{
	int64_t second = monotonic_us() / S_US;

	if (l->second != second)
		l->reports = 0;
	l->second = second;
	return l->reports++ < REPORT_MOST;
}

static void
report_message(void *owner, const char *label, const void *p, size_t n)
{
	if (may_report(owner))
		report_bytes(owner, MEDIA_DATA, label, p, n);
}

static void
report_loss(void *owner, uint32_t ssrc, int percent)
{
	struct webrtc_event *e;

	if (!may_report(owner))
		return;
	e = event_new(owner, MEDIA_LOSS, 0);
	e->ssrc = ssrc;
	e->percent = percent;
	event_send(e);
}

/* ---- audio in ---- */

static void
forward_packets(struct webrtc_link *l, int64_t now)
{
	const unsigned char *p;
	size_t n;

	while (jitter_buffer_next(&l->in, now, &p, &n))
		report_bytes(l, MEDIA_PACKET, NULL, p, n);
}

static void
make_late(struct webrtc_link *l)
{
	struct webrtc_thread *m = l->thread;

	if (l->at_late != NULL)
		return;
	l->next_late = m->late;
	l->at_late = &m->late;
	if (l->next_late != NULL)
		l->next_late->at_late = &l->next_late;
	m->late = l;
}

static void
forget_late(struct webrtc_link *l)
{
	if (l->at_late == NULL)
		return;
	*l->at_late = l->next_late;
	if (l->next_late != NULL)
		l->next_late->at_late = l->at_late;
	l->at_late = NULL;
}

static void
make_unsent(struct webrtc_link *l)
{
	struct webrtc_thread *m = l->thread;

	if (l->at_unsent != NULL)
		return;
	l->next_unsent = m->unsent;
	l->at_unsent = &m->unsent;
	if (l->next_unsent != NULL)
		l->next_unsent->at_unsent = &l->next_unsent;
	m->unsent = l;
}

static void
forget_unsent(struct webrtc_link *l)
{
	if (l->at_unsent == NULL)
		return;
	*l->at_unsent = l->next_unsent;
	if (l->next_unsent != NULL)
		l->next_unsent->at_unsent = l->at_unsent;
	l->at_unsent = NULL;
}

static void
receive_packet(void *owner, const struct rtp_packet *r)
{
	struct webrtc_link *l = owner;
	int64_t now = monotonic_us();

	jitter_buffer_put(&l->in, r, now);
	forward_packets(l, now);
	if (l->in.waiting > 0)
		make_late(l);
}

static void
report_route(void *owner, const struct rtc_route *to)
{
	struct webrtc_link *l = owner;
	struct webrtc_call *c = webrtc_call_new(MEDIA_ROUTE, sizeof(*to));

	c->link = l;
	c->route = (const struct rtc_route *)(const void *)arena_dup(
	    c->message.mem, (const char *)to, sizeof(*to));
	mailbox_send(l->sender->calls, &c->message);
}

static const struct rtc_events events = { .state = report_state,
	.packet = receive_packet,
	.channel = report_channel,
	.message = report_message,
	.loss = report_loss,
	.route = report_route };

/* ---- links ---- */

static void
open_link(struct webrtc_thread *m, struct webrtc_link *l, const struct webrtc_call *c)
{
	l->next = m->links;
	l->at = &m->links;
	if (l->next != NULL)
		l->next->at = &l->next;
	m->links = l;
	l->peer = rtc_peer_open(m->rtc, l, &c->local, c->channels);
	if (l->peer == NULL)
		log_warn("no free place for a participant: rtc.max_peers");
}

static void
log_link(const struct webrtc_link *l, const char *of)
{
	struct rtc_peer_stats s;

	rtc_peer_stats(l->peer, &s);
	if (s.connected_us == 0)
		return;
	log_info("participant %s: by %s, checked after %lld ms, connected after %lld, "
		 "%llu packets received, %llu lost, %llu not decrypted",
	    of, s.tcp ? "TCP" : "UDP", (long long)(s.checked_us - s.open_us) / 1000,
	    (long long)(s.connected_us - s.open_us) / 1000,
	    (unsigned long long)s.received, (unsigned long long)s.lost,
	    (unsigned long long)s.srtp_failures);
}

/*
 * The track thread has done its part. It gets the last call, because a route may be on
 * its way there.
 */
static void
close_link(struct webrtc_link *l, const char *of)
{
	struct webrtc_call *c = webrtc_call_new(MEDIA_GONE_PEER, 0);

	if (l->peer != NULL) {
		log_link(l, of);
		rtc_peer_close(l->peer);
	}
	for (struct webrtc_subscription *ear = l->ears, *next; ear != NULL;
	     ear = next) {
		next = ear->next_of_link;
		arena_free(ear->mem);
	}
	forget_late(l);
	forget_unsent(l);
	*l->at = l->next;
	if (l->next != NULL)
		l->next->at = l->at;
	c->link = l;
	mailbox_send(l->sender->calls, &c->message);
}

static void
fail_link(struct webrtc_link *l, enum webrtc_failure failure, const char *why)
{
	struct webrtc_event *e = event_new(l, MEDIA_STATE, strlen(why));

	e->state = RTC_FAILED;
	e->failure = failure;
	e->text = arena_str(e->call.message.mem, why);
	event_send(e);
}

static void
send_message(struct webrtc_link *l, const struct webrtc_call *c)
{
	if (!rtc_peer_has_channel(l->peer, c->text))
		fail_link(l, MEDIA_LOST, "its data channel is closed");
	else if (rtc_peer_send_message(l->peer, c->text, c->bytes, c->n))
		make_unsent(l);
	else
		fail_link(l, MEDIA_TOO_SLOW, "slow consumer");
}

static void
call_peer(struct webrtc_link *l, const struct webrtc_call *c)
{
	switch (c->kind) {
	case MEDIA_REMOTE:
		if (!rtc_peer_remote(l->peer, c->hash, c->text, c->number, c->passive))
			fail_link(l, MEDIA_LOST, "another fingerprint");
		break;
	case MEDIA_RECEIVE:
		rtc_peer_receive(l->peer, c->number, c->ssrc);
		break;
	case MEDIA_RESTART:
		rtc_peer_restart(l->peer, &c->local);
		break;
	case MEDIA_FORWARD:
		rtc_peer_forward(l->peer, c->bytes, c->n);
		break;
	case MEDIA_SEND:
		rtc_peer_report(l->peer, c->ear->ssrc, c->ear->cname, true);
		rtc_peer_count(l->peer, c->ear->ssrc, &c->ear->sent);
		break;
	case MEDIA_STOP:
		rtc_peer_report(l->peer, c->ear->ssrc, NULL, false);
		break;
	case MEDIA_MESSAGE:
		send_message(l, c);
		break;
	default:
		break;
	}
}

/* ---- calls ---- */

static void
run_call(struct webrtc_thread *m, struct webrtc_call *c)
{
	switch (c->kind) {
	case MEDIA_OPEN:
		open_link(m, c->link, c);
		break;
	case MEDIA_CLOSE:
		close_link(c->link, c->text);
		break;
	default:
		if (c->link->peer != NULL)
			call_peer(c->link, c);
		if (c->kind == MEDIA_STOP)
			arena_free(c->ear->mem);
		break;
	}
}

static void
run_calls(struct webrtc_thread *m)
{
	struct actor_message *l = mailbox_drain(m->calls), *next;

	for (; l != NULL; l = next) {
		next = l->next;
		m->changed = true;
		run_call(m, (struct webrtc_call *)l);
		arena_free(l->mem);
	}
}

/* ---- the thread ---- */

static void
check_unsent(struct webrtc_thread *m, int64_t now)
{
	int64_t since_us;

	if (now < m->unsent_us + S_US)
		return;
	m->unsent_us = now;
	for (struct webrtc_link *l = m->unsent, *next; l != NULL; l = next) {
		next = l->next_unsent;
		if (rtc_peer_unsent(l->peer, &since_us) == 0)
			forget_unsent(l);
		else if (now > since_us + UNSENT_US)
			fail_link(l, MEDIA_TOO_SLOW, "slow consumer");
	}
}

static void
run_timers(struct webrtc_thread *m, int64_t now)
{
	for (struct webrtc_link *l = m->late, *next; l != NULL; l = next) {
		next = l->next_late;
		forward_packets(l, now);
		if (l->in.waiting == 0)
			forget_late(l);
	}
	if (now < m->timers_us + TIMERS_MS * 1000)
		return;
	m->timers_us = now;
	m->changed = false;
	check_unsent(m, now);
	rtc_tick(m->rtc, now);
	pthread_mutex_lock(&m->lock);
	rtc_stats(m->rtc, &m->stats);
	pthread_mutex_unlock(&m->lock);
}

static int64_t
sooner(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

/* Milliseconds until a timer is due; -1: none is set. */
static int
timeout_ms(const struct webrtc_thread *m)
{
	int64_t now = monotonic_us(), due;

	if (rtc_has_work(m->rtc))
		return 0;
	due = rtc_due_us(m->rtc);
	if (m->late != NULL)
		due = now;
	if (m->changed)
		due = sooner(due, m->timers_us + STATS_MS * 1000);
	if (m->unsent != NULL)
		due = sooner(due, m->unsent_us + S_US);
	if (due == INT64_MAX)
		return -1;
	if (due < m->timers_us + TIMERS_MS * 1000)
		due = m->timers_us + TIMERS_MS * 1000;
	return due > now ? (int)((due - now + 999) / 1000) : 0;
}

static void *
run_thread(void *arg)
{
	struct webrtc_thread *m = arg;

	pthread_setname_np(pthread_self(), "media");
	while (!m->stopping) {
		bool packets = wakeup_wait(&m->wakeup, rtc_fd(m->rtc), timeout_ms(m));

		watched_turn(m->watch);
		rtc_time(m->rtc, monotonic_us());
		run_calls(m);
		m->changed |= packets;
		if (packets || rtc_has_work(m->rtc))
			rtc_receive(m->rtc);
		run_timers(m, monotonic_us());
		rtc_flush(m->rtc);
	}
	return NULL;
}

/* senders: number of track threads. */
static void
start_threads(struct webrtc_thread *m, int senders)
{
	struct gateway *g = m->gateway;

	m->senders = arena_alloc(g->mem, (size_t)senders * sizeof(struct track_thread));
	m->n_senders = senders;
	m->watch = watchdog_add(&g->watchdog, "media thread", wakeup_wake, &m->wakeup);
	m->calls = mailbox_new(g->mem, wakeup_wake, &m->wakeup);
	pthread_mutex_init(&m->lock, NULL);
	for (int i = 0; i < senders; i++)
		if (!track_thread_start(&m->senders[i], m))
			abort();
	if (!wakeup_open(&m->wakeup) ||
	    pthread_create(&m->thread, NULL, run_thread, m) != 0)
		abort();
}

/* One for each processor, unless a setting says otherwise. */
static int
count_senders(const struct conf *c)
{
	long n = c->rtc_media_threads > 0 ? (long)c->rtc_media_threads
					  : sysconf(_SC_NPROCESSORS_ONLN);

	return n < 1 ? 1 : n < TRACK_THREADS ? (int)n : TRACK_THREADS;
}

struct webrtc_thread *
webrtc_thread_start(struct gateway *g, const struct rtc_settings *settings)
{
	struct webrtc_thread *m = arena_alloc(g->mem, sizeof(*m));

	m->gateway = g;
	m->settings = *settings;
	m->rtc = rtc_open(g->mem, settings, &events);
	if (m->rtc == NULL)
		return NULL;
	m->settings.at.port = rtc_port(m->rtc);
	start_threads(m, count_senders(g->conf));
	return m;
}

bool
webrtc_thread_stop(struct webrtc_thread *m)
{
	int64_t most_us = webrtc_is_stalled(m) ? 0 : STOP_US;

	m->stopping = true;
	wakeup_wake(&m->wakeup);
	for (int i = 0; i < m->n_senders; i++)
		if (!track_thread_stop(&m->senders[i], most_us))
			return false;
	if (!watchdog_join(m->thread, m->watch->name, most_us))
		return false;
	run_calls(m); /* closes links, for the log */
	rtc_close(m->rtc);
	for (int i = 0; i < m->n_senders; i++)
		track_thread_finish(&m->senders[i]);
	arena_free(m->mem);
	wakeup_close(&m->wakeup);
	return true;
}
