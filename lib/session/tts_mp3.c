/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Removes the parts of an MP3 file that precede its audio, so that files can be joined:
 * an ID3v2 tag, and a frame with a table of the file, which LAME marks "Xing" or
 * "Info".
 */
#include <stdbool.h>
#include <string.h>

#include "session/tts_session.h"

#define TABLE_AT 40 /* bytes of a frame in which the table mark may be */

static size_t
tag_bytes(const unsigned char *p, size_t n)
{
	return n >= 10 && memcmp(p, "ID3", 3) == 0
		   ? 10 + ((size_t)(p[6] & 127) << 21 | (size_t)(p[7] & 127) << 14 |
			      (size_t)(p[8] & 127) << 7 | (size_t)(p[9] & 127))
		   : 0;
}

/* Length of a frame of ISO 11172-3 or 13818-3, layer III; 0: not a frame. */
static size_t
frame_bytes(const unsigned char *p, size_t n)
{
	static const int kbits[2][16] = {
		{ 0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160 },
		{ 0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320 },
	};
	static const int rates[4] = { 44100, 48000, 32000, 1 };
	int version, kbit, rate;

	if (n < 4 || p[0] != 0xff || (p[1] & 0xe6) != 0xe2)
		return 0;
	version = p[1] >> 3 & 3; /* version bits; 3: MPEG 1, 2: MPEG 2, 0: MPEG 2.5 */
	kbit = kbits[version == 3][p[2] >> 4];
	rate = rates[p[2] >> 2 & 3] >> (version == 3 ? 0 : version == 2 ? 1 : 2);
	return rate < 8000 ? 0
			   : (size_t)((version == 3 ? 144 : 72) * kbit * 1000 / rate +
				      (p[2] >> 1 & 1));
}

static bool
is_table(const unsigned char *p, size_t n)
{
	size_t look = n < TABLE_AT ? n : TABLE_AT;

	return memmem(p, look, "Xing", 4) != NULL || memmem(p, look, "Info", 4) != NULL;
}

const char *
tts_mp3_audio(const char *bytes, size_t *n)
{
	const unsigned char *p = (const unsigned char *)bytes;
	size_t skip = tag_bytes(p, *n), frame;

	if (skip >= *n)
		return bytes;
	frame = frame_bytes(p + skip, *n - skip);
	if (frame > 0 && skip + frame < *n && is_table(p + skip, frame))
		skip += frame;
	*n -= skip;
	return bytes + skip;
}
