/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TESTS_UNIT_RTC_RAW_H
#define TESTS_UNIT_RTC_RAW_H

/* Connectivity checks written by a test. */
#include "rtc/stun.h"
#include "tests/unit/rtc_fixture.h"

static struct stun_check raw_check;

/* Writes a check by a sender that knows the server's credentials. */
static inline size_t
raw_request(unsigned char to[STUN_ROOM], bool use_candidate)
{
	raw_check = (struct stun_check){ .ufrag = "stranger",
		.peer_ufrag = server.ice.ufrag,
		.peer_pwd = server.ice.pwd,
		.priority = 1,
		.tie_breaker = 1,
		.use_candidate = use_candidate };
	random_bytes(raw_check.id, sizeof(raw_check.id));
	return stun_write_request(&raw_check, to);
}

/* Returns the size of the datagram received in that time; below 0: none. */
static inline ssize_t
raw_answer(int fd, unsigned char *to, size_t room, int ms)
{
	ssize_t n = -1;

	rtc_until((n = recv(fd, to, room, MSG_DONTWAIT)) >= 0, ms);
	return n;
}

static inline bool
raw_is_answered(int fd, const unsigned char *request, size_t n)
{
	struct sockaddr_storage mapped;
	unsigned char p[2000];
	ssize_t got;

	ck_assert_int_eq(send(fd, request, n, 0), (ssize_t)n);
	got = raw_answer(fd, p, sizeof(p), 5000);
	return got > 0 && stun_read_success(p, (size_t)got, &raw_check, &mapped);
}

static inline bool
raw_is_dropped(int fd, const unsigned char *request, size_t n)
{
	unsigned char p[2000];

	ck_assert_int_eq(send(fd, request, n, 0), (ssize_t)n);
	return raw_answer(fd, p, sizeof(p), 30) < 0;
}

#endif
