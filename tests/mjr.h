/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TESTS_MJR_H
#define TESTS_MJR_H

/*
 * Recordings of a Janus mountpoint, MJR files: RTP packets and their arrival times.
 * The file has "MJR00002", the length and text of a JSON object, and for each packet
 * "MEET", 4 bytes of milliseconds, 2 bytes of length, and the packet.
 */
#include <stdio.h>
#include <string.h>

#include "audio/rtp.h"
#include "base/arena.h"

struct mjr_packet {
	int64_t at_ms; /* milliseconds since the recording began */
	struct rtp_packet rtp;
};

#define MJR_MOST (4 << 20)

static inline size_t
mjr_be(const unsigned char *p, int bytes)
{
	size_t v = 0;

	for (int i = 0; i < bytes; i++)
		v = v << 8 | p[i];
	return v;
}

/* Reads all packets into the arena; returns their number. */
static inline size_t
mjr_read(struct arena *mem, const char *path, struct mjr_packet **to)
{
	unsigned char *all = arena_alloc(mem, MJR_MOST), *p = all;
	FILE *f = fopen(path, "rb");
	size_t left = f != NULL ? fread(all, 1, MJR_MOST, f) : 0, n = 0;

	if (f != NULL)
		fclose(f);
	*to = arena_alloc(mem, (left / 22 + 1) * sizeof(**to));
	if (left < 10)
		return 0;
	p += 10 + mjr_be(p + 8, 2);
	while ((size_t)(all + left - p) > 10 && memcmp(p, "MEET", 4) == 0) {
		size_t size = mjr_be(p + 8, 2);

		(*to)[n].at_ms = (int64_t)mjr_be(p + 4, 4);
		if ((size_t)(all + left - p) < 10 + size ||
		    !rtp_read(p + 10, size, &(*to)[n++].rtp))
			return 0;
		p += 10 + size;
	}
	return n;
}

#endif
