/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "media/picture_wire.h"

#include <string.h>

#include "base/be.h"

#define HEAD 30 /* bytes: flags, times, sizes, lengths */
#define FIRST 1
#define KEY 2

static void
put_be64(unsigned char *to, uint64_t v)
{
	put_be32(to, (uint32_t)(v >> 32));
	put_be32(to + 4, (uint32_t)v);
}

static int64_t
be64(const unsigned char *p)
{
	return (int64_t)((uint64_t)be32(p) << 32 | be32(p + 4));
}

static void
put_head(const struct picture *p, struct buf *to)
{
	unsigned char head[HEAD] = { FIRST | (p->key ? KEY : 0) };

	put_be64(head + 1, (uint64_t)p->pts);
	put_be64(head + 9, (uint64_t)p->dts);
	put_be16(head + 17, (unsigned)p->width);
	put_be16(head + 19, (unsigned)p->height);
	put_be32(head + 21, (uint32_t)p->n_head);
	put_be32(head + 25, (uint32_t)p->n);
	buf_put(to, head, sizeof(head));
}

/* The header and the bytes are cut as one sequence. */
bool
picture_message(const struct picture *p, size_t *done, struct buf *to)
{
	size_t all = p->n_head + p->n, room = PICTURE_MESSAGE_MOST, n;

	if (*done >= all)
		return false;
	if (*done == 0)
		put_head(p, to);
	else
		buf_put(to, &(char){ 0 }, 1);
	if (*done < p->n_head) {
		n = p->n_head - *done < room ? p->n_head - *done : room;
		buf_put(to, p->head + *done, n);
		*done += n;
		room -= n;
	}
	n = all - *done < room ? all - *done : room;
	buf_put(to, p->bytes + (*done - p->n_head), n);
	*done += n;
	return true;
}

bool
picture_message_is_key(const void *message, size_t n)
{
	return n > 0 &&
	       (*(const unsigned char *)message & (FIRST | KEY)) == (FIRST | KEY);
}

static bool
begin(struct picture_reader *r, const unsigned char *p, size_t n)
{
	if (n < HEAD)
		return false;
	r->is = (struct picture){ .key = (*p & KEY) != 0,
		.pts = be64(p + 1),
		.dts = be64(p + 9),
		.width = (int)be16(p + 17),
		.height = (int)be16(p + 19),
		.n_head = be32(p + 21),
		.n = be32(p + 25) };
	if (r->is.n == 0 || r->is.n_head > PICTURE_MOST || r->is.n > PICTURE_MOST)
		return false;
	r->mem = arena_new();
	r->bytes = (struct buf){ .mem = r->mem };
	return true;
}

bool
picture_receive(
    struct picture_reader *r, const void *message, size_t n, struct picture *to)
{
	const unsigned char *p = message;
	size_t head = 1, all;

	if (n > 0 && (*p & FIRST) != 0) {
		picture_reader_free(r);
		if (!begin(r, p, n))
			return false;
		head = HEAD;
	}
	all = r->is.n_head + r->is.n;
	if (r->mem == NULL || n < head || r->bytes.len + n - head > all ||
	    r->bytes.len == all)
		return false;
	buf_put(&r->bytes, p + head, n - head);
	if (r->bytes.len < all)
		return false;
	*to = r->is;
	to->head = (const unsigned char *)r->bytes.p;
	to->bytes = to->head + to->n_head;
	return true;
}

void
picture_reader_free(struct picture_reader *r)
{
	arena_free(r->mem);
	*r = (struct picture_reader){ .mem = NULL };
}
