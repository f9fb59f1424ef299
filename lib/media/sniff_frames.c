/*
 * Frames of sound without a container.  They may begin behind tags, zeros, a frame
 * that was cut, or the rest of a tag that says too small a size.
 */
#include <ctype.h>
#include <string.h>

#include "audio/mpeg_frame.h"
#include "media/probe.h"

#define FRAMES_MIN 3        /* in a row; fewer at the end of the file */
#define SEARCH_MOST 2097152 /* bytes; a picture may be behind a tag */
#define TEXT_BYTES 64       /* more letters than a table of frames has in a row */

/* True if the frame is like the first: same version, layer and rate. */
static bool
is_alike(const uint8_t *first, const uint8_t *h)
{
	return first[1] == h[1] && ((first[2] ^ h[2]) & 0x0c) == 0;
}

/* Frames in a row from here, up to FRAMES_MIN; *end: where the last one ends. */
static int
count_frames(const struct probe *f, int (*bytes)(const uint8_t *), int64_t *end)
{
	uint8_t first[8], h[8];
	int n = 0, size;

	for (*end = 0; n < FRAMES_MIN && probe_at(f, *end, h, 8); n++, *end += size) {
		if (n == 0)
			memcpy(first, h, sizeof(first));
		if ((size = bytes(h)) == 0 || !is_alike(first, h))
			break;
	}
	return n;
}

static bool
has_mpeg_frames(const struct probe *f)
{
	int64_t end;

	return count_frames(f, mpeg_frame_bytes, &end) == FRAMES_MIN;
}

static bool
has_adts_frames(const struct probe *f)
{
	int64_t end;

	return count_frames(f, mpeg_frame_adts_bytes, &end) == FRAMES_MIN;
}

/* Markup or a script.  Letters alone may be a table or the padding within a frame. */
static bool
is_text(const char *s, size_t n)
{
	if (memchr("<{#", *s, 3) == NULL)
		return false;
	while (n > 0 && (isprint((unsigned char)*s) || isspace((unsigned char)*s)))
		s++, n--;
	return n == 0;
}

bool
sniff_is_foreign(const struct probe *f)
{
	static const char *const magics[] = { "RIFF", "RIFX", "RF64", "BW64", "FORM",
		"OggS", "fLaC", "\x1a\x45\xdf\xa3", "\x89PNG", "\xff\xd8\xff", "GIF8",
		"%PDF", "PK\3\4", "\177ELF", "riff.\x91\xcf\x11", "FLV\1",
		"\x30\x26\xb2\x75" };
	char head[TEXT_BYTES + 1] = "";

	if (probe_at(f, 0, head, TEXT_BYTES) && is_text(head, TEXT_BYTES))
		return true;
	for (size_t i = 0; i < NELEM(magics); i++)
		if (strncmp(head, magics[i], strlen(magics[i])) == 0)
			return true;
	return probe_has(f, 4, "ftyp", 4) || probe_has(f, 4, "moov", 4) ||
	       probe_has(f, 4, "mdat", 4) || probe_has(f, 0, "\0\0\1", 3);
}

/* At the beginning, or fewer up to the end of the file or an ID3v1 tag; or later. */
static bool
is_stream(struct probe *f, int (*bytes)(const uint8_t *),
    bool (*has_frames)(const struct probe *))
{
	int64_t end;
	int n;

	probe_skip_id3(f);
	n = count_frames(f, bytes, &end);
	if (n == FRAMES_MIN ||
	    (n > 0 && (end == f->size || probe_has(f, end, "TAG", 3))))
		return true;
	return !sniff_is_foreign(f) && probe_search(f, 0xff, SEARCH_MOST, has_frames);
}

bool
sniff_is_mp3(struct probe *f)
{
	return is_stream(f, mpeg_frame_bytes, has_mpeg_frames);
}

bool
sniff_is_aac(struct probe *f)
{
	return is_stream(f, mpeg_frame_adts_bytes, has_adts_frames);
}
