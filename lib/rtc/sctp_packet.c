/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "rtc/sctp_packet.h"

#include <stdint.h>

#define COMMON_HEADER 12
#define HEAD 4       /* type and length of a chunk, parameter or cause */
#define INIT_HEAD 20 /* bytes of an INIT before its parameters */

/* RFC 9260, 3.2; RFC 5061, 4.1; RFC 6525, 3.1. */
enum chunk_type {
	INIT = 1,
	INIT_ACK = 2,
	HEARTBEAT = 4,
	HEARTBEAT_ACK = 5,
	ABORT = 6,
	ERROR = 9,
	ASCONF_ACK = 128,
	RE_CONFIG = 130,
	ASCONF = 193,
};

/*
 * Returns the bytes to the next item, padding included; 0: the length of this item is
 * wrong.
 */
static size_t
item_size(const unsigned char *p, size_t n)
{
	size_t length = n < HEAD ? 0 : (size_t)p[2] << 8 | p[3];

	if (length < HEAD || length > n)
		return 0;
	length = (length + 3) & ~(size_t)3;
	return length < n ? length : n; /* the last item may lack its padding */
}

static bool
items_are_valid(const unsigned char *p, size_t n)
{
	while (n > 0) {
		size_t size = item_size(p, n);

		if (size == 0)
			return false;
		p += size;
		n -= size;
	}
	return true;
}

/* Check the n bytes of a chunk, without its padding. */
static bool
chunk_is_valid(const unsigned char *p, size_t n, bool alone)
{
	switch ((enum chunk_type)p[0]) {
	case INIT:
	case INIT_ACK:
		return alone && n >= INIT_HEAD &&
		       items_are_valid(p + INIT_HEAD, n - INIT_HEAD);
	case HEARTBEAT:
	case HEARTBEAT_ACK:
	case ABORT:
	case ERROR:
	case RE_CONFIG:
		return items_are_valid(p + HEAD, n - HEAD);
	case ASCONF:
	case ASCONF_ACK:
		return false;
	}
	return true;
}

bool
sctp_packet_is_valid(const void *packet, size_t n)
{
	const unsigned char *p = packet;
	bool first = true;

	if (n < COMMON_HEADER + HEAD)
		return false;
	p += COMMON_HEADER;
	n -= COMMON_HEADER;
	while (n > 0) {
		size_t size = item_size(p, n);

		if (size == 0 ||
		    !chunk_is_valid(p, (size_t)p[2] << 8 | p[3], first && size == n))
			return false;
		p += size;
		n -= size;
		first = false;
	}
	return true;
}
