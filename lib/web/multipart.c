/*
 * A window over the body.  What is before `at` is done with, and nothing from
 * `end` on is there yet:
 *
 *	buf  ....done....|at  bytes to come  |end ....free....|
 *
 * A delimiter is "\r\n--" and the boundary.  The first may lack its line end
 * when nothing precedes it, so the window begins with one of our own.  Bytes
 * are handed out up to the next delimiter, or up to where one might begin.
 */
#include "web/multipart.h"

#include <stdbool.h>
#include <string.h>

#include "base/buf.h"
#include "web/multipart_head.h"
#include "web/transfer_encoding.h"

#define WINDOW_BYTES (64 * 1024)

enum place { BEFORE_PARTS, IN_PART, AT_DELIMITER, AFTER_PARTS };

struct multipart {
	struct arena *mem;
	multipart_source *read;
	void *src;
	bool dry; /* the source has no more */
	enum place place;
	struct transfer_decoder decoder; /* of the part */
	enum err over;                   /* once something is wrong, it stays so */
	int parts;
	size_t texts; /* bytes */
	size_t at, end;
	size_t mark_len;
	char mark[4 + BOUNDARY_BYTES + 1]; /* the delimiter */
	char buf[WINDOW_BYTES];
};

static enum err
fail(struct multipart *m, enum err e)
{
	return m->over = e;
}

/* More bytes behind those there are; false: there are none, or no room. */
static bool
fill(struct multipart *m)
{
	size_t n;

	if (m->at > 0) {
		memmove(m->buf, m->buf + m->at, m->end - m->at);
		m->end -= m->at;
		m->at = 0;
	}
	if (m->dry || m->end == WINDOW_BYTES)
		return false;
	n = m->read(m->src, m->buf + m->end, WINDOW_BYTES - m->end);
	m->dry = n == 0;
	m->end += n;
	return n > 0;
}

static bool
have(struct multipart *m, size_t n)
{
	while (m->end - m->at < n)
		if (!fill(m))
			return false;
	return true;
}

/*
 * The bytes from `at` to the delimiter if it is in sight, else to where it
 * could still begin.  *n is 0 only at a delimiter.
 */
static enum err
run(struct multipart *m, size_t *n)
{
	const char *hit;

	if (!have(m, m->mark_len))
		return fail(m, ERR_REFUSED);
	hit = memmem(m->buf + m->at, m->end - m->at, m->mark, m->mark_len);
	if (hit == NULL) {
		*n = m->end - m->at - (m->mark_len - 1);
		return OK;
	}
	*n = (size_t)(hit - m->buf) - m->at;
	if (*n == 0) {
		m->place = AT_DELIMITER;
		m->at += m->mark_len;
	}
	return OK;
}

/* To behind the delimiter that ends what we are in. */
static enum err
skip_to_delimiter(struct multipart *m)
{
	bool before = m->place == BEFORE_PARTS;
	size_t n, passed = 0;
	enum err e = OK;

	while (m->place != AT_DELIMITER && (e = run(m, &n)) == OK) {
		m->at += n;
		if (before && (passed += n) > MULTIPART_HEAD_BYTES)
			return fail(m, ERR_REFUSED);
	}
	return e;
}

/* The rest of the delimiter's line: "--" and whatever, or blanks. */
static enum err
end_delimiter(struct multipart *m)
{
	if (!have(m, 2))
		return fail(m, ERR_REFUSED);
	if (memcmp(m->buf + m->at, "--", 2) == 0) {
		m->place = AFTER_PARTS;
		return ERR_NOT_FOUND;
	}
	while (have(m, 1) && (m->buf[m->at] == ' ' || m->buf[m->at] == '\t'))
		m->at++;
	if (!have(m, 2) || memcmp(m->buf + m->at, "\r\n", 2) != 0)
		return fail(m, ERR_REFUSED);
	return OK; /* the line end stays: headers are looked for behind it */
}

/* Bytes from the delimiter's line end to the empty line, both included. */
static enum err
find_headers(struct multipart *m, size_t *n)
{
	const char *hit;
	size_t seen;

	for (;;) {
		seen = m->end - m->at;
		if (seen > MULTIPART_HEAD_BYTES)
			seen = MULTIPART_HEAD_BYTES;
		if ((hit = memmem(m->buf + m->at, seen, "\r\n\r\n", 4)) != NULL)
			break;
		if (seen == MULTIPART_HEAD_BYTES)
			return fail(m, ERR_LIMIT);
		if (!fill(m))
			return fail(m, ERR_REFUSED);
	}
	*n = (size_t)(hit - m->buf) + 4 - m->at;
	return OK;
}

enum err
multipart_open(struct arena *mem, const char *content_type, multipart_source *read,
    void *src, struct multipart **to)
{
	const char *boundary;
	struct multipart *m;
	enum err e;

	if ((e = multipart_boundary(mem, content_type, &boundary)) != OK)
		return e;
	m = arena_alloc(mem, sizeof(*m));
	m->mem = mem;
	m->read = read;
	m->src = src;
	m->mark_len = 4 + strlen(boundary);
	memcpy(m->mark, "\r\n--", 4);
	memcpy(m->mark + 4, boundary, m->mark_len - 4);
	memcpy(m->buf, "\r\n", 2);
	m->end = 2;
	*to = m;
	return OK;
}

enum err
multipart_next(struct multipart *m, struct multipart_part *to)
{
	enum err e;
	size_t n;

	if (m->over != OK)
		return m->over;
	if (m->place == AFTER_PARTS)
		return ERR_NOT_FOUND;
	if ((e = skip_to_delimiter(m)) != OK || (e = end_delimiter(m)) != OK ||
	    (e = find_headers(m, &n)) != OK)
		return e;
	if (m->parts++ == MULTIPART_PARTS)
		return fail(m, ERR_LIMIT);
	if ((e = multipart_headers(m->mem, m->buf + m->at + 2, n - 4, to)) != OK)
		return fail(m, e);
	m->at += n;
	m->place = IN_PART;
	transfer_begin(&m->decoder, NULL);
	return OK;
}

bool
multipart_decode(struct multipart *m, const struct multipart_part *part)
{
	return transfer_begin(&m->decoder, part->encoding);
}

enum err
multipart_bytes(struct multipart *m, const char **to, size_t *n)
{
	size_t raw = 1;
	enum err e;

	*to = m->buf;
	*n = 0;
	if (m->over != OK || m->place != IN_PART)
		return m->over;
	while (*n == 0 && raw > 0) { /* a piece may hold line ends alone */
		if ((e = run(m, &raw)) != OK)
			return e;
		*to = m->buf + m->at;
		*n = raw;
		if (!transfer_decode(&m->decoder, m->buf + m->at, n))
			return fail(m, ERR_REFUSED);
		m->at += raw;
	}
	return raw > 0 || transfer_end(&m->decoder) ? OK : fail(m, ERR_REFUSED);
}

enum err
multipart_text(struct multipart *m, const char **to, size_t *n)
{
	struct buf b = { .mem = m->mem };
	const char *p;
	size_t some;
	enum err e;

	while ((e = multipart_bytes(m, &p, &some)) == OK && some > 0) {
		if (some > MULTIPART_TEXT_BYTES - m->texts)
			return fail(m, ERR_LIMIT);
		m->texts += some;
		buf_put(&b, p, some);
	}
	*to = buf_text(&b);
	if (n != NULL)
		*n = b.len;
	return e;
}
