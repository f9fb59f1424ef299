/*
 * Which format a file is in, told from its structure.  No libav here: its
 * probing guesses, and would find an MP3 in the middle of a web page.
 */
#include "media/sniff.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "media/probe.h"

#define TAGS_MAX 4
#define ZEROS_MAX 65536

bool
probe_at(const struct probe *f, int64_t at, void *to, size_t n)
{
	return at >= 0 && at <= f->size && pread(f->fd, to, n, at) == (ssize_t)n;
}

bool
probe_has(const struct probe *f, int64_t at, const void *bytes, size_t n)
{
	char got[16];

	return probe_at(f, at, got, n) && memcmp(got, bytes, n) == 0;
}

uint32_t
probe_be32(const uint8_t *p)
{
	return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

uint32_t
probe_le32(const uint8_t *p)
{
	return (uint32_t)p[3] << 24 | (uint32_t)p[2] << 16 | (uint32_t)p[1] << 8 | p[0];
}

/* Bytes of the ID3v2 tag there; 0: there is none. */
static int64_t
id3_size(const struct probe *f, int64_t at)
{
	uint8_t h[10];

	if (!probe_at(f, at, h, 10) || memcmp(h, "ID3", 3) != 0 || h[3] == 0xff ||
	    h[4] == 0xff || ((h[6] | h[7] | h[8] | h[9]) & 0x80) != 0)
		return 0;
	return (h[6] << 21 | h[7] << 14 | h[8] << 7 | h[9]) +
	       ((h[5] & 0x10) != 0 ? 20 : 10);
}

/* The zeros that sloppy taggers leave count as part of the tag. */
int64_t
probe_behind_id3(const struct probe *f)
{
	int64_t at = 0, end, size;

	for (int i = 0; i < TAGS_MAX && (size = id3_size(f, at)) > 0; i++)
		at += size;
	for (end = at + ZEROS_MAX; at > 0 && at < end && probe_has(f, at, "", 1); at++)
		continue;
	return at;
}

static bool
is_ogg(const struct probe *f)
{
	return probe_has(f, 0, "OggS\0\2", 6);
}

static bool
is_png(const struct probe *f)
{
	return probe_has(f, 0, "\x89PNG\r\n\x1a\n\0\0\0\rIHDR", 16);
}

static bool
is_jpeg(const struct probe *f)
{
	return probe_has(f, 0, "\xff\xd8\xff", 3);
}

static bool
is_webp(const struct probe *f)
{
	uint8_t h[16];

	return probe_at(f, 0, h, 16) && memcmp(h, "RIFF", 4) == 0 &&
	       memcmp(h + 8, "WEBPVP8", 7) == 0 && f->size - 8 >= probe_le32(h + 4);
}

/* clang-format off */
static const struct kind kinds[] = {
	{ "wav",  "wav",           NULL,    is_wav },
	{ "mp3",  "mp3",           NULL,    is_mp3 },
	{ "aac",  "aac",           NULL,    is_aac },
	{ "webm", "matroska,webm", NULL,    is_webm },
	{ "mp4",  "mov",           NULL,    is_mp4 },
	{ "mpeg", "mpeg",          NULL,    is_mpeg_program },
	{ "mpeg", "mpegvideo",     NULL,    is_mpeg_video },
	{ "flac", "flac",          NULL,    is_flac },
	{ "ogg",  "ogg",           NULL,    is_ogg },
	{ "png",  NULL,            "png",   is_png },
	{ "jpeg", NULL,            "mjpeg", is_jpeg },
	{ "webp", NULL,            "webp",  is_webp },
};

static const struct {
	const char *mime_type;
	const char *kind;
} types[] = {
	{ "audio/wav",   "wav" },
	{ "audio/x-wav", "wav" },
	{ "audio/mpeg",  "mp3" },
	{ "audio/mp3",   "mp3" },
	{ "audio/aac",   "aac" },
	{ "audio/webm",  "webm" },
	{ "video/webm",  "webm" },
	{ "video/mp4",   "mp4" },
	{ "audio/x-m4a", "mp4" },
	{ "video/mpeg",  "mpeg" },
	{ "audio/flac",  "flac" },
	{ "audio/ogg",   "ogg" },
	{ "image/png",   "png" },
	{ "image/jpeg",  "jpeg" },
	{ "image/webp",  "webp" },
};
/* clang-format on */

static const char *
kind_name(const char *mime_type)
{
	for (size_t i = 0; i < NELEM(types); i++)
		if (strcmp(types[i].mime_type, mime_type) == 0)
			return types[i].kind;
	return "";
}

const struct kind *
sniff(int fd, const char *mime_type)
{
	const char *name = mime_type != NULL ? kind_name(mime_type) : NULL;
	struct probe f = { .fd = fd };
	struct stat st;

	if (fstat(fd, &st) < 0)
		return NULL;
	f.size = st.st_size;
	for (size_t i = 0; i < NELEM(kinds); i++)
		if ((name == NULL || strcmp(kinds[i].name, name) == 0) &&
		    kinds[i].is(&f))
			return &kinds[i];
	return NULL;
}
