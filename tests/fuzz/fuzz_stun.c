/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A STUN datagram, once as it is and once with a correct integrity and fingerprint
 * appended, so that it is answered.
 */
#include <netinet/in.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "rtc/stun.h"
#include "rtc/turn.h"

int LLVMFuzzerTestOneInput(const uint8_t *, size_t);

static const char pwd[] = "ThePasswordHas24Letters/";

static const void *
inside(const struct stun_request *rq, const void *p, size_t n)
{
	const unsigned char *at = p;

	if (at < rq->bytes || at + n > rq->bytes + rq->n)
		abort();
	return p;
}

/* Answers are short for any request. */
static void
answer(const struct stun_request *rq)
{
	const struct sockaddr_in6 from = { .sin6_family = AF_INET6, .sin6_port = 1 };
	unsigned char to[STUN_ROOM];
	struct stun_check check = { .peer_pwd = pwd };
	struct sockaddr_storage mapped;
	size_t n = stun_write_success(rq, pwd, (const void *)&from, to);

	memcpy(check.id, rq->bytes + 8, STUN_ID);
	if (n > rq->n + 60 || !stun_read_success(to, n, &check, &mapped) ||
	    memcmp(&mapped, &from, sizeof(from)) != 0)
		abort();
	if (stun_write_error(rq, pwd, STUN_UNKNOWN_ATTRIBUTE, to) > rq->n + 60 ||
	    stun_write_error(rq, pwd, STUN_ROLE_CONFLICT, to) > rq->n + 60)
		abort();
}

static void
read_one(const uint8_t *data, size_t n)
{
	struct stun_request rq;

	if (!stun_read(data, n, &rq))
		return;
	inside(&rq, rq.ufrag, rq.ufrag_n);
	inside(&rq, rq.peer_ufrag, rq.peer_ufrag_n);
	inside(&rq, rq.bytes + rq.integrity, 24);
	if (rq.n_unknown > STUN_UNKNOWN)
		abort();
	if (stun_is_from(&rq, pwd))
		answer(&rq);
}

/* The same bytes as an answer of a TURN server. */
static void
read_turn(const uint8_t *data, size_t n)
{
	struct turn_client c = { .username = "a", .password = "b" };
	const unsigned char *got;
	unsigned char out[TURN_ROOM];
	size_t bytes;

	if (n < 20)
		return;
	memcpy(c.id, data + 8, STUN_ID);
	if (turn_read_answer(&c, data, n) > 699 ||
	    turn_write_allocate(&c, out) > TURN_ROOM)
		abort();
	got = turn_read_data(data, n, &bytes);
	if (got != NULL && (got < data || got + bytes > data + n))
		abort();
	turn_message_bytes(data, n);
}

static void
put_length(uint8_t *message, size_t n)
{
	message[2] = (uint8_t)((n - 20) >> 8);
	message[3] = (uint8_t)(n - 20);
}

/* MESSAGE-INTEGRITY and FINGERPRINT. */
static size_t
finish(uint8_t *message, size_t n)
{
	static const uint8_t integrity[4] = { 0, 8, 0, 20 },
			     print[4] = { 0x80, 0x28, 0, 4 };
	uint32_t sum;

	put_length(message, n + 24);
	memcpy(message + n, integrity, 4);
	hmac_sha1(pwd, strlen(pwd), message, n, message + n + 4);
	put_length(message, n + 32);
	memcpy(message + n + 24, print, 4);
	sum = htonl(crc(message, n + 24) ^ 0x5354554e);
	memcpy(message + n + 28, &sum, 4);
	return n + 32;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	static const struct stun_check check = { .peer_pwd = pwd };
	struct sockaddr_storage mapped;
	uint8_t message[STUN_MOST] = { 0 };

	read_one(data, n);
	read_turn(data, n);
	if (stun_read_success(data, n, &check, &mapped))
		abort(); /* the fuzzer cannot know the password */
	n = n < 1200 ? n & ~(size_t)3 : 1200;
	memcpy(message, data, n);
	if (n >= 20)
		read_one(message, finish(message, n));
	return 0;
}
