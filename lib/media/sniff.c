/*
 * Which format a file is in, told from its structure.  No libav here: its
 * probing guesses, and would find an MP3 in the middle of a web page.
 */
#include "media/sniff.h"

#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define CHUNKS_MAX 1000 /* of a file's outer structure that are walked through */
#define FRAMES_MIN 3    /* in a row make a stream, or fewer if it ends there */
#define NELEM(a) (sizeof(a) / sizeof((a)[0]))

/* A file that is looked at, here and there. */
struct look {
	int fd;
	int64_t size; /* bytes */
};

/* Exactly n bytes from there. */
static bool
peek(const struct look *f, int64_t at, void *to, size_t n)
{
	return at >= 0 && at <= f->size && pread(f->fd, to, n, at) == (ssize_t)n;
}

static bool
has(const struct look *f, int64_t at, const char *text, size_t n)
{
	char got[16];

	return peek(f, at, got, n) && memcmp(got, text, n) == 0;
}

static uint32_t
be32(const uint8_t *p)
{
	return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

static uint32_t
le32(const uint8_t *p)
{
	return (uint32_t)p[3] << 24 | (uint32_t)p[2] << 16 | (uint32_t)p[1] << 8 | p[0];
}

/* RIFF chunks up to the data: there must be a format before, sound behind. */
static bool
is_wav(const struct look *f)
{
	uint8_t h[8];
	bool format = false;
	int64_t at = 12;

	if (!(has(f, 0, "RIFF", 4) || has(f, 0, "RF64", 4)) || !has(f, 8, "WAVE", 4))
		return false;
	for (int i = 0; i < CHUNKS_MAX && peek(f, at, h, 8); i++) {
		int64_t size = le32(h + 4);

		if (memcmp(h, "data", 4) == 0)
			return format && at + 8 < f->size;
		format |= memcmp(h, "fmt ", 4) == 0 && size >= 16;
		at += 8 + size + size % 2;
	}
	return false;
}

/* Where the sound starts: behind ID3v2 tags and the zeros of sloppy taggers. */
static int64_t
skip_id3(const struct look *f)
{
	uint8_t h[10], zero[256];
	int64_t at = 0;

	for (int i = 0; i < 4 && peek(f, at, h, 10); i++) {
		if (memcmp(h, "ID3", 3) != 0 || h[3] == 0xff || h[4] == 0xff ||
		    ((h[6] | h[7] | h[8] | h[9]) & 0x80) != 0)
			break;
		at += 10 + (h[6] << 21 | h[7] << 14 | h[8] << 7 | h[9]);
		at += (h[5] & 0x10) != 0 ? 10 : 0;
	}
	for (int64_t end = at + 65536; at > 0 && at < end; at++) {
		if (!peek(f, at, zero, 1) || zero[0] != 0)
			break;
	}
	return at;
}

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

/* Frames, one behind the other; what ends the file may end the row. */
static bool
is_stream(const struct look *f, int (*frame)(const uint8_t *))
{
	uint8_t h[8];
	int64_t at = skip_id3(f);
	int n = 0, size;

	for (; n < FRAMES_MIN && peek(f, at, h, 8); n++, at += size)
		if ((size = frame(h)) == 0)
			break;
	return n == FRAMES_MIN || (n > 0 && (at == f->size || has(f, at, "TAG", 3)));
}

static bool
is_mp3(const struct look *f)
{
	return is_stream(f, mpeg_frame);
}

static bool
is_aac(const struct look *f)
{
	return is_stream(f, adts_frame);
}

/* An EBML number with (id) or without its length mark; bytes of it, 0: broken. */
static int
ebml_number(const struct look *f, int64_t at, bool id, int64_t *to)
{
	uint8_t b[8];
	int n = 1;

	if (!peek(f, at, b, 1) || b[0] == 0)
		return 0;
	while ((b[0] & 0x80 >> (n - 1)) == 0)
		n++;
	if (!peek(f, at, b, (size_t)n))
		return 0;
	*to = id ? b[0] : b[0] & (0x7f >> (n - 1));
	for (int i = 1; i < n; i++)
		*to = *to << 8 | b[i];
	return n;
}

/* An element's id and size at *at, which moves to its content. */
static bool
ebml_element(const struct look *f, int64_t *at, int64_t *id, int64_t *size)
{
	int n = ebml_number(f, *at, true, id), m;

	if (n == 0 || n > 4 || (m = ebml_number(f, *at + n, false, size)) == 0)
		return false;
	*at += n + m;
	return true;
}

/* A header that says "webm", then a segment with something in it. */
static bool
is_webm(const struct look *f)
{
	int64_t at = 0, id, size, end;
	bool webm = false;

	if (!ebml_element(f, &at, &id, &size) || id != 0x1a45dfa3 || size > 4096)
		return false;
	for (end = at + size; at < end; at += size) {
		if (!ebml_element(f, &at, &id, &size) || size > 4096)
			return false;
		webm |= id == 0x4282 && size >= 4 && has(f, at, "webm", 4) &&
			(size == 4 || has(f, at + 4, "", 1));
	}
	return webm && ebml_element(f, &at, &id, &size) && id == 0x18538067 &&
	       at < f->size;
}

/* Brands of MP4 among those of its relatives; QuickTime, HEIF, AVIF are none. */
static bool
is_mp4_brand(const uint8_t *b)
{
	static const char brands[][5] = { "isom", "iso2", "iso3", "iso4", "iso5",
		"iso6", "iso7", "iso8", "iso9", "mp41", "mp42", "mp71", "avc1", "dash",
		"M4A ", "M4B ", "M4P ", "M4V ", "M4VH", "M4VP", "MSNV", "mmp4", "f4v ",
		"F4A " };

	for (size_t i = 0; i < NELEM(brands); i++)
		if (memcmp(b, brands[i], 4) == 0)
			return true;
	return false;
}

static bool
is_foreign_brand(const uint8_t *b)
{
	static const char brands[][5] = { "qt  ", "avif", "avis", "heic", "heix",
		"hevc", "heim", "heis", "mif1", "msf1", "crx ", "jp2 ", "jpm ",
		"jpx " };

	for (size_t i = 0; i < NELEM(brands); i++)
		if (memcmp(b, brands[i], 4) == 0)
			return true;
	return false;
}

static bool
has_mp4_brand(const struct look *f, int64_t size)
{
	uint8_t b[4];

	if (!peek(f, 8, b, 4) || is_foreign_brand(b))
		return false;
	for (int64_t at = 8; at + 4 <= size; at += at == 8 ? 8 : 4)
		if (peek(f, at, b, 4) && is_mp4_brand(b))
			return true;
	return false;
}

/* A file type box with a brand of MP4, and a movie or its data behind it. */
static bool
is_mp4(const struct look *f)
{
	uint8_t h[16];
	int64_t at, size;

	if (!peek(f, 0, h, 8) || memcmp(h + 4, "ftyp", 4) != 0 || be32(h) < 16 ||
	    be32(h) > 4096 || !has_mp4_brand(f, be32(h)))
		return false;
	at = be32(h);
	for (int i = 0; i < CHUNKS_MAX && peek(f, at, h, 8); i++, at += size) {
		size = be32(h);
		if (memcmp(h + 4, "moov", 4) == 0 || memcmp(h + 4, "moof", 4) == 0 ||
		    memcmp(h + 4, "mdat", 4) == 0)
			return at + 8 < f->size;
		if (size < 8) /* to the end of the file, or of 64 bits: for mdat only */
			return false;
	}
	return false;
}

/* A pack, and another start code behind it. */
static bool
is_mpeg_program(const struct look *f)
{
	uint8_t h[14];
	int64_t at;

	if (!peek(f, 0, h, 14) || memcmp(h, "\0\0\1\xba", 4) != 0)
		return false;
	if ((h[4] & 0xc0) == 0x40) /* MPEG-2 */
		at = 14 + (h[13] & 7);
	else if ((h[4] & 0xf0) == 0x20)
		at = 12;
	else
		return false;
	return has(f, at, "\0\0\1", 3) && peek(f, at, h, 4) && h[3] >= 0xb9;
}

/* A sequence header with a picture size, and more behind it. */
static bool
is_mpeg_video(const struct look *f)
{
	uint8_t h[13];

	return peek(f, 0, h, 13) && memcmp(h, "\0\0\1\xb3", 4) == 0 &&
	       (h[4] << 4 | h[5] >> 4) != 0 && ((h[5] & 15) << 8 | h[6]) != 0;
}

/* Metadata blocks, STREAMINFO the first, up to the first frame's mark. */
static bool
is_flac(const struct look *f)
{
	int64_t at = skip_id3(f);
	uint8_t h[4];

	if (!has(f, at, "fLaC", 4) || !peek(f, at + 4, h, 4) || (h[0] & 0x7f) != 0 ||
	    (be32(h) & 0xffffff) != 34)
		return false;
	at += 4;
	for (int i = 0; i < CHUNKS_MAX && peek(f, at, h, 4); i++) {
		at += 4 + (int64_t)(be32(h) & 0xffffff);
		if ((h[0] & 0x80) != 0)
			return peek(f, at, h, 2) && h[0] == 0xff &&
			       (h[1] & 0xfe) == 0xf8;
	}
	return false;
}

static bool
is_ogg(const struct look *f)
{
	return has(f, 0, "OggS\0\2", 6);
}

static bool
is_png(const struct look *f)
{
	return has(f, 0, "\x89PNG\r\n\x1a\n\0\0\0\rIHDR", 16);
}

static bool
is_jpeg(const struct look *f)
{
	return has(f, 0, "\xff\xd8\xff", 3);
}

static bool
is_webp(const struct look *f)
{
	return has(f, 0, "RIFF", 4) && has(f, 8, "WEBPVP8", 7);
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
	struct look f = { .fd = fd };
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
