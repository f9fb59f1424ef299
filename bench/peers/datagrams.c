/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * usage: datagrams N SECONDS BYTES
 *
 * The least that sending to N listeners costs: sendmmsg(2) every 20 ms, a datagram to
 * each of N sockets on loopback, without RTP and encryption.  Another process receives
 * them.  Prints the processor time in milliseconds a second for each listener.
 */
#include <arpa/inet.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define MOST 4096
#define TICK_NS 20000000L
#define EVENTS 64

static int listeners[MOST];
static struct sockaddr_in addresses[MOST];
static struct mmsghdr messages[MOST];

static _Noreturn void
die(const char *what)
{
	perror(what);
	exit(EXIT_FAILURE);
}

static int
open_socket(struct sockaddr_in *at)
{
	socklen_t n = sizeof(*at);
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	*at = (struct sockaddr_in){ .sin_family = AF_INET,
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	if (fd < 0 || bind(fd, (struct sockaddr *)at, n) != 0 ||
	    getsockname(fd, (struct sockaddr *)at, &n) != 0)
		die("socket");
	return fd;
}

static _Noreturn void
receive(int n)
{
	struct epoll_event e = { .events = EPOLLIN | EPOLLET }, events[EVENTS];
	int all = epoll_create1(EPOLL_CLOEXEC);
	char bytes[2048];

	for (int i = 0; i < n; i++) {
		e.data.fd = listeners[i];
		if (epoll_ctl(all, EPOLL_CTL_ADD, listeners[i], &e) != 0)
			die("epoll_ctl");
	}
	for (;;)
		for (int k = epoll_wait(all, events, EVENTS, -1); k > 0; k--)
			while (recv(events[k - 1].data.fd, bytes, sizeof(bytes),
				   MSG_DONTWAIT) > 0)
				continue;
}

static void
send_to_all(int from, int n)
{
	for (int sent = 0, k; sent < n; sent += k)
		if ((k = sendmmsg(from, messages + sent, (unsigned)(n - sent), 0)) < 0)
			die("sendmmsg");
}

static double
used_ms(void)
{
	struct rusage u;

	getrusage(RUSAGE_SELF, &u);
	return (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) * 1e3 +
	       (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec) / 1e3;
}

int
main(int argc, char **argv)
{
	int n = argc == 4 ? atoi(argv[1]) : 0, seconds = n > 0 ? atoi(argv[2]) : 0;
	size_t bytes = n > 0 ? strtoul(argv[3], NULL, 10) : 0;
	struct sockaddr_in own;
	char packet[2048] = "";
	struct iovec part = { packet, bytes };
	struct timespec next;
	int from = open_socket(&own);
	double before;
	pid_t child;

	if (n < 1 || n > MOST || seconds < 1 || bytes > sizeof(packet))
		die("N SECONDS BYTES");
	for (int i = 0; i < n; i++) {
		listeners[i] = open_socket(&addresses[i]);
		messages[i].msg_hdr = (struct msghdr){ .msg_name = &addresses[i],
			.msg_namelen = sizeof(addresses[i]),
			.msg_iov = &part,
			.msg_iovlen = 1 };
	}
	if ((child = fork()) == 0)
		receive(n);
	before = used_ms();
	clock_gettime(CLOCK_MONOTONIC, &next);
	for (int i = 0; i < seconds * 50; i++) {
		send_to_all(from, n);
		if ((next.tv_nsec += TICK_NS) >= 1000000000L) {
			next.tv_nsec -= 1000000000L;
			next.tv_sec++;
		}
		clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &next, NULL);
	}
	printf("%.3f\n", (used_ms() - before) / seconds / n);
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	return EXIT_SUCCESS;
}
