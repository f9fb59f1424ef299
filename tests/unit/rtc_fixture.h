/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TESTS_UNIT_RTC_FIXTURE_H
#define TESTS_UNIT_RTC_FIXTURE_H

/*
 * A server and a client of lib/rtc in one process, over real sockets of the loopback
 * interface, each with one peer connection; optionally with a relay between them that
 * loses datagrams.
 */
#include <arpa/inet.h>
#include <check.h>
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/hash.h"
#include "rtc/rtc.h"
#include "rtc/transport_socket.h"
#include "tests/unit/suite.h"

/* One of the two sides, and its received data. */
struct rtc_side {
	struct rtc *rtc;
	struct rtc_peer *peer;
	struct ice_credentials ice;
	enum rtc_state state;
	unsigned packets;
	struct rtp_packet last;
	unsigned char payload[RTP_MOST];
	unsigned channels;
	unsigned messages;
	size_t message_n; /* length of the last message */
	char label[16];
	unsigned char message[256 << 10];
	int loss;
	uint32_t loss_ssrc;
	bool closes; /* close the peer connection in its next callback */
};

static struct arena *mem;
static struct rtc_side server, client;
static int64_t clock_us; /* time by which this clock is ahead of the real one */

/* ---- callbacks ---- */

static void
close_if_wanted(struct rtc_side *s)
{
	if (!s->closes)
		return;
	rtc_peer_close(s->peer);
	s->peer = NULL;
}

static void
note_state(void *owner, enum rtc_state state)
{
	struct rtc_side *s = owner;

	ck_assert_ptr_nonnull(s->peer);
	s->state = state;
	close_if_wanted(s);
}

static void
note_packet(void *owner, const struct rtp_packet *r)
{
	struct rtc_side *s = owner;

	ck_assert_ptr_nonnull(s->peer);
	s->packets++;
	s->last = *r;
	memcpy(s->payload, r->p, r->n);
	s->last.p = s->payload;
	close_if_wanted(s);
}

static void
note_channel(void *owner, const char *label)
{
	struct rtc_side *s = owner;

	ck_assert_ptr_nonnull(s->peer);
	ck_assert(rtc_peer_has_channel(s->peer, label));
	s->channels++;
	close_if_wanted(s);
}

static void
note_message(void *owner, const char *label, const void *p, size_t n)
{
	struct rtc_side *s = owner;

	ck_assert_ptr_nonnull(s->peer);
	ck_assert_uint_le(n, sizeof(s->message));
	s->messages++;
	s->message_n = n;
	memcpy(s->message, p, n);
	snprintf(s->label, sizeof(s->label), "%s", label);
	close_if_wanted(s);
}

static void
note_loss(void *owner, uint32_t ssrc, int percent)
{
	struct rtc_side *s = owner;

	s->loss_ssrc = ssrc;
	s->loss = percent;
}

static const struct rtc_events rtc_events = { note_state, note_packet, note_channel,
	note_message, note_loss };

/* ---- both ---- */

static inline int64_t
rtc_clock(void)
{
	return monotonic_us() + clock_us;
}

static inline void
rtc_turn(struct rtc_side *s)
{
	if (s->rtc == NULL)
		return;
	rtc_receive(s->rtc);
	rtc_tick(s->rtc, rtc_clock());
}

static void (*rtc_relay)(void); /* called in each turn; or NULL */

/* Runs for at most this long, and at least some turns, until the condition holds. */
#define rtc_until(condition, ms)                                                       \
	for (int64_t end_ = monotonic_us() + (ms)*INT64_C(1000), turns_ = 0;           \
	     !(condition) && (turns_ < 5 || monotonic_us() < end_); turns_++) {        \
		rtc_turn(&server);                                                     \
		rtc_turn(&client);                                                     \
		if (rtc_relay != NULL)                                                 \
			rtc_relay();                                                   \
		usleep(1000);                                                          \
	}

/* As rtc_until(), with ten times that limit; fails unless the condition holds. */
#define rtc_expect(condition, ms)                                                      \
	do {                                                                           \
		rtc_until(condition, 10 * (ms));                                       \
		ck_assert_msg(condition, "%s", #condition);                            \
	} while (0)

static inline void
rtc_side_open(struct rtc_side *s, const char *listen, bool is_client, int max_peers)
{
	const struct rtc_settings settings = {
		.at = { .listen = listen, .address = "", .port = 0, .tcp = !is_client },
		.max_peers = max_peers,
		.client = is_client,
	};

	*s = (struct rtc_side){ .loss = -1 };
	s->rtc = rtc_open(mem, &settings, &rtc_events);
	ck_assert_ptr_nonnull(s->rtc);
}

static inline void
rtc_side_peer(struct rtc_side *s, bool channels)
{
	ice_credentials_new(&s->ice);
	s->state = RTC_NEW;
	s->peer = rtc_peer_open(s->rtc, s, &s->ice, channels);
	ck_assert_ptr_nonnull(s->peer);
}

static inline void
rtc_describe(struct rtc_side *to, const struct rtc_side *of)
{
	ck_assert(rtc_peer_remote(
	    to->peer, "sha-256", rtc_fingerprint(of->rtc), 5000, to == &client));
}

/* Connects with the roles that pion chooses: our server begins DTLS. */
static inline void
rtc_describe_passive(struct rtc_side *to, const struct rtc_side *of)
{
	ck_assert(rtc_peer_remote(
	    to->peer, "sha-256", rtc_fingerprint(of->rtc), 5000, to == &server));
}

/* Makes the client connect to an address of the server. */
static inline void
rtc_dial(const char *address, int port, bool tcp)
{
	struct ice_candidate at = { .port = port, .tcp = tcp };

	snprintf(at.address, sizeof(at.address), "%s", address);
	rtc_peer_connect(client.peer, &at, server.ice.ufrag, server.ice.pwd);
}

/* Opens both sides, each with a peer connection; the server opens the channels. */
static inline void
rtc_open_both(const char *listen)
{
	rtc_side_open(&server, listen, false, 100);
	rtc_side_open(&client, listen, true, 100);
	rtc_side_peer(&server, true);
	rtc_side_peer(&client, false);
}

static inline void
rtc_connect(const char *address, bool tcp)
{
	rtc_open_both(address);
	rtc_describe(&server, &client);
	rtc_describe(&client, &server);
	rtc_dial(address, rtc_port(server.rtc), tcp);
	rtc_expect(
	    server.state == RTC_CONNECTED && client.state == RTC_CONNECTED, 5000);
}

static inline void
rtc_send(struct rtc_side *from, uint32_t ssrc, uint16_t seq, const char *text)
{
	const struct rtp_packet r = { .type = RTP_OPUS,
		.seq = seq,
		.ts = 960U * seq,
		.ssrc = ssrc,
		.p = (const unsigned char *)text,
		.n = strlen(text) };

	rtc_peer_send(from->peer, &r);
	rtc_flush(from->rtc);
}

/* Opens a socket of another host, which receives datagrams from this address only. */
static inline int
rtc_stranger_at(const char *address, int port)
{
	struct sockaddr_storage to;
	socklen_t n = transport_address_read(address, port, &to);
	int fd = socket(to.ss_family, SOCK_DGRAM | SOCK_NONBLOCK, 0);

	ck_assert_int_eq(connect(fd, (struct sockaddr *)&to, n), 0);
	return fd;
}

static inline int
rtc_stranger(int port)
{
	return rtc_stranger_at("127.0.0.1", port);
}

static void
rtc_setup(void)
{
	mem = arena_new();
	server = client = (struct rtc_side){ 0 };
	clock_us = 0;
	rtc_relay = NULL;
}

static void
rtc_teardown(void)
{
	if (client.rtc != NULL)
		rtc_close(client.rtc);
	if (server.rtc != NULL)
		rtc_close(server.rtc);
	arena_free(mem);
}

#endif
