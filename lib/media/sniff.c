/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The format of a file, by its structure.  libav's probing is not used: it guesses, and
 * would find an MP3 in a web page.
 */
#include "media/sniff.h"

#include <ctype.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "audio/sound_magic.h"
#include "base/arena.h"

#define PROBE_HEAD (2 * 1024 * 1024 + 65536) /* bytes */
#define CHUNKS_MAX 1000     /* chunks of a file's outer structure that are read */
#define SEARCH_MOST 2097152 /* bytes searched for frames; a tag may hold a picture */
#define NELEM(a) (sizeof(a) / sizeof((a)[0]))

/* ---- reading at any offset ---- */

#define TAGS_MAX 4
#define ZEROS_MAX 65536

/* Offsets are bytes from `from`, where the content of the file begins. */
struct probe {
	int fd;
	int64_t from; /* bytes of the file */
	int64_t size; /* bytes from there */
	/* The first bytes of the file, in memory; NULL: none.  Searches need them. */
	uint8_t *head;
	int64_t nhead;
};

/* Read exactly n bytes from at; false: there are fewer. */
static bool
probe_at(const struct probe *f, int64_t at, void *to, size_t n)
{
	int64_t begin = f->from + at;

	if (at < 0 || at > f->size)
		return false;
	if (begin + (int64_t)n > f->nhead)
		return pread(f->fd, to, n, begin) == (ssize_t)n;
	memcpy(to, f->head + begin, n);
	return true;
}

/* True if these n bytes are at the offset `at`; n is at most 16. */
static bool
probe_has(const struct probe *f, int64_t at, const void *bytes, size_t n)
{
	char got[16];

	return probe_at(f, at, got, n) && memcmp(got, bytes, n) == 0;
}

static uint32_t
probe_be32(const uint8_t *p)
{
	return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

static uint32_t
probe_le32(const uint8_t *p)
{
	return (uint32_t)p[3] << 24 | (uint32_t)p[2] << 16 | (uint32_t)p[1] << 8 | p[0];
}

/* Returns the bytes of the ID3v2 tag at the offset `at`; 0: there is none. */
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

/* Move the begin of the content by so many bytes. */
static void
probe_skip(struct probe *f, int64_t bytes)
{
	f->from += bytes;
	f->size -= bytes;
}

/* Skip ID3v2 tags, and the zeros that some programs write after them. */
static void
probe_skip_id3(struct probe *f)
{
	int64_t size, zeros = 0;

	for (int i = 0; i < TAGS_MAX && (size = id3_size(f, 0)) > 0; i++) {
		probe_skip(f, size);
		zeros = ZEROS_MAX;
	}
	for (; zeros > 0 && probe_has(f, 0, "", 1); zeros--)
		probe_skip(f, 1);
}

/*
 * Skip up to the first offset within `most` bytes that has the byte and where is() is
 * true; false: there is none, and nothing is skipped.
 */
static bool
probe_search(
    struct probe *f, uint8_t first, int64_t most, bool (*is)(const struct probe *))
{
	for (int64_t at = 0; at < most && f->from + at < f->nhead; at++) {
		struct probe here = *f;

		if (f->head[f->from + at] != first)
			continue;
		probe_skip(&here, at);
		if (is(&here)) {
			*f = here;
			return true;
		}
	}
	return false;
}

/* ---- containers: sequences of boxes with a name and a size ---- */

/* RIFF chunks up to the data: a format must come before it, sound after it. */
static bool
sniff_is_wav(struct probe *f)
{
	uint8_t h[8];
	bool format = false;
	int64_t at = 12;

	probe_skip_id3(f);
	if (!(probe_has(f, 0, "RIFF", 4) || probe_has(f, 0, "RF64", 4) ||
		probe_has(f, 0, "BW64", 4)) ||
	    !probe_has(f, 8, "WAVE", 4))
		return false;
	for (int i = 0; i < CHUNKS_MAX && probe_at(f, at, h, 8); i++) {
		int64_t size = probe_le32(h + 4);

		if (memcmp(h, "data", 4) == 0)
			return format && at + 8 < f->size;
		format |= memcmp(h, "fmt ", 4) == 0 && size >= 16;
		at += 8 + size + size % 2;
	}
	return false;
}

/* Sony's Wave64: GUIDs that begin like the names of RIFF, and sizes of 64 bits. */
static bool
sniff_is_wave64(struct probe *f)
{
	static const char riff[] = "riff.\x91\xcf\x11\xa5\xd6\x28\xdb\x04\xc1";
	static const char guid[] = "\xf3\xac\xd3\x11\x8c\xd1\0\xc0";
	uint8_t h[24];
	bool format = false;
	int64_t at = 40;

	if (!probe_has(f, 0, riff, 14) || !probe_has(f, 24, "wave", 4))
		return false;
	for (int i = 0; i < CHUNKS_MAX && probe_at(f, at, h, 24); i++) {
		int64_t size = probe_le32(h + 16);

		if (memcmp(h + 4, guid, 8) != 0 || size < 24)
			return false;
		if (memcmp(h, "data", 4) == 0)
			return format && at + 24 < f->size;
		format |= memcmp(h, "fmt ", 4) == 0 && size >= 40;
		at += (size + 7) / 8 * 8;
	}
	return false;
}

/* Metadata blocks, first STREAMINFO, up to the sync code of the first frame. */
static bool
sniff_is_flac(struct probe *f)
{
	int64_t at = 0;
	uint8_t h[4];

	probe_skip_id3(f);
	if (!probe_has(f, at, "fLaC", 4) || !probe_at(f, at + 4, h, 4) ||
	    (h[0] & 0x7f) != 0 || (probe_be32(h) & 0xffffff) != 34)
		return false;
	at += 4;
	for (int i = 0; i < CHUNKS_MAX && probe_at(f, at, h, 4); i++) {
		at += 4 + (int64_t)(probe_be32(h) & 0xffffff);
		if ((h[0] & 0x80) != 0)
			return probe_at(f, at, h, 2) && h[0] == 0xff &&
			       (h[1] & 0xfe) == 0xf8;
	}
	return false;
}

/* Read an EBML number with (id) or without its length mark; returns its bytes, 0:
   broken. */
static int
ebml_number(const struct probe *f, int64_t at, bool id, int64_t *to)
{
	uint8_t b[8];
	int n = 1;

	if (!probe_at(f, at, b, 1) || b[0] == 0)
		return 0;
	while ((b[0] & 0x80 >> (n - 1)) == 0)
		n++;
	if (!probe_at(f, at, b, (size_t)n))
		return 0;
	*to = id ? b[0] : b[0] & (0x7f >> (n - 1));
	for (int i = 1; i < n; i++)
		*to = *to << 8 | b[i];
	return n;
}

/* An element's id and size at *at, which moves to its content. */
static bool
ebml_element(const struct probe *f, int64_t *at, int64_t *id, int64_t *size)
{
	int n = ebml_number(f, *at, true, id), m;

	if (n == 0 || n > 4 || (m = ebml_number(f, *at + n, false, size)) == 0)
		return false;
	*at += n + m;
	return true;
}

/* A header of type "webm", then a segment that is not empty. */
static bool
sniff_is_webm(struct probe *f)
{
	int64_t at = 0, id, size, end;
	bool webm = false;

	if (!ebml_element(f, &at, &id, &size) || id != 0x1a45dfa3 || size > 4096)
		return false;
	for (end = at + size; at < end; at += size) {
		if (!ebml_element(f, &at, &id, &size) || size > 4096)
			return false;
		webm |= id == 0x4282 && size >= 4 && probe_has(f, at, "webm", 4) &&
			(size == 4 || probe_has(f, at + 4, "", 1));
	}
	return webm && ebml_element(f, &at, &id, &size) && id == 0x18538067 &&
	       at < f->size;
}

/* Brands of files without sound or video: HEIF, AVIF, JPEG 2000, Canon's raw. */
static const char foreign_brands[][5] = { "avif", "avis", "heic", "heix", "hevc",
	"heim", "heis", "mif1", "msf1", "crx ", "jp2 ", "jpm ", "jpx " };

/* True if the file type box has one of these. */
static bool
has_foreign_brand(const struct probe *f)
{
	uint8_t b[4];

	for (size_t i = 0; i < NELEM(foreign_brands) && probe_at(f, 8, b, 4); i++)
		if (memcmp(foreign_brands[i], b, 4) == 0)
			return true;
	return false;
}

/* The end of the box; *at: its beginning, moved to its content.  0: there is no box. */
static int64_t
box_end(const struct probe *f, int64_t *at, char *name)
{
	int64_t begin = *at, size;
	uint8_t h[16];

	if (!probe_at(f, begin, h, 8))
		return 0;
	memcpy(name, h + 4, 4);
	size = probe_be32(h);
	*at += 8;
	if (size == 1 && probe_at(f, begin, h, 16)) {
		size = (int64_t)probe_be32(h + 8) << 32 | probe_be32(h + 12);
		*at += 8;
	} else if (size == 0) /* size 0 reaches to the end of the file */
		size = f->size - begin;
	return size < *at - begin || size > INT64_MAX - begin ? 0 : begin + size;
}

static bool
is_named(const char *name, const char *names)
{
	for (; *names != '\0'; names += 4)
		if (memcmp(names, name, 4) == 0)
			return true;
	return false;
}

/*
 * Boxes up to a movie or its data, the first of them a file type.  QuickTime had no
 * such box until 2001: there a movie must be among them.
 */
static bool
sniff_is_mp4(struct probe *f)
{
	int64_t at = 0, end;
	bool typed = false;
	char name[4];

	for (int i = 0; i < CHUNKS_MAX && (end = box_end(f, &at, name)) > 0;
	     i++, at = end) {
		if (i == 0) {
			typed = is_named(name, "ftyp") && end >= 16 && end <= 4096 &&
				!has_foreign_brand(f);
			if (!typed && !is_named(name, "wideskipfreemdatmoov"))
				return false;
		}
		if (is_named(name, "moov") &&
		    (typed || probe_has(f, at + 4, "mvhd", 4) ||
			probe_has(f, at + 4, "cmov", 4)))
			return at < f->size;
		if (typed && is_named(name, "moofmdat"))
			return at < f->size;
	}
	return false;
}

/* ---- files of other kinds, which may contain frames ---- */

/* longest sequence of letters that a table of frames can have */
#define TEXT_BYTES 64

/* clang-format off */
/* The first bytes of files that are of no accepted format, or are broken. */
static const struct {
	const char *bytes;
	const char *name; /* name for users; NULL: none */
	bool foreign;     /* frames inside such a file do not make it MPEG */
} magics[] = {
	{ "RIFX",             "RIFX",      true },
	{ "RIFF",             "RIFF",      true },
	{ "RF64",             NULL,        true },
	{ "BW64",             NULL,        true },
	{ "riff.\x91\xcf\x11", NULL,       true },
	{ "FORM",             "AIFF",      true },
	{ ".snd",             "AU",        false },
	{ "caff",             "CAF",       false },
	{ "#!AMR",            "AMR",       false },
	{ "#!",               "a script",  false },
	{ "%PDF",             "PDF",       true },
	{ "PK\3\4",         "ZIP",       true },
	{ "\x89PNG",          NULL,        true },
	{ "\xff\xd8\xff",     NULL,        true },
	{ "GIF8",             "GIF",       true },
	{ "\177ELF",          "a program", true },
	{ "MZ",               "a program", false },
	{ "FLV\1",            "FLV",       true },
	{ "OggS",             "Ogg",       true },
	{ "fLaC",             NULL,        true },
	{ "\x30\x26\xb2\x75", "ASF",       true },
	{ "\x1a\x45\xdf\xa3", "Matroska",  true },
};
/* clang-format on */

static bool
has_magic(const char *head, size_t i)
{
	return strncmp(head, magics[i].bytes, strlen(magics[i].bytes)) == 0;
}

/* True for markup or a script.  Letters alone may be a table or the padding in a
   frame. */
static bool
is_text(const char *s, size_t n)
{
	if (memchr("<{#", *s, 3) == NULL)
		return false;
	while (n > 0 && (isprint((unsigned char)*s) || isspace((unsigned char)*s)))
		s++, n--;
	return n == 0;
}

static bool
sniff_is_foreign(const struct probe *f)
{
	char head[TEXT_BYTES + 1] = "";

	if (probe_at(f, 0, head, TEXT_BYTES) && is_text(head, TEXT_BYTES))
		return true;
	for (size_t i = 0; i < NELEM(magics); i++)
		if (magics[i].foreign && has_magic(head, i))
			return true;
	return probe_has(f, 4, "ftyp", 4) || probe_has(f, 4, "moov", 4) ||
	       probe_has(f, 4, "mdat", 4) || probe_has(f, 0, "\0\0\1", 3);
}

/* ---- frames of sound without a container ---- */

/*
 * Frames may begin after tags, zeros, an incomplete frame, or the rest of a tag whose
 * size is too small.
 */
#define FRAMES_MIN 3 /* successive frames; fewer at the end of the file */

/* True if the frame is like the first: same version, layer and rate. */
static bool
is_alike(const uint8_t *first, const uint8_t *h)
{
	return first[1] == h[1] && ((first[2] ^ h[2]) & 0x0c) == 0;
}

/* Count successive frames from here, up to FRAMES_MIN; *end: where the last one ends.
 */
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

/* True if frames are at the beginning, FRAMES_MIN or all up to the end of the file or
   to an ID3v1 tag, or if they begin later. */
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

static bool
sniff_is_mp3(struct probe *f)
{
	return is_stream(f, mpeg_frame_bytes, has_mpeg_frames);
}

static bool
sniff_is_aac(struct probe *f)
{
	return is_stream(f, mpeg_frame_adts_bytes, has_adts_frames);
}

/* ---- streams of MPEG: packs, pictures, packets of a transport ---- */

/* A recording that was cut out of a longer one may begin anywhere. */
#define PACKETS_MIN 5    /* successive packets of a transport stream */
#define TABLE_MOST 20000 /* packets up to the first table */

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

static bool
sniff_is_mpeg_program(struct probe *f)
{
	bool cut = probe_has(f, 0, "\0\0\1", 3) || !sniff_is_foreign(f);

	return has_pack(f) || (cut && probe_search(f, 0, SEARCH_MOST, has_pack));
}

/* A sequence header with a picture size, and more bytes. */
static bool
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

/* True for packets of ISO 13818-1: plain, after a time (M2TS), or before a checksum. */
static bool
has_transport(const struct probe *f)
{
	return has_packets(f, 188) || has_packets(f, 192) || has_packets(f, 204);
}

static bool
sniff_is_mpeg_transport(struct probe *f)
{
	return !sniff_is_foreign(f) && probe_search(f, 0x47, 2 * 204, has_transport);
}

/* ---- the accepted formats ---- */

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

static const char *
find_other(const struct probe *f)
{
	char head[64] = "";

	memcpy(head, f->head, f->nhead < 63 ? (size_t)f->nhead : 63);
	if (head[strspn(head, "\xef\xbb\xbf \t\r\n")] == '<')
		return "HTML or XML";
	for (size_t i = 0; i < NELEM(magics); i++)
		if (magics[i].name != NULL && has_magic(head, i))
			return magics[i].name;
	return probe_has(f, 4, "ftyp", 4) ? "HEIF or JP2" : NULL;
}

/* The real format of a file, for people; NULL: unknown. */
static const char *
find_name(const struct probe *f)
{
	int64_t from;
	const struct sniff_kind *kind = find_kind(NULL, f, &from);

	if (kind != NULL)
		return kind->name;
	return f->size == 0 ? "empty" : find_other(f);
}

const struct sniff_kind *
sniff(int fd, const char *mime_type, int64_t *from, const char **found)
{
	const struct sniff_kind *kind = NULL;
	struct arena *mem = arena_new();
	struct probe f;

	*found = NULL;
	if (open_probe(&f, mem, fd)) {
		kind = find_kind(
		    mime_type != NULL ? kind_name(mime_type) : NULL, &f, from);
		if (kind == NULL)
			*found = find_name(&f);
	}
	arena_free(mem);
	return kind;
}
