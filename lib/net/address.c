/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * IPv4 is public except for the rows.  IPv6 is public only within 2000::/3, except for
 * the rows.  Addresses that contain an IPv4 address (mapped, 6to4, Teredo) are other
 * spellings of the IPv4 address and refused; only NAT64, through which an IPv6-only
 * host reaches IPv4, is decided by the address inside.
 */
#include "net/address.h"

#include <stddef.h>
#include <string.h>
#include <sys/socket.h>

struct range {
	unsigned char ip[16];
	size_t bits; /* length of the prefix */
};

/* clang-format off */
static const struct range	 v4_special[] = {
	{ { 0 },                8 }, /* this host */
	{ { 10 },               8 }, /* private */
	{ { 100, 64 },         10 }, /* carrier's NAT */
	{ { 127 },              8 }, /* loopback */
	{ { 169, 254 },        16 }, /* link-local, cloud metadata */
	{ { 172, 16 },         12 }, /* private */
	{ { 192, 0, 0 },       24 }, /* protocol assignments */
	{ { 192, 0, 2 },       24 }, /* documentation */
	{ { 192, 88, 99 },     24 }, /* 6to4 relays, withdrawn */
	{ { 192, 168 },        16 }, /* private */
	{ { 198, 18 },         15 }, /* benchmarks */
	{ { 198, 51, 100 },    24 }, /* documentation */
	{ { 203, 0, 113 },     24 }, /* documentation */
	{ { 224 },              4 }, /* multicast */
	{ { 240 },              4 }, /* reserved, broadcast */
};

static const struct range	 v6_special[] = {
	{ { 0x20, 0x01 },             23 }, /* protocol assignments, Teredo */
	{ { 0x20, 0x01, 0x0d, 0xb8 }, 32 }, /* documentation */
	{ { 0x20, 0x02 },             16 }, /* 6to4 */
	{ { 0x3f, 0xff },             20 }, /* documentation */
};

static const struct range	 v6_global = { { 0x20 }, 3 };
static const struct range	 v6_nat64  = { { 0x00, 0x64, 0xff, 0x9b }, 96 };
/* clang-format on */

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static bool
within(const struct range *r, const unsigned char *ip)
{
	size_t whole = r->bits / 8;
	unsigned char mask = (unsigned char)(0xff00 >> r->bits % 8);

	return memcmp(ip, r->ip, whole) == 0 &&
	       (mask == 0 || (ip[whole] & mask) == r->ip[whole]);
}

static bool
within_any(const struct range *r, size_t n, const unsigned char *ip)
{
	for (size_t i = 0; i < n; i++)
		if (within(&r[i], ip))
			return true;
	return false;
}

static bool
v4_is_public(const unsigned char *ip)
{
	return !within_any(v4_special, COUNT(v4_special), ip);
}

static bool
v6_is_public(const unsigned char *ip)
{
	if (within(&v6_nat64, ip))
		return v4_is_public(ip + 12);
	return within(&v6_global, ip) && !within_any(v6_special, COUNT(v6_special), ip);
}

bool
address_is_public(int family, const void *ip)
{
	return family == AF_INET ? v4_is_public(ip)
				 : family == AF_INET6 && v6_is_public(ip);
}
