/*
 * Containers: sequences of boxes with a name and a size.
 */
#include <string.h>

#include "media/probe.h"

/* RIFF chunks up to the data: a format must come before it, sound after it. */
bool
sniff_is_wav(const struct probe *f)
{
	uint8_t h[8];
	bool format = false;
	int64_t at = 12;

	if (!(probe_has(f, 0, "RIFF", 4) || probe_has(f, 0, "RF64", 4)) ||
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

/* Metadata blocks, first STREAMINFO, up to the sync code of the first frame. */
bool
sniff_is_flac(const struct probe *f)
{
	int64_t at = probe_behind_id3(f);
	uint8_t h[4];

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

/* An EBML number with (id) or without its length mark; bytes of it, 0: broken. */
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
bool
sniff_is_webm(const struct probe *f)
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

/* Brands of MP4, and of what has others: QuickTime, HEIF, AVIF, JPEG 2000. */
static const char mp4_brands[][5] = { "isom", "iso2", "iso3", "iso4", "iso5", "iso6",
	"iso7", "iso8", "iso9", "mp41", "mp42", "mp71", "avc1", "dash", "M4A ", "M4B ",
	"M4P ", "M4V ", "M4VH", "M4VP", "MSNV", "mmp4", "f4v ", "F4A " };
static const char foreign_brands[][5] = { "qt  ", "avif", "avis", "heic", "heix",
	"hevc", "heim", "heis", "mif1", "msf1", "crx ", "jp2 ", "jpm ", "jpx " };

static bool
is_among(const char (*brands)[5], size_t n, const uint8_t *b)
{
	for (size_t i = 0; i < n; i++)
		if (memcmp(b, brands[i], 4) == 0)
			return true;
	return false;
}

static bool
has_mp4_brand(const struct probe *f, int64_t size)
{
	uint8_t b[4];

	if (!probe_at(f, 8, b, 4) || is_among(foreign_brands, NELEM(foreign_brands), b))
		return false;
	for (int64_t at = 8; at + 4 <= size; at += at == 8 ? 8 : 4)
		if (probe_at(f, at, b, 4) && is_among(mp4_brands, NELEM(mp4_brands), b))
			return true;
	return false;
}

/* A file type box with a brand of MP4, then a movie or its data. */
bool
sniff_is_mp4(const struct probe *f)
{
	uint8_t h[16];
	int64_t at, size;

	if (!probe_at(f, 0, h, 8) || memcmp(h + 4, "ftyp", 4) != 0 ||
	    probe_be32(h) < 16 || probe_be32(h) > 4096 ||
	    !has_mp4_brand(f, probe_be32(h)))
		return false;
	at = probe_be32(h);
	for (int i = 0; i < CHUNKS_MAX && probe_at(f, at, h, 8); i++, at += size) {
		size = probe_be32(h);
		if (memcmp(h + 4, "moov", 4) == 0 || memcmp(h + 4, "moof", 4) == 0 ||
		    memcmp(h + 4, "mdat", 4) == 0)
			return at + 8 < f->size;
		if (size < 8) /* to the end of the file, or of 64 bits: for mdat only */
			return false;
	}
	return false;
}
