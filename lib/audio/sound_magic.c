/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "audio/sound_magic.h"

#include <string.h>

int
mpeg_frame_bytes(const uint8_t *h)
{
	static const short kbps[5][15] = {
		{ 0, 32, 64, 96, 128, 160, 192, 224, 256, 288, 320, 352, 384, 416,
		    448 },
		{ 0, 32, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384 },
		{ 0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320 },
		{ 0, 32, 48, 56, 64, 80, 96, 112, 128, 144, 160, 176, 192, 224, 256 },
		{ 0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160 },
	};
	static const int hz[3] = { 44100, 48000, 32000 };
	int version = h[1] >> 3 & 3, layer = 4 - (h[1] >> 1 & 3), rate = h[2] >> 2 & 3;
	int pad = h[2] >> 1 & 1, half = version == 3 ? 0 : version == 2 ? 1 : 2;
	int row = half == 0 ? layer - 1 : layer == 1 ? 3 : 4, bits;

	if (h[0] != 0xff || (h[1] & 0xe0) != 0xe0 || version == 1 || layer == 4 ||
	    h[2] >> 4 == 0 || h[2] >> 4 == 15 || rate == 3)
		return 0;
	bits = kbps[row][h[2] >> 4] * 1000;
	rate = hz[rate] >> half;
	if (layer == 1)
		return (12 * bits / rate + pad) * 4;
	return (layer == 3 && half > 0 ? 72 : 144) * bits / rate + pad;
}

int
mpeg_frame_adts_bytes(const uint8_t *h)
{
	int size = (h[3] & 3) << 11 | h[4] << 3 | h[5] >> 5;

	if (h[0] != 0xff || (h[1] & 0xf6) != 0xf0 || (h[2] >> 2 & 15) > 12 || size < 8)
		return 0;
	return size;
}

/* clang-format off */
static const struct {
	size_t at, n;
	const char *bytes, *name;
} magics[] = {
	{ 0, 3, "ID3",              "MP3" },
	{ 0, 4, "OggS",             "Ogg" },
	{ 0, 4, "fLaC",             "FLAC" },
	{ 0, 4, "\x1a\x45\xdf\xa3", "WebM" },
	{ 4, 4, "ftyp",             "MP4" },
	{ 0, 4, "FORM",             "AIFF" },
	{ 0, 4, ".snd",             "AU" },
	{ 0, 4, "caff",             "CAF" },
	{ 0, 5, "#!AMR",            "AMR" },
	{ 0, 4, "RIFX",             "RIFX" },
	{ 0, 8, "riff.\x91\xcf\x11", "Wave64" },
};
/* clang-format on */

/* True if p begins with a frame, and a second frame of the same version, layer and rate
   follows it. */
static bool
repeats(const unsigned char *p, size_t n, int (*frame_bytes)(const uint8_t *))
{
	size_t size = n >= 6 ? (size_t)frame_bytes(p) : 0;
	const unsigned char *next = p + size;

	return size > 0 && size + 6 <= n && frame_bytes(next) > 0 && next[1] == p[1] &&
	       ((next[2] ^ p[2]) & 0x0c) == 0;
}

static const char *
frame_name(const unsigned char *p, size_t n)
{
	return repeats(p, n, mpeg_frame_bytes)        ? "MP3"
	       : repeats(p, n, mpeg_frame_adts_bytes) ? "AAC"
						      : NULL;
}

const char *
sound_magic(const void *bytes, size_t n, bool frames)
{
	const unsigned char *p = bytes, *end = p + n;
	const char *name = NULL;

	for (size_t i = 0; i < sizeof(magics) / sizeof(magics[0]); i++)
		if (n >= magics[i].at + magics[i].n &&
		    memcmp(p + magics[i].at, magics[i].bytes, magics[i].n) == 0)
			return magics[i].name;
	while (p < end && *p == 0)
		p++;
	do
		name = frame_name(p, (size_t)(end - p));
	while (name == NULL && frames && ++p < end);
	return name;
}
