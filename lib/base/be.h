/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef BASE_BE_H
#define BASE_BE_H

#include <stdint.h>

/* Numbers in packets: big-endian, at any address. */

static inline unsigned
be16(const unsigned char *p)
{
	return (unsigned)p[0] << 8 | p[1];
}

static inline uint32_t
be32(const unsigned char *p)
{
	return (uint32_t)be16(p) << 16 | be16(p + 2);
}

static inline void
put_be16(unsigned char *to, unsigned v)
{
	to[0] = (unsigned char)(v >> 8);
	to[1] = (unsigned char)v;
}

static inline void
put_be32(unsigned char *to, uint32_t v)
{
	put_be16(to, v >> 16);
	put_be16(to + 2, v & 0xffff);
}

#endif
