/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TESTS_UNIT_RTC_RELAY_H
#define TESTS_UNIT_RTC_RELAY_H

/*
 * A UDP relay between the client and the server of rtc_fixture.h that loses some
 * packets.
 */
#include "tests/unit/rtc_fixture.h"

static struct {
	int near, far; /* sockets for the client and for the server */
	int percent;   /* percentage of lost datagrams */
	uint32_t random;
	unsigned passed, lost;
	struct sockaddr_in client;
} relay;

static inline bool
relay_loses(void)
{
	relay.random = relay.random * 1664525 + 1013904223;
	if ((int)(relay.random >> 16) % 100 >= relay.percent) {
		relay.passed++;
		return false;
	}
	relay.lost++;
	return true;
}

static void
relay_turn(void)
{
	unsigned char p[2000];
	socklen_t len = sizeof(relay.client);
	ssize_t n;

	while ((n = recvfrom(relay.near, p, sizeof(p), MSG_DONTWAIT,
		    (struct sockaddr *)&relay.client, &len)) >= 0)
		if (!relay_loses())
			ck_assert_int_eq(send(relay.far, p, (size_t)n, 0), n);
	while ((n = recv(relay.far, p, sizeof(p), MSG_DONTWAIT)) >= 0)
		if (!relay_loses())
			ck_assert_int_eq(
			    sendto(relay.near, p, (size_t)n, 0,
				(struct sockaddr *)&relay.client, sizeof(relay.client)),
			    n);
}

/* Returns the relay's port, to which the client must send. */
static inline int
relay_open(int percent)
{
	struct sockaddr_in at = { .sin_family = AF_INET };
	socklen_t n = sizeof(at);

	relay.percent = percent;
	relay.random = 7;
	relay.passed = relay.lost = 0;
	relay.near = socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK, 0);
	relay.far = rtc_stranger(rtc_port(server.rtc));
	at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	ck_assert_int_eq(bind(relay.near, (struct sockaddr *)&at, n), 0);
	getsockname(relay.near, (struct sockaddr *)&at, &n);
	rtc_relay = relay_turn;
	return ntohs(at.sin_port);
}

/* Changes the client's port as the server sees it, as a NAT does after a long pause. */
static inline void
relay_move(void)
{
	close(relay.far);
	relay.far = rtc_stranger(rtc_port(server.rtc));
}

static inline void
relay_close(void)
{
	close(relay.near);
	close(relay.far);
	rtc_relay = NULL;
}

#endif
