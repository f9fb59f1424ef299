/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef UNIT_PROTOBUF_FIXTURE_H
#define UNIT_PROTOBUF_FIXTURE_H

#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "livekit/protobuf.h"

static struct arena *mem;

static inline void
set_up(void)
{
	mem = arena_new();
}

static inline void
tear_down(void)
{
	arena_free(mem);
}

/*
 * Finds the field at a path of numbers such as "2.4.1"; "4#1" is the second field with
 * that number.  The key is 0 if there is none.
 */
static inline struct protobuf
field_at(const void *p, size_t n, const char *path)
{
	struct protobuf m = protobuf_open(p, n);
	char *end;
	uint32_t field = (uint32_t)strtoul(path, &end, 10);
	unsigned long skip = *end == '#' ? strtoul(end + 1, &end, 10) : 0;

	while (protobuf_next(&m))
		if (m.key >> 3 == field && skip-- == 0)
			return *end == '.' ? field_at(m.bytes, m.size, end + 1) : m;
	ck_assert(!m.bad);
	m.key = 0;
	return m;
}

static inline int
count_at(const struct buf *b, const char *path)
{
	int i = 0;

	while (field_at(b->p, b->len, arena_printf(mem, "%s#%d", path, i)).key != 0)
		i++;
	return i;
}

/* Returns "(none)" when the field is absent or no text. */
static inline const char *
text_at(const struct buf *b, const char *path)
{
	struct protobuf m = field_at(b->p, b->len, path);

	if ((m.key & 7) != PROTOBUF_BYTES)
		return "(none)";
	return arena_dup(mem, (const char *)m.bytes, m.size);
}

/* Returns -1 when the field is absent or no number. */
static inline int64_t
number_at(const struct buf *b, const char *path)
{
	struct protobuf m = field_at(b->p, b->len, path);

	return m.key != 0 && (m.key & 7) == PROTOBUF_VARINT ? (int64_t)m.number : -1;
}

#define is_text(path, text) ck_assert_str_eq(text_at(&b, path), text)
#define is_number(path, number) ck_assert_int_eq(number_at(&b, path), number)

#endif
