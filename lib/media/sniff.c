/*
 * The format of a file, by its structure.  Not by libav: its probing guesses, and would
 * find an MP3 in a web page.
 */
#include "media/sniff.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "media/probe.h"

static bool
is_webp(struct probe *f)
{
	uint8_t h[16];

	return probe_at(f, 0, h, 16) && memcmp(h, "RIFF", 4) == 0 &&
	       memcmp(h + 8, "WEBPVP8", 7) == 0 && f->size - 8 >= probe_le32(h + 4);
}

#define MAGIC(bytes) .magic = bytes, .nmagic = sizeof(bytes) - 1

/* clang-format off */
static const struct sniff_kind kinds[] = {
	{ "wav",  "wav",           NULL,    sniff_is_wav },
	{ "wav",  "w64",           NULL,    sniff_is_wave64 },
	{ "mp3",  "mp3",           NULL,    sniff_is_mp3 },
	{ "aac",  "aac",           NULL,    sniff_is_aac },
	{ "webm", "matroska,webm", NULL,    sniff_is_webm },
	{ "mp4",  "mov",           NULL,    sniff_is_mp4 },
	{ "mpeg", "mpeg",          NULL,    sniff_is_mpeg_program },
	{ "mpeg", "mpegvideo",     NULL,    sniff_is_mpeg_video },
	{ "mpeg", "mpegts",        NULL,    sniff_is_mpeg_transport },
	{ "flac", "flac",          NULL,    sniff_is_flac },
	{ "ogg",  "ogg",           NULL,    MAGIC("OggS\0\2") },
	{ "png",  NULL,            "png",   MAGIC("\x89PNG\r\n\x1a\n\0\0\0\rIHDR") },
	{ "jpeg", NULL,            "mjpeg", MAGIC("\xff\xd8\xff") },
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

static const struct sniff_kind *
find_kind(const char *name, const struct probe *whole, int64_t *from)
{
	for (const struct sniff_kind *k = kinds; k < kinds + NELEM(kinds); k++) {
		struct probe f = *whole;

		if ((name == NULL || strcmp(k->name, name) == 0) &&
		    (k->is != NULL ? k->is(&f)
				   : probe_has(&f, 0, k->magic, k->nmagic))) {
			*from = f.from;
			return k;
		}
	}
	return NULL;
}

/* False: it cannot be read. */
static bool
open_probe(struct probe *f, struct arena *mem, int fd)
{
	struct stat st;
	uint8_t *head = arena_alloc(mem, PROBE_HEAD);

	if (fstat(fd, &st) < 0)
		return false;
	*f = (struct probe){ .fd = fd, .size = st.st_size, .head = head };
	f->nhead = pread(fd, head, PROBE_HEAD, 0);
	if (f->nhead < 0)
		f->nhead = 0;
	return true;
}

const struct sniff_kind *
sniff(int fd, const char *mime_type, int64_t *from)
{
	const struct sniff_kind *kind = NULL;
	struct arena *mem = arena_new();
	struct probe f;

	if (open_probe(&f, mem, fd))
		kind = find_kind(
		    mime_type != NULL ? kind_name(mime_type) : NULL, &f, from);
	arena_free(mem);
	return kind;
}

/* clang-format off */
static const struct {
	const char *bytes, *name;
} others[] = {
	{ "RIFX",     "RIFX" },
	{ "RIFF",     "RIFF" },
	{ "FORM",     "AIFF" },
	{ ".snd",     "AU" },
	{ "caff",     "CAF" },
	{ "#!AMR",    "AMR" },
	{ "#!",       "a script" },
	{ "%PDF",     "PDF" },
	{ "PK\3\4", "ZIP" },
	{ "GIF8",     "GIF" },
	{ "\x7f" "ELF", "a program" },
	{ "MZ",       "a program" },
	{ "FLV\1",   "FLV" },
	{ "OggS",     "Ogg" },
	{ "\x30\x26\xb2\x75", "ASF" },
	{ "\x1a\x45\xdf\xa3", "Matroska" },
};
/* clang-format on */

static const char *
find_other(const struct probe *f)
{
	char head[64] = "";

	memcpy(head, f->head, f->nhead < 63 ? (size_t)f->nhead : 63);
	if (head[strspn(head, "\xef\xbb\xbf \t\r\n")] == '<')
		return "HTML or XML";
	for (size_t i = 0; i < NELEM(others); i++)
		if (strncmp(head, others[i].bytes, strlen(others[i].bytes)) == 0)
			return others[i].name;
	return probe_has(f, 4, "ftyp", 4) ? "HEIF or JP2" : NULL;
}

const char *
sniff_found(int fd)
{
	struct arena *mem = arena_new();
	const struct sniff_kind *kind;
	const char *name;
	struct probe f;
	int64_t from;

	if (!open_probe(&f, mem, fd))
		name = NULL;
	else if ((kind = find_kind(NULL, &f, &from)) != NULL)
		name = kind->name;
	else
		name = f.size == 0 ? "empty" : find_other(&f);
	arena_free(mem);
	return name;
}
