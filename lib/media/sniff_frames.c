/*
 * Streams without a container: sequences of frames or packs.
 */
#include <string.h>

#include "audio/mpeg_frame.h"
#include "media/probe.h"

#define FRAMES_MIN 3 /* in a row; fewer at the end of the file */

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
	return is_stream(f, mpeg_frame_bytes);
}

bool
sniff_is_aac(const struct probe *f)
{
	return is_stream(f, mpeg_frame_adts_bytes);
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
