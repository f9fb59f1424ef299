#include "audio/sound_magic.h"

#include <string.h>

#include "audio/mpeg_frame.h"

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

/* A frame at p, and at its end one with the same version, layer and rate. */
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
