/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef UNIT_STUN_FIXTURE_H
#define UNIT_STUN_FIXTURE_H

#include <arpa/inet.h>
#include <check.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>

#include "base/hash.h"
#include "rtc/stun.h"
#include "tests/unit/suite.h"

/* ---- the vectors of RFC 5769 ---- */

#define VECTOR_PWD "VOkJxbRl1RmTxUk/WvJxBt"
#define VECTOR_ID "\xb7\xe7\xa7\x01\xbc\x34\xd6\x86\xfa\x87\xdf\xae"

static const char vector_request[] =
    "\x00\x01\x00\x58\x21\x12\xa4\x42" VECTOR_ID "\x80\x22\x00\x10STUN test client"
    "\x00\x24\x00\x04\x6e\x00\x01\xff"
    "\x80\x29\x00\x08\x93\x2f\xf9\xb1\x51\x26\x3b\x36"
    "\x00\x06\x00\x09\x65\x76\x74\x6a\x3a\x68\x36\x76\x59\x20\x20\x20"
    "\x00\x08\x00\x14\x9a\xea\xa7\x0c\xbf\xd8\xcb\x56\x78\x1e\xf2\xb5"
    "\xb2\xd3\xf2\x49\xc1\xb5\x71\xa2"
    "\x80\x28\x00\x04\xe5\x7a\x3b\xcf";

static const char vector_response4[] =
    "\x01\x01\x00\x3c\x21\x12\xa4\x42" VECTOR_ID "\x80\x22\x00\x0btest vector "
    "\x00\x20\x00\x08\x00\x01\xa1\x47\xe1\x12\xa6\x43"
    "\x00\x08\x00\x14\x2b\x91\xf5\x99\xfd\x9e\x90\xc3\x8c\x74\x89\xf9"
    "\x2a\xf9\xba\x53\xf0\x6b\xe7\xd7"
    "\x80\x28\x00\x04\xc0\x7d\x4c\x96";

static const char vector_response6[] =
    "\x01\x01\x00\x48\x21\x12\xa4\x42" VECTOR_ID "\x80\x22\x00\x0btest vector "
    "\x00\x20\x00\x14\x00\x02\xa1\x47\x01\x13\xa9\xfa"
    "\xa5\xd3\xf1\x79\xbc\x25\xf4\xb5\xbe\xd2\xb9\xd9"
    "\x00\x08\x00\x14\xa3\x82\x95\x4e\x4b\xe6\x7b\xf1\x17\x84\xc9\x7c"
    "\x82\x92\xc2\x75\xbf\xe3\xed\x41"
    "\x80\x28\x00\x04\xc8\xfb\x0b\x4c";

#define BYTES(literal) (literal), sizeof(literal) - 1

/* Returns "address port". */
static inline const char *
address_text(const struct sockaddr_storage *from)
{
	static char text[INET6_ADDRSTRLEN + 8];
	char address[INET6_ADDRSTRLEN];
	const struct sockaddr_in *in4 = (const void *)from;
	const struct sockaddr_in6 *in6 = (const void *)from;
	bool six = from->ss_family == AF_INET6;

	ck_assert_ptr_nonnull(inet_ntop(from->ss_family,
	    six ? (const void *)&in6->sin6_addr : &in4->sin_addr, address,
	    sizeof(address)));
	snprintf(text, sizeof(text), "%s %d", address,
	    ntohs(six ? in6->sin6_port : in4->sin_port));
	return text;
}

/* ---- requests that this test makes itself ---- */

#define PWD "asd88fgpdd777uzjYhagZg"
#define ID "dragoman1234"
#define OURS "\x00\x06\x00\x05me:yo\0\0\0"
#define PRIORITY "\x00\x24\x00\x04\x6e\x7f\x1e\xff"
#define NOMINATES "\x00\x25\x00\x00"
#define CONTROLLING "\x80\x2a\x00\x08TIEBREAK"
#define CONTROLLED "\x80\x29\x00\x08TIEBREAK"

struct made {
	unsigned char p[2000];
	size_t n;
};

static inline void
made_put(struct made *m, const void *p, size_t n)
{
	memcpy(m->p + m->n, p, n);
	m->n += n;
	m->p[2] = (unsigned char)((m->n - 20) >> 8);
	m->p[3] = (unsigned char)(m->n - 20);
}

static inline void
made_begin(struct made *m, const void *attributes, size_t n)
{
	memcpy(m->p, "\0\1\0\0\x21\x12\xa4\x42" ID, m->n = 20);
	made_put(m, attributes, n);
}

static inline void
made_sign(struct made *m)
{
	unsigned char sum[24] = { 0, 8, 0, 20 };
	size_t n = m->n;

	made_put(m, sum, sizeof(sum));
	hmac_sha1(PWD, strlen(PWD), m->p, n, m->p + n + 4);
}

static inline void
made_print(struct made *m)
{
	static const unsigned char head[8] = { 0x80, 0x28, 0, 4 };
	size_t n = m->n;
	uint32_t sum;

	made_put(m, head, sizeof(head));
	sum = htonl(crc(m->p, n) ^ 0x5354554e);
	memcpy(m->p + n + 4, &sum, 4);
}

#endif
