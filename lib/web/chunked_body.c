/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "web/chunked_body.h"

#include <string.h>

#include "base/hash.h"

#define DIGITS_MOST 8 /* 4 GiB */
#define LINE_MOST 256 /* bytes of extensions */
#define TRAILERS_MOST 8192

static void
begin_size(struct chunked_body *k)
{
	k->state = CHUNKS_SIZE;
	k->size = 0;
	k->digits = k->line = 0;
}

/* A line end is a line feed after a carriage return, and nothing else. */
static void
end_size(struct chunked_body *k)
{
	if (k->last != '\r')
		k->state = CHUNKS_BAD;
	else if (k->size > 0)
		k->state = CHUNKS_DATA;
	else {
		k->state = CHUNKS_TRAILER;
		k->line = k->lines = 0;
	}
}

static void
read_size(struct chunked_body *k, char c)
{
	int digit = hex_digit(c);

	if (digit >= 0 && k->digits++ < DIGITS_MOST)
		k->size = k->size << 4 | (unsigned)digit;
	else if (digit >= 0 || k->digits == 0 ||
		 (c != '\r' && c != ';' && c != ' ' && c != '\t'))
		k->state = CHUNKS_BAD;
	else
		k->state = CHUNKS_REST;
}

static void
read_rest(struct chunked_body *k, char c)
{
	if (c == '\n')
		end_size(k);
	else if (k->last == '\r' || ++k->line > LINE_MOST)
		k->state = CHUNKS_BAD;
}

static void
read_end(struct chunked_body *k, char c)
{
	if (c == '\n' && k->last == '\r')
		begin_size(k);
	else if (c != '\r' || k->line++ > 0)
		k->state = CHUNKS_BAD;
}

static void
read_trailer(struct chunked_body *k, char c)
{
	if (++k->lines > TRAILERS_MOST || (c == '\n') != (k->last == '\r'))
		k->state = CHUNKS_BAD;
	else if (c == '\n' && k->line == 1)
		k->state = CHUNKS_DONE;
	else
		k->line = c == '\n' ? 0 : k->line + 1;
}

static void
read_byte(struct chunked_body *k, char c)
{
	switch (k->state) {
	case CHUNKS_SIZE:
		read_size(k, c);
		break;
	case CHUNKS_REST:
		read_rest(k, c);
		break;
	case CHUNKS_END:
		read_end(k, c);
		break;
	case CHUNKS_TRAILER:
		read_trailer(k, c);
		break;
	case CHUNKS_DATA:
	case CHUNKS_DONE:
	case CHUNKS_BAD:
		break;
	}
	k->last = c;
}

size_t
chunked_body_decode(struct chunked_body *k, char *bytes, size_t n)
{
	size_t out = 0, part;

	for (size_t at = 0; at < n && k->state < CHUNKS_DONE;) {
		if (k->state != CHUNKS_DATA) {
			read_byte(k, bytes[at++]);
			continue;
		}
		part = n - at < k->size ? n - at : (size_t)k->size;
		memmove(bytes + out, bytes + at, part);
		out += part;
		at += part;
		if ((k->size -= part) == 0) {
			k->state = CHUNKS_END;
			k->line = 0;
			k->last = '\0';
		}
	}
	return out;
}
