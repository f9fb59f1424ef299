#include "web/multipart_head.h"

#include <stdbool.h>
#include <string.h>
#include <strings.h>

#include "base/buf.h"
#include "base/text.h"
#include "web/web.h"

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
 * From behind the opening quote.  Browsers send %22 for a quote and leave a
 * backslash alone ("multipart/form-data encoding" in the HTML standard);
 * others escape both with a backslash.  NULL: it never ends.
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

/* One ";name=value" from *s on; false at the end, or when *s becomes NULL. */
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

enum err
multipart_boundary(struct arena *mem, const char *type, const char **to)
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

/* Its value when the line has that header's name, else NULL. */
static const char *
header_value(const char *line, const char *name)
{
	size_t n = strlen(name);

	if (strncasecmp(line, name, n) != 0 || line[n] != ':')
		return NULL;
	return skip_blanks(line + n + 1);
}

/* The value of "utf-8'en'%C3%9C" (RFC 5987); as it is where it is none. */
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

enum err
multipart_headers(struct arena *mem, const char *s, size_t n, struct multipart_part *to)
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
