/*
 * Streams of MPEG: packs, pictures, packets of a transport.  What a recorder cut out of
 * a longer one begins anywhere.
 */
#include <string.h>

#include "media/probe.h"

#define SEARCH_MOST 2097152 /* bytes up to the first pack */
#define PACKETS_MIN 5       /* of a transport stream, in a row */
#define TABLE_MOST 20000    /* packets up to the first table */

/* A pack, then another start code. */
static bool
has_pack(const struct probe *f)
{
	uint8_t h[14];
	int64_t at;

	if (!probe_at(f, 0, h, 14) || memcmp(h, "\0\0\1\xba", 4) != 0)
		return false;
	if ((h[4] & 0xc0) == 0x40) /* MPEG-2 */
		at = 14 + (h[13] & 7);
	else if ((h[4] & 0xf0) == 0x20)
		at = 12;
	else
		return false;
	return probe_has(f, at, "\0\0\1", 3) && probe_at(f, at, h, 4) && h[3] >= 0xb9;
}

bool
sniff_is_mpeg_program(struct probe *f)
{
	bool cut = probe_has(f, 0, "\0\0\1", 3) || !sniff_is_foreign(f);

	return has_pack(f) || (cut && probe_search(f, 0, SEARCH_MOST, has_pack));
}

/* A sequence header with a picture size, and more bytes. */
bool
sniff_is_mpeg_video(struct probe *f)
{
	uint8_t h[13];

	return probe_at(f, 0, h, 13) && memcmp(h, "\0\0\1\xb3", 4) == 0 &&
	       (h[4] << 4 | h[5] >> 4) != 0 && ((h[5] & 15) << 8 | h[6]) != 0;
}

/* True if a program association table begins in the packet. */
static bool
has_table(const struct probe *f, int64_t at)
{
	uint8_t h[8];

	return probe_at(f, at, h, 8) && h[0] == 0x47 && (h[1] & 0xdf) == 0x40 &&
	       h[2] == 0 && (h[3] & 0x10) != 0 && ((h[3] & 0x20) != 0 || h[5] == 0);
}

static bool
has_packets(const struct probe *f, int64_t size)
{
	for (int i = 0; i < PACKETS_MIN; i++)
		if (!probe_has(f, i * size, "\x47", 1))
			return false;
	for (int64_t i = 0; i < TABLE_MOST && i * size < f->size; i++)
		if (has_table(f, i * size))
			return true;
	return false;
}

/* Packets of ISO 13818-1, plain, behind a time (M2TS) or before a checksum. */
static bool
has_transport(const struct probe *f)
{
	return has_packets(f, 188) || has_packets(f, 192) || has_packets(f, 204);
}

bool
sniff_is_mpeg_transport(struct probe *f)
{
	return !sniff_is_foreign(f) && probe_search(f, 0x47, 2 * 204, has_transport);
}
