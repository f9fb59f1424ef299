/*
 * Streams without a container: sequences of frames or packs.
 */
#include <string.h>

#include "media/probe.h"

#define FRAMES_MIN 3 /* in a row; fewer at the end of the file */

/* Bytes of the MPEG audio frame with this header; 0: it is none. */
static int
mpeg_frame(const uint8_t *h)
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

static int
adts_frame(const uint8_t *h)
{
	int size = (h[3] & 3) << 11 | h[4] << 3 | h[5] >> 5;

	if (h[0] != 0xff || (h[1] & 0xf6) != 0xf0 || (h[2] >> 2 & 15) > 12 || size < 8)
		return 0;
	return size;
}

/* Consecutive frames, or fewer up to the end of the file or an ID3v1 tag. */
static bool
is_stream(const struct probe *f, int (*frame)(const uint8_t *))
{
	uint8_t h[8];
	int64_t at = probe_behind_id3(f);
	int n = 0, size;

	for (; n < FRAMES_MIN && probe_at(f, at, h, 8); n++, at += size)
		if ((size = frame(h)) == 0)
			break;
	return n == FRAMES_MIN ||
	       (n > 0 && (at == f->size || probe_has(f, at, "TAG", 3)));
}

bool
sniff_is_mp3(const struct probe *f)
{
	return is_stream(f, mpeg_frame);
}

bool
sniff_is_aac(const struct probe *f)
{
	return is_stream(f, adts_frame);
}

/* A pack, then another start code. */
bool
sniff_is_mpeg_program(const struct probe *f)
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

/* A sequence header with a picture size, and more bytes. */
bool
sniff_is_mpeg_video(const struct probe *f)
{
	uint8_t h[13];

	return probe_at(f, 0, h, 13) && memcmp(h, "\0\0\1\xb3", 4) == 0 &&
	       (h[4] << 4 | h[5] >> 4) != 0 && ((h[5] & 15) << 8 | h[6]) != 0;
}
