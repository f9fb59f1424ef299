/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/handover.h"
#include "base/log.h"
#include "serve/http_process_internal.h"

#define END_S 20 /* most time until the process ends */
#define REST_US (2 * S_US)
#define AWAKE_US 100 /* longest short wait */
#define TURN_MS 500  /* most time between two looks at all connections */
#define PASS_MS 10   /* the same, while the gateway has not taken some */
#define OTHER_FILES 64

/* ---- events ---- */

static void
on_connection(struct http_process *p, struct http_connection *k, uint32_t events)
{
	if (k->state == SENDING)
		http_send_more(p, k, (events & (EPOLLHUP | EPOLLERR)) != 0);
	else if (k->state == BODY)
		http_read_body(p, k);
	else if (k->state == LINGERING)
		http_linger(p, k);
	else if (k->state == PASSING)
		http_drop(p, k); /* the client is gone */
	else
		http_find_request(p, k, (events & EPOLLRDHUP) != 0);
}

static void
listen_again(struct http_process *p)
{
	struct epoll_event e = { .events = EPOLLIN | EPOLLEXCLUSIVE,
		.data.ptr = &p->listener };

	epoll_ctl(p->epoll, EPOLL_CTL_DEL, p->listener, NULL);
	epoll_ctl(p->epoll, EPOLL_CTL_ADD, p->listener, &e);
}

/* Accept what waits, and no more. */
static void
leave(struct http_process *p)
{
	int64_t now = monotonic_us();

	if (p->leave_us != 0)
		return;
	while (http_accept(p))
		continue;
	/* the other processes have it still: closing would not do */
	epoll_ctl(p->epoll, EPOLL_CTL_DEL, p->listener, NULL);
	close(p->listener);
	p->leave_us = now + END_S * S_US;
	for (struct http_connection *k = p->all; k != NULL; k = k->next)
		if (k->state == HEAD && k->until_us > now + LEAVE_S * S_US)
			k->until_us = now + LEAVE_S * S_US;
}

static void
on_signal(struct http_process *p)
{
	struct signalfd_siginfo s;

	while (read(p->signals, &s, sizeof(s)) == sizeof(s))
		if (s.ssi_signo == SIGTERM)
			leave(p);
	http_reap_children(p);
}

/* The time of its state is over. */
static void
end_state(struct http_process *p, struct http_connection *k)
{
	if (k->state == SENDING)
		http_send_more(p, k, true);
	else if (k->state == PASSING)
		http_refuse(p, k, NULL, 503);
	else if (k->state == BODY || k->partial)
		http_refuse(p, k, NULL, 408);
	else
		http_drop(p, k);
}

static void
end_late(struct http_process *p)
{
	int64_t now = monotonic_us();
	bool takes = true; /* the gateway */

	for (struct http_connection *k = p->all, *next; k != NULL; k = next) {
		next = k->next;
		if (now >= k->until_us)
			end_state(p, k);
		else if (takes && k->state == PASSING)
			takes = http_pass(p, k);
	}
	if (p->served_us != 0 && now > p->served_us + REST_US) {
		programs_rest(p->programs);
		p->served_us = 0;
	}
}

static void
on_event(struct http_process *p, const struct epoll_event *e)
{
	if (e->data.ptr == &p->listener) {
		/* Connections are shared out: the process that accepted one is the
		   last to be woken for another. */
		http_accept(p);
		listen_again(p);
	} else if (e->data.ptr == &p->signals)
		on_signal(p);
	else if (e->data.ptr != NULL) /* else it was dropped meanwhile */
		on_connection(p, e->data.ptr, e->events);
}

/*
 * A client that has its answer may send its next request at once, and to sleep until
 * then would take longer than to answer it.  So after a short wait the next one begins
 * awake.
 */
static int
await_events(struct http_process *p, int timeout_ms)
{
	int64_t begun_us = monotonic_us();
	int n = 0;

	while (p->prompt && (n = epoll_wait(p->epoll, p->events, EVENTS, 0)) == 0 &&
	       monotonic_us() < begun_us + AWAKE_US)
		sched_yield();
	if (n == 0)
		n = epoll_wait(p->epoll, p->events, EVENTS, timeout_ms);
	p->prompt = monotonic_us() < begun_us + AWAKE_US;
	return n;
}

static void
serve_all(struct http_process *p)
{
	int64_t looked_us = 0;

	while (p->leave_us == 0 ||
	       (p->n + p->n_children > 0 && monotonic_us() < p->leave_us)) {
		bool busy = p->n + p->n_children > 0 || p->served_us != 0;
		int turn_ms = p->passing > 0 ? PASS_MS : TURN_MS;

		p->n_events = await_events(p, busy ? turn_ms : -1);
		for (int i = 0; i < p->n_events; i++)
			on_event(p, &p->events[i]);
		if (monotonic_us() > looked_us + turn_ms * 1000) {
			looked_us = monotonic_us();
			end_late(p);
		}
	}
}

/* ---- start ---- */

static bool
watch_signals(struct http_process *p)
{
	struct epoll_event e = { .events = EPOLLIN, .data.ptr = &p->signals };
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGCHLD);
	sigprocmask(SIG_SETMASK, &set, NULL);
	signal(SIGPIPE, SIG_IGN);
	p->signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	return p->signals >= 0 &&
	       epoll_ctl(p->epoll, EPOLL_CTL_ADD, p->signals, &e) == 0;
}

/* A connection may have a file. Without a free one, accepting would fail for ever. */
static void
allow_files(struct http_process *p)
{
	rlim_t want = 2 * (rlim_t)p->most + OTHER_FILES;
	struct rlimit l;

	if (getrlimit(RLIMIT_NOFILE, &l) != 0)
		return;
	l.rlim_cur = want < l.rlim_max ? want : l.rlim_max;
	if (setrlimit(RLIMIT_NOFILE, &l) == 0 && l.rlim_cur == want)
		return;
	log_warn("only %llu open files are allowed, serve.connections needs %llu",
	    (unsigned long long)l.rlim_cur, (unsigned long long)want);
	p->most = ((int64_t)l.rlim_cur - OTHER_FILES) / 2;
}

int
http_process_run(const struct serve_path *paths, int listener)
{
	struct arena *kept = arena_new();
	struct http_process *p = arena_alloc(kept, sizeof(*p));
	enum err e;

	*p =
	    (struct http_process){ .paths = paths, .kept = kept, .listener = listener };
	p->mem = arena_new();
	p->epoll = epoll_create1(EPOLL_CLOEXEC);
	if ((e = programs_open(kept, paths, &p->programs)) != OK)
		return e == ERR_REFUSED ? 2 : EXIT_FAILURE;
	p->most = programs_conf(p->programs)->serve_connections;
	p->per_address = programs_conf(p->programs)->serve_per_address;
	p->gateway = arena_printf(
	    kept, "%s/" HANDOVER_GATEWAY, programs_conf(p->programs)->state_dir);
	allow_files(p);
	if (!watch_signals(p))
		return EXIT_FAILURE;
	listen_again(p);
	serve_all(p);
	return EXIT_SUCCESS;
}
