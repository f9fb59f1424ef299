/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "livekit/protobuf.h"

#include <string.h>

#define VARINT_MOST 10 /* bytes of 64 bits, 7 in each */

/* ---- reading ---- */

struct protobuf
protobuf_open(const void *p, size_t n)
{
	return (struct protobuf){ .p = p, .n = n };
}

struct protobuf
protobuf_message(const struct protobuf *r)
{
	return protobuf_open(r->bytes, r->size);
}

/* False: truncated, or too long. */
static bool
read_varint(struct protobuf *r, uint64_t *to)
{
	*to = 0;
	for (unsigned i = 0; i < VARINT_MOST && r->n > 0; i++) {
		unsigned char c = *r->p++;

		r->n--;
		*to |= (uint64_t)(c & 0x7f) << 7 * i;
		if (c < 0x80)
			return true;
	}
	return false;
}

/* Little-endian. */
static bool
read_fixed(struct protobuf *r, size_t n)
{
	if (r->n < n)
		return false;
	for (size_t i = 0; i < n; i++)
		r->number |= (uint64_t)r->p[i] << 8 * i;
	r->p += n;
	r->n -= n;
	return true;
}

static bool
read_bytes(struct protobuf *r)
{
	uint64_t n;

	if (!read_varint(r, &n) || n > r->n)
		return false;
	r->bytes = r->p;
	r->size = (size_t)n;
	r->p += n;
	r->n -= (size_t)n;
	return true;
}

static bool
read_value(struct protobuf *r)
{
	switch (r->key & 7) {
	case PROTOBUF_VARINT:
		return read_varint(r, &r->number);
	case PROTOBUF_FIXED64:
		return read_fixed(r, 8);
	case PROTOBUF_BYTES:
		return read_bytes(r);
	case PROTOBUF_FIXED32:
		return read_fixed(r, 4);
	default: /* groups (3, 4), and unknown wire types */
		return false;
	}
}

bool
protobuf_next(struct protobuf *r)
{
	uint64_t key;

	r->number = 0;
	r->bytes = NULL;
	r->size = 0;
	if (r->bad || r->n == 0)
		return false;
	r->bad = !read_varint(r, &key) || key > UINT32_MAX || key >> 3 == 0;
	if (r->bad)
		return false;
	r->key = (uint32_t)key;
	r->bad = !read_value(r);
	return !r->bad;
}

/* ---- writing ---- */

static size_t
varint(unsigned char to[VARINT_MOST], uint64_t v)
{
	size_t n = 0;

	for (; v > 0x7f; v >>= 7)
		to[n++] = (unsigned char)(v | 0x80);
	to[n++] = (unsigned char)v;
	return n;
}

static void
put_varint(struct buf *b, uint64_t v)
{
	unsigned char bytes[VARINT_MOST];

	buf_put(b, bytes, varint(bytes, v));
}

void
protobuf_write_choice(struct buf *b, uint32_t field, uint64_t v)
{
	put_varint(b, PROTOBUF_IS_NUMBER(field));
	put_varint(b, v);
}

void
protobuf_write_number(struct buf *b, uint32_t field, uint64_t v)
{
	if (v != 0)
		protobuf_write_choice(b, field, v);
}

void
protobuf_write_bytes(struct buf *b, uint32_t field, const void *p, size_t n)
{
	put_varint(b, PROTOBUF_IS_BYTES(field));
	put_varint(b, n);
	buf_put(b, p, n);
}

void
protobuf_write_text(struct buf *b, uint32_t field, const char *text)
{
	if (text != NULL && text[0] != '\0')
		protobuf_write_bytes(b, field, text, strlen(text));
}

/* The length is written as one byte; protobuf_end() replaces it by the real length. */
size_t
protobuf_begin(struct buf *b, uint32_t field)
{
	put_varint(b, PROTOBUF_IS_BYTES(field));
	buf_put(b, "", 1);
	return b->len;
}

void
protobuf_end(struct buf *b, size_t begun)
{
	unsigned char length[VARINT_MOST];
	size_t n = b->len - begun, more = varint(length, n) - 1;

	if (more > 0) {
		buf_put(b, length, more); /* makes room */
		memmove(b->p + begun + more, b->p + begun, n);
	}
	memcpy(b->p + begun - 1, length, more + 1);
}
