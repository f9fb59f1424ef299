#include "ingress/hls_variables.h"

#include <stdbool.h>
#include <string.h>

#include "base/buf.h"
#include "ingress/hls_playlist.h"

#define DEFINE "#EXT-X-DEFINE:"
#define UNKNOWN "The playlist uses a variable that it does not define."

static const char *
value_of(const struct hls_variables *v, const char *name, size_t n)
{
	while (v != NULL && (strlen(v->name) != n || memcmp(v->name, name, n) != 0))
		v = v->next;
	return v != NULL ? v->value : NULL;
}

/* As the query has it; NULL: it has no such member. */
static const char *
query_value(struct arena *mem, const char *url, const char *name)
{
	size_t n = strlen(name);
	const char *at = strchr(url, '?');

	for (; at != NULL; at = strpbrk(at + 1, "&#")) {
		if (*at == '#')
			return NULL;
		if (strncmp(at + 1, name, n) == 0 && at[1 + n] == '=')
			return arena_dup(mem, at + n + 2, strcspn(at + n + 2, "&#"));
	}
	return NULL;
}

/* False: the playlist cannot be read without it. */
static bool
define(struct arena *mem, const char *has, const char *url,
    const struct hls_variables *outer, struct hls_variables **to)
{
	struct hls_variables *v = arena_alloc(mem, sizeof(*v));

	if ((v->name = hls_attribute(mem, has, "NAME")) != NULL)
		v->value = hls_attribute(mem, has, "VALUE");
	else if ((v->name = hls_attribute(mem, has, "IMPORT")) != NULL)
		v->value = value_of(outer, v->name, strlen(v->name));
	else if ((v->name = hls_attribute(mem, has, "QUERYPARAM")) != NULL)
		v->value = query_value(mem, url, v->name);
	if (v->name == NULL || v->value == NULL)
		return false;
	v->next = *to;
	*to = v;
	return true;
}

/* An address, or a tag that may have one. */
static bool
has_variables(const char *line)
{
	return *line != '#' || strncmp(line, "#EXT-X-", strlen("#EXT-X-")) == 0;
}

/* Append a line of n bytes, or more than `most` of what it becomes; false: a variable
   of it is unknown. */
static bool
put_line(struct buf *b, const char *line, size_t n, size_t most, bool replace,
    const struct hls_variables *v)
{
	const char *end = line + n;

	while (line < end && b->len <= most) {
		const char *at = memmem(line, (size_t)(end - line), "{$", 2), *close;
		const char *value;

		close =
		    replace && at != NULL ? memchr(at, '}', (size_t)(end - at)) : NULL;
		if (close == NULL) {
			buf_put(b, line, (size_t)(end - line));
			return true;
		}
		value = value_of(v, at + 2, (size_t)(close - at) - 2);
		if (value == NULL)
			return false;
		buf_put(b, line, (size_t)(at - line));
		buf_put(b, value, strlen(value));
		line = close + 1;
	}
	return true;
}

const char *
hls_variables_replace(struct arena *mem, const char **text, size_t most,
    const char *url, const struct hls_variables *outer, struct hls_variables **to)
{
	struct buf b = { .mem = mem };
	const char *line = *text;

	*to = NULL;
	if (strstr(line, DEFINE) == NULL)
		return NULL;
	for (size_t n; *line != '\0'; line += n) {
		const char *has = line + strlen(DEFINE);

		n = strcspn(line, "\r\n");
		if (strncmp(line, DEFINE, strlen(DEFINE)) == 0
			? !define(mem, arena_dup(mem, has, n - strlen(DEFINE)), url,
			      outer, to)
			: !put_line(&b, line, n, most, has_variables(line), *to))
			return UNKNOWN;
		n += strspn(line + n, "\r\n");
		buf_put(&b, "\n", 1);
		if (b.len > most)
			return "The playlist is too large.";
	}
	*text = buf_text(&b);
	return NULL;
}
