#include "media/probe.h"

#include <string.h>
#include <unistd.h>

#define TAGS_MAX 4
#define ZEROS_MAX 65536

bool
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

/* Bytes of the ID3v2 tag at at; 0: there is none. */
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

void
probe_skip(struct probe *f, int64_t bytes)
{
	f->from += bytes;
	f->size -= bytes;
}

void
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

bool
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
