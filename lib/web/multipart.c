/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads forms through a window over the body.  Bytes before `at` were handed out, and
 * those from `end` on are not read yet:
 *
 *	buf  ....done....|at  bytes to come  |end ....free....|
 *
 * A delimiter is "\r\n--" and the boundary.  The first one may lack its line end when
 * nothing precedes it, so the window starts with an added line end.  Bytes are handed
 * out up to the next delimiter, or up to where one might begin.
 */
#include "web/multipart.h"

#include <stdint.h>
#include <string.h>
#include <strings.h>

#include "base/buf.h"
#include "base/hash.h"
#include "base/text.h"
#include "web/web.h"

#define WINDOW_BYTES (64 * 1024)
#define BOUNDARY_BYTES 70 /* RFC 2046 §5.1.1 */

/* Decodes Content-Transfer-Encoding (RFC 2045, 6), piece by piece. */
struct transfer_decoder {
	enum { TRANSFER_AS_IS, TRANSFER_BASE64, TRANSFER_QUOTED } kind;
	uint32_t bits; /* BASE64: bits that are not a whole byte yet */
	int n_bits;    /* number of these bits */
	int padding;   /* BASE64: number of "=" */
	int pending;   /* QUOTED: characters from "=" on; 0: none */
	int high;      /* QUOTED: the first digit */
};

enum position { BEFORE_PARTS, IN_PART, AT_DELIMITER, AFTER_PARTS };

struct multipart {
	struct arena *mem;
	multipart_source *read;
	void *src;
	bool dry; /* the source has ended */
	enum position position;
	struct transfer_decoder decoder; /* decoder of the part */
	enum err over;                   /* an error is permanent */
	int parts;
	size_t texts; /* bytes */
	size_t at, end;
	size_t mark_len;
	char mark[4 + BOUNDARY_BYTES + 1]; /* the delimiter */
	char buf[WINDOW_BYTES];
};

/* ---- headers of the request and of a part ---- */

static const char *
skip_blanks(const char *s)
{
	return s + strspn(s, " \t");
}

/* RFC 9110 §5.6.2 */
static size_t
token_len(const char *s)
{
	return strspn(s, "!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyz"
			 "ABCDEFGHIJKLMNOPQRSTUVWXYZ");
}

/*
 * Read the text after an opening quote.  Browsers send %22 for a quote and leave a
 * backslash alone ("multipart/form-data encoding" in the HTML standard); other clients
 * escape both with a backslash.  NULL: it has no end.
 */
static const char *
read_quoted(struct arena *mem, const char *s, const char **to)
{
	struct buf b = { .mem = mem };

	for (; *s != '"'; s++) {
		if (*s == '\0')
			return NULL;
		if (*s == '\\' && (s[1] == '"' || s[1] == '\\'))
			s++;
		if (strncmp(s, "%22", 3) == 0) {
			buf_str(&b, "\"");
			s += 2;
		} else
			buf_put(&b, s, 1);
	}
	*to = buf_text(&b);
	return s + 1;
}

/* Read one ";name=value" from *s; false at the end.  *s becomes NULL on an error. */
static bool
next_param(struct arena *mem, const char **s, const char **name, const char **value)
{
	const char *p = skip_blanks(*s);
	size_t n;

	if (p[strspn(p, "; \t")] == '\0')
		return false;
	*s = NULL;
	if (*p != ';')
		return false;
	p += strspn(p, "; \t");
	n = token_len(p);
	if (n == 0 || p[n] != '=')
		return false;
	*name = arena_dup(mem, p, n);
	p += n + 1;
	if (*p == '"')
		p = read_quoted(mem, p + 1, value);
	else {
		n = strcspn(p, "; \t");
		*value = arena_dup(mem, p, n);
		p += n;
	}
	return (*s = p) != NULL;
}

/* Find the boundary in the request's type.  Errors as in multipart_open(). */
static enum err
read_boundary(struct arena *mem, const char *type, const char **to)
{
	static const char allowed[] =
	    "'()+_,-./:=? 0123456789abcdefghijklmnopqrstuvwxyz"
	    "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
	const char *name, *value, *s;
	size_t n;

	if (type == NULL)
		return ERR_UNSUPPORTED;
	s = skip_blanks(type);
	n = strcspn(s, "; \t");
	if (n != 19 || strncasecmp(s, "multipart/form-data", n) != 0)
		return ERR_UNSUPPORTED;
	*to = NULL;
	for (s += n; next_param(mem, &s, &name, &value);)
		if (strcasecmp(name, "boundary") == 0 && *to == NULL)
			*to = value;
	n = *to != NULL ? strlen(*to) : 0;
	return n > 0 && n <= BOUNDARY_BYTES && (*to)[n - 1] != ' ' &&
		       strspn(*to, allowed) == n
		   ? OK
		   : ERR_REFUSED;
}

/* The value if the line is this header, else NULL. */
static const char *
header_value(const char *line, const char *name)
{
	size_t n = strlen(name);

	if (strncasecmp(line, name, n) != 0 || line[n] != ':')
		return NULL;
	return skip_blanks(line + n + 1);
}

/* Decode "utf-8'en'%C3%9C" (RFC 5987); another text is returned unchanged. */
static const char *
read_extended(struct arena *mem, const char *s)
{
	const char *from = strchr(s, '\''), *to;

	if (from == NULL || (from = strchr(from + 1, '\'')) == NULL)
		return s;
	to = percent_decode(mem, from + 1, strlen(from + 1));
	return to != NULL ? to : s;
}

static enum err
read_disposition(struct arena *mem, const char *s, struct multipart_part *to)
{
	const char *name, *value, *extended = NULL;
	size_t n = strcspn(s, "; \t");

	if (n != 9 || strncasecmp(s, "form-data", n) != 0 || to->name != NULL)
		return ERR_REFUSED;
	for (s += n; next_param(mem, &s, &name, &value);) {
		const char **into = strcasecmp(name, "name") == 0       ? &to->name
				    : strcasecmp(name, "filename") == 0 ? &to->filename
									: NULL;

		if (into != NULL && *into != NULL)
			return ERR_REFUSED;
		if (into != NULL)
			*into = value;
		else if (strcasecmp(name, "filename*") == 0 && extended == NULL)
			extended = read_extended(mem, value);
	}
	if (to->filename == NULL)
		to->filename = extended;
	if (s == NULL || to->name == NULL)
		return ERR_REFUSED;
	return strlen(to->name) > MULTIPART_NAME_BYTES ? ERR_LIMIT : OK;
}

static void
read_type(struct arena *mem, const char *s, struct multipart_part *to)
{
	const char *name, *value;
	size_t n = strcspn(s, "; \t");

	to->type = text_lower(mem, arena_dup(mem, s, n));
	to->charset = to->header = NULL;
	to->more = false;
	for (s += n; next_param(mem, &s, &name, &value);) {
		const char **into = strcasecmp(name, "charset") == 0  ? &to->charset
				    : strcasecmp(name, "header") == 0 ? &to->header
								      : NULL;

		if (into == NULL || *into != NULL)
			to->more = true;
		else
			*into = text_lower(mem, value);
	}
	to->more |= s == NULL;
}

static enum err
read_header(struct arena *mem, const char *line, struct multipart_part *to)
{
	const char *value;
	size_t n = token_len(line);

	if (n == 0 || line[n] != ':')
		return ERR_REFUSED;
	if ((value = header_value(line, "Content-Disposition")) != NULL)
		return read_disposition(mem, value, to);
	if ((value = header_value(line, "Content-Type")) != NULL)
		read_type(mem, value, to);
	if ((value = header_value(line, "Content-Transfer-Encoding")) != NULL)
		to->encoding = text_lower(mem, text_trim(mem, value, " \t"));
	return OK;
}

/* Parse the headers of a part: n bytes of lines, each with its line end.  Errors as in
   multipart_next(). */
static enum err
read_headers(struct arena *mem, const char *s, size_t n, struct multipart_part *to)
{
	const char *stop = s + n, *cr;
	enum err e = OK;

	*to = (struct multipart_part){ 0 };
	if (memchr(s, '\0', n) != NULL)
		return ERR_REFUSED;
	for (; s < stop && e == OK; s = cr + 2) {
		cr = memmem(s, (size_t)(stop - s), "\r\n", 2);
		e = read_header(mem, arena_dup(mem, s, (size_t)(cr - s)), to);
	}
	return e == OK && to->name == NULL ? ERR_REFUSED : e;
}

/* ---- Content-Transfer-Encoding ---- */

/*
 * Start the decoder; encoding: in lower case, or NULL. False: the encoding is unknown.
 */
static bool
transfer_begin(struct transfer_decoder *d, const char *encoding)
{
	static const char *const as_is[] = { "7bit", "8bit", "binary" };
	bool known = encoding == NULL;

	*d = (struct transfer_decoder){ .kind = TRANSFER_AS_IS };
	for (size_t i = 0; i < sizeof(as_is) / sizeof(as_is[0]) && !known; i++)
		known = strcmp(encoding, as_is[i]) == 0;
	if (known)
		return true;
	d->kind = strcmp(encoding, "base64") == 0 ? TRANSFER_BASE64 : TRANSFER_QUOTED;
	return d->kind == TRANSFER_BASE64 || strcmp(encoding, "quoted-printable") == 0;
}

static int
sextet(char c)
{
	static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
				      "abcdefghijklmnopqrstuvwxyz0123456789+/";
	const char *at = c != '\0' ? strchr(letters, c) : NULL;

	return at != NULL ? (int)(at - letters) : -1;
}

static bool
is_blank(char c)
{
	return c == '\r' || c == '\n' || c == ' ' || c == '\t';
}

/* Works in place: each character gives at most one byte. */
static bool
decode_base64(struct transfer_decoder *d, char *p, size_t *n)
{
	size_t to = 0;

	for (size_t i = 0; i < *n; i++) {
		int six = sextet(p[i]);

		if (is_blank(p[i]))
			continue;
		if (p[i] == '=' && d->n_bits > 0 && ++d->padding <= d->n_bits / 2)
			continue;
		if (six < 0 || d->padding > 0)
			return false;
		d->bits = (d->bits << 6 | (uint32_t)six) & 0xffff;
		if ((d->n_bits += 6) >= 8)
			p[to++] = (char)(d->bits >> (d->n_bits -= 8));
	}
	*n = to;
	return true;
}

/* Process a character after "=": a hexadecimal digit, or part of a soft line end. */
static bool
decode_escape(struct transfer_decoder *d, char c, char *p, size_t *to)
{
	int digit = hex_digit(c);

	if (d->pending == 1 && is_blank(c)) {
		d->pending = c == '\n' ? 0 : 1;
		return true;
	}
	if (digit < 0)
		return false;
	if (d->pending++ == 1)
		d->high = digit;
	else {
		p[(*to)++] = (char)(d->high << 4 | digit);
		d->pending = 0;
	}
	return true;
}

static bool
decode_quoted(struct transfer_decoder *d, char *p, size_t *n)
{
	size_t to = 0;

	for (size_t i = 0; i < *n; i++) {
		if (d->pending > 0) {
			if (!decode_escape(d, p[i], p, &to))
				return false;
		} else if (p[i] == '=')
			d->pending = 1;
		else
			p[to++] = p[i];
	}
	*n = to;
	return true;
}

/* Decode n bytes in place; *n becomes the length of the result.  False: they are
   malformed. */
static bool
transfer_decode(struct transfer_decoder *d, char *p, size_t *n)
{
	return d->kind == TRANSFER_AS_IS ||
	       (d->kind == TRANSFER_BASE64 ? decode_base64(d, p, n)
					   : decode_quoted(d, p, n));
}

static bool
transfer_end(const struct transfer_decoder *d)
{
	return d->n_bits < 6 && d->pending < 2;
}

/* ---- the window ---- */

static enum err
fail(struct multipart *m, enum err e)
{
	return m->over = e;
}

/* Read more bytes. False: the source has ended, or there is no room. */
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

/* Find how many bytes from `at` on belong to the part: up to the delimiter if it is in
   the window, else up to where it could still begin.  *n is 0 only at a delimiter. */
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
		m->position = AT_DELIMITER;
		m->at += m->mark_len;
	}
	return OK;
}

/* Skip to the end of the next delimiter. */
static enum err
skip_to_delimiter(struct multipart *m)
{
	bool before = m->position == BEFORE_PARTS;
	size_t n, passed = 0;
	enum err e = OK;

	while (m->position != AT_DELIMITER && (e = run(m, &n)) == OK) {
		m->at += n;
		if (before && (passed += n) > MULTIPART_HEAD_BYTES)
			return fail(m, ERR_REFUSED);
	}
	return e;
}

/* Read the rest of the delimiter's line: "--" and any bytes, or blanks. */
static enum err
end_delimiter(struct multipart *m)
{
	if (!have(m, 2))
		return fail(m, ERR_REFUSED);
	if (memcmp(m->buf + m->at, "--", 2) == 0) {
		m->position = AFTER_PARTS;
		return ERR_NOT_FOUND;
	}
	while (have(m, 1) && (m->buf[m->at] == ' ' || m->buf[m->at] == '\t'))
		m->at++;
	if (!have(m, 2) || memcmp(m->buf + m->at, "\r\n", 2) != 0)
		return fail(m, ERR_REFUSED);
	return OK; /* leaves the line end, after which the headers begin */
}

/* Find the number of bytes from the delimiter's line end to the empty line, both
   included. */
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

/* ---- parts ---- */

enum err
multipart_open(struct arena *mem, const char *content_type, multipart_source *read,
    void *src, struct multipart **to)
{
	const char *boundary;
	struct multipart *m;
	enum err e;

	if ((e = read_boundary(mem, content_type, &boundary)) != OK)
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
	if (m->position == AFTER_PARTS)
		return ERR_NOT_FOUND;
	if ((e = skip_to_delimiter(m)) != OK || (e = end_delimiter(m)) != OK ||
	    (e = find_headers(m, &n)) != OK)
		return e;
	if (m->parts++ == MULTIPART_PARTS)
		return fail(m, ERR_LIMIT);
	if ((e = read_headers(m->mem, m->buf + m->at + 2, n - 4, to)) != OK)
		return fail(m, e);
	m->at += n;
	m->position = IN_PART;
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
	if (m->over != OK || m->position != IN_PART)
		return m->over;
	while (*n == 0 && raw > 0) { /* a piece may consist of line ends only */
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
