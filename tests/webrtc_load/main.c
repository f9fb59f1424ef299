/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * usage: webrtc-load [OPTION=VALUE]... < LINES
 *
 * Connects listeners by WebRTC, all in one thread. Each input line has the webrtc_url
 * and the token of one listener, separated by a blank. Options:
 *
 *	seconds=30   how long to stay once all are connected
 *	gap_ms=20    between the starts of two listeners
 *	first_s=0    additional time between the first one and the others
 *	gateway=PID  count this process's processor time meanwhile
 *	candidate=ADDRESS:PORT  of a server whose descriptions have none
 *
 * It prints lines as stream-load does: "ready" when all are connected; "wrong" and the
 * error; at the end figures (ms from the call of signalling on) and counts. Those that
 * begin with "held" count only these seconds. Fails after an error.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "listener.h"
#include "tests/stream-load-tell.h"

#define LISTENERS 4096
#define EVENTS 256
#define COME_S 30 /* after the last listener was called */
#define TURN_MS 5
#define TICK_US (S_US / 4) /* of the signalling server */

struct load {
	struct arena *mem;
	struct rtc *rtc;
	struct listener *listeners;
	int n, called, epoll, gateway;
	int64_t gap_us, first_us, due_us, tick_us;
	double seconds;
	const char *candidate;
};

/* ---- bytes of datagrams, where they are read ---- */

static struct received {
	int64_t bytes, datagrams, media_bytes, media;
} received;

int __real_recvmmsg(int, struct mmsghdr *, unsigned, int, struct timespec *);
int __wrap_recvmmsg(int, struct mmsghdr *, unsigned, int, struct timespec *);

/* True for RTP by RFC 7983; for RTCP by RFC 5761. */
static bool
is_media(const unsigned char *p, size_t n)
{
	return n > 1 && p[0] >= 128 && p[0] < 192 && (p[1] < 192 || p[1] > 223);
}

/* Replaces recvmmsg(); see --wrap of ld. */
int
__wrap_recvmmsg(
    int fd, struct mmsghdr *m, unsigned room, int flags, struct timespec *timeout)
{
	int n = __real_recvmmsg(fd, m, room, flags, timeout);

	for (int i = 0; i < n; i++) {
		bool media = is_media(m[i].msg_hdr.msg_iov->iov_base, m[i].msg_len);

		received.bytes += m[i].msg_len;
		received.datagrams++;
		received.media_bytes += media ? m[i].msg_len : 0;
		received.media += media;
	}
	return n;
}

/* ---- processor time ---- */

/* Processor time of a process and its threads, in ms; -1: unknown. */
static int64_t
processor_ms(int pid)
{
	char name[64], line[1024], *end;
	long long user, system;
	bool is = false;
	FILE *f;

	snprintf(name, sizeof(name), "/proc/%d/stat", pid);
	if (pid == 0 || (f = fopen(name, "r")) == NULL)
		return -1;
	if (fgets(line, sizeof(line), f) != NULL && (end = strrchr(line, ')')) != NULL)
		is = sscanf(end + 1,
			 " %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %lld %lld",
			 &user, &system) == 2;
	fclose(f);
	return is ? (user + system) * 1000 / sysconf(_SC_CLK_TCK) : -1;
}

/* ---- clients ---- */

static _Noreturn void
die(const char *what, const char *more)
{
	fprintf(stderr, "webrtc-load: %s %s\n", what, more);
	exit(2);
}

static void
read_option(struct load *l, const char *text)
{
	const char *value = strchr(text, '=');

	if (value != NULL && strncmp(text, "seconds=", 8) == 0)
		l->seconds = atof(value + 1);
	else if (value != NULL && strncmp(text, "gap_ms=", 7) == 0)
		l->gap_us = atoll(value + 1) * 1000;
	else if (value != NULL && strncmp(text, "first_s=", 8) == 0)
		l->first_us = (int64_t)(atof(value + 1) * S_US);
	else if (value != NULL && strncmp(text, "gateway=", 8) == 0)
		l->gateway = atoi(value + 1);
	else if (value != NULL && strncmp(text, "candidate=", 10) == 0)
		l->candidate = value + 1;
	else
		die("no option:", text);
}

static void
add_listener(struct load *l, const char *line)
{
	struct client *c = &l->listeners[l->n].client;
	struct client_options *o = arena_alloc(l->mem, sizeof(*o));
	size_t n = strcspn(line, " ");

	if (line[n] == '\0' || ++l->n == LISTENERS)
		die("no listener:", line);
	*o = (struct client_options){ .url = arena_dup(l->mem, line, n),
		.token = arena_dup(l->mem, line + n + 1, strcspn(line + n + 1, "\n")),
		.listen_only = true,
		.candidate = l->candidate };
	c->o = o;
	c->mem = c->line.mem = c->hearing.mem = arena_new();
}

static void
read_listeners(struct load *l)
{
	char *line = NULL;
	size_t room = 0;

	l->listeners = calloc(LISTENERS, sizeof(*l->listeners));
	while (l->listeners != NULL && getline(&line, &room, stdin) > 0)
		add_listener(l, line);
	free(line);
	if (l->n == 0)
		die("no listeners", "");
}

static void
call_next(struct load *l)
{
	struct listener *next = &l->listeners[l->called++];
	struct epoll_event e = { .events = EPOLLIN, .data.ptr = next };

	next->client.rtc = l->rtc;
	if (!listener_call(next, l->called) ||
	    epoll_ctl(l->epoll, EPOLL_CTL_ADD, ws_fd(next->client.ws), &e) != 0) {
		printf("wrong\tlistener %d: not connected\n", l->called);
		count("wrong", 1);
	}
}

/* ---- the loop ---- */

static void
tick_all(struct load *l, int64_t now)
{
	rtc_tick(l->rtc, now);
	if (now < l->tick_us)
		return;
	l->tick_us = now + TICK_US;
	for (int i = 0; i < l->called; i++)
		if (l->listeners[i].answered)
			signalling_tick(&l->listeners[i].client, now);
}

static void
turn(struct load *l)
{
	struct epoll_event e[EVENTS];
	int64_t now = monotonic_us();
	int n = epoll_wait(l->epoll, e, EVENTS, TURN_MS);

	rtc_receive(l->rtc);
	for (int i = 0; i < n; i++)
		if (e[i].data.ptr != NULL)
			listener_read(e[i].data.ptr);
	if (l->called < l->n && now >= l->due_us) {
		call_next(l);
		l->due_us = now + l->gap_us + (l->called == 1 ? l->first_us : 0);
	}
	tick_all(l, now);
	rtc_flush(l->rtc);
}

static bool
are_connected(const struct load *l)
{
	for (int i = 0; i < l->n; i++)
		if (l->listeners[i].connected_us == 0)
			return false;
	return true;
}

static void
come(struct load *l)
{
	int64_t until_us =
	    monotonic_us() + l->first_us + l->n * l->gap_us + COME_S * S_US;

	while (!are_connected(l) && monotonic_us() < until_us)
		turn(l);
	for (int i = 0; i < l->n; i++)
		if (l->listeners[i].connected_us == 0)
			count("wrong", 1);
	printf("ready\n");
	fflush(stdout);
}

static void
hold(struct load *l)
{
	struct received was = received;
	int64_t gateway_ms = processor_ms(l->gateway), begun_us = monotonic_us();

	while (monotonic_us() < begun_us + (int64_t)(l->seconds * S_US))
		turn(l);
	count("held ms", (monotonic_us() - begun_us) / 1000);
	count("held gateway ms", processor_ms(l->gateway) - gateway_ms);
	count("held datagrams", received.datagrams - was.datagrams);
	count("held bytes", received.bytes - was.bytes);
	count("held packets", received.media - was.media);
	count("held packet bytes", received.media_bytes - was.media_bytes);
}

/* ---- output ---- */

static void
tell(const struct load *l)
{
	struct rusage cpu;

	count("listeners", l->n);
	count("lost", 0);
	for (int i = 0; i < l->n; i++) {
		count("packets", l->listeners[i].packets);
		count("lost", listener_lost(&l->listeners[i]));
		count("heard nothing", l->listeners[i].packets == 0);
	}
	getrusage(RUSAGE_SELF, &cpu);
	count("own CPU ms", (cpu.ru_utime.tv_sec + cpu.ru_stime.tv_sec) * 1000 +
				(cpu.ru_utime.tv_usec + cpu.ru_stime.tv_usec) / 1000);
	tell_figures();
	tell_counts("counts");
}

int
main(int argc, char **argv)
{
	struct load l = { .mem = arena_new(), .gap_us = 20000, .seconds = 30 };
	struct rtc_settings settings = {
		.at = { .listen = "127.0.0.1", .address = "" },
		.client = true,
	};
	struct epoll_event e = { .events = EPOLLIN };

	for (int i = 1; i < argc; i++)
		read_option(&l, argv[i]);
	read_listeners(&l);
	allow_files();
	settings.max_peers = l.n * ROLES;
	l.rtc = rtc_open(l.mem, &settings, &listener_events);
	l.epoll = epoll_create1(EPOLL_CLOEXEC);
	if (l.rtc == NULL || epoll_ctl(l.epoll, EPOLL_CTL_ADD, rtc_fd(l.rtc), &e) != 0)
		die("no sockets", "");
	come(&l);
	hold(&l);
	tell(&l);
	for (int i = 0; i < l.n; i++)
		signalling_leave(&l.listeners[i].client);
	rtc_close(l.rtc);
	return counted("wrong") == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
