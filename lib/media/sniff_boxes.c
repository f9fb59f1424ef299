/*
 * Containers: sequences of boxes with a name and a size.
 */
#include <string.h>

#include "media/probe.h"

/* RIFF chunks up to the data: a format must come before it, sound after it. */
bool
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
bool
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
bool
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

/* Brands of what is no sound and no film: HEIF, AVIF, JPEG 2000, Canon's raw. */
static const char foreign_brands[][5] = { "avif", "avis", "heic", "heix", "hevc",
	"heim", "heis", "mif1", "msf1", "crx ", "jp2 ", "jpm ", "jpx " };

/* Of a file type box of so many bytes. */
static bool
has_foreign_brand(const struct probe *f)
{
	uint8_t b[4];

	for (size_t i = 0; i < NELEM(foreign_brands) && probe_at(f, 8, b, 4); i++)
		if (memcmp(foreign_brands[i], b, 4) == 0)
			return true;
	return false;
}

/* Where the content of the box ends; at: its beginning, moved to its content.  0: it
   is none. */
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
	} else if (size == 0) /* to the end of the file */
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
bool
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
