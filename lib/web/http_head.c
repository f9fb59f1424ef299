/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "web/http_head.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

#define LINES 100

size_t
http_head_length(const char *s, size_t n)
{
	const char *end = memmem(s, n, "\r\n\r\n", 4);

	return end != NULL ? (size_t)(end - s) + 4 : 0;
}

static bool
is_token(const char *s)
{
	static const char others[] = "!#$%&'*+-.^_`|~";

	if (*s == '\0')
		return false;
	for (; *s != '\0'; s++)
		if (!isalnum((unsigned char)*s) && strchr(others, *s) == NULL)
			return false;
	return true;
}

/* No control characters: they could end a line of the response or of a log. */
static bool
is_printed(const char *s, bool blanks)
{
	for (; *s != '\0'; s++)
		if (((unsigned char)*s < (blanks ? ' ' : '!') || *s == 127) &&
		    !(blanks && *s == '\t'))
			return false;
	return true;
}

/* Proxies may send the absolute form of a target (RFC 9112, 3.2.2). */
static const char *
without_host(const char *target)
{
	const char *host = strncasecmp(target, "http://", 7) == 0    ? target + 7
			   : strncasecmp(target, "https://", 8) == 0 ? target + 8
								     : NULL;
	const char *path = host != NULL ? strchr(host, '/') : NULL;

	return path != NULL ? path : target;
}

/* "METHOD target HTTP/1.1" */
static bool
read_request(struct arena *mem, char *line, struct http_head *h)
{
	char *target = strchr(line, ' '), *version;

	h->line_bytes = strlen(line);
	if (target == NULL || (version = strchr(target + 1, ' ')) == NULL)
		return false;
	*target++ = *version++ = '\0';
	h->method = line;
	h->target = arena_str(mem, without_host(target));
	h->has_chunks = strcmp(version, "HTTP/1.0") != 0;
	return is_token(line) && h->target[0] == '/' && is_printed(target, false) &&
	       strncmp(version, "HTTP/1.", 7) == 0 &&
	       isdigit((unsigned char)version[7]) && version[8] == '\0';
}

static struct http_header *
find(const struct http_head *h, const char *name)
{
	for (size_t i = 0; i < h->n; i++)
		if (strcasecmp(h->lines[i].name, name) == 0)
			return &h->lines[i];
	return NULL;
}

/* Lines of one name are one list (RFC 9110, 5.3). */
static bool
read_line(struct arena *mem, char *line, struct http_head *h)
{
	char *value = strchr(line, ':');
	struct http_header *same;
	size_t n;

	if (value == NULL)
		return false;
	h->header_bytes += strlen(line) + 2;
	*value++ = '\0';
	value += strspn(value, " \t");
	for (n = strlen(value); n > 0 && (value[n - 1] == ' ' || value[n - 1] == '\t');)
		value[--n] = '\0';
	if ((same = find(h, line)) != NULL)
		same->value = arena_printf(
		    mem, *value != '\0' ? "%s, %s" : "%s,", same->value, value);
	else
		h->lines[h->n++] = (struct http_header){ line, value };
	return is_token(line) && is_printed(value, true);
}

bool
http_head_read(struct arena *mem, const char *s, size_t length, struct http_head *h)
{
	char *line = arena_dup(mem, s, length - 2), *end;
	int n = 0;

	*h = (struct http_head){ .lines = arena_alloc(mem, LINES * sizeof(*h->lines)) };
	if (strlen(line) != length - 2)
		return false;
	for (; *line != '\0'; line = end + 2, n++) {
		if (n > LINES || (end = strstr(line, "\r\n")) == NULL)
			return false;
		*end = '\0';
		if (!(n == 0 ? read_request(mem, line, h) : read_line(mem, line, h)))
			return false;
	}
	return n > 0;
}

const char *
http_head_get(const struct http_head *h, const char *name)
{
	const struct http_header *is = find(h, name);

	return is != NULL ? is->value : NULL;
}

/* "HTTP_X_REQUEST_ID" is "X-Request-Id"; "X_Request_Id" has no such name. */
static bool
is_cgi_name(const char *cgi, const char *name)
{
	for (; *cgi != '\0' && *name != '\0' && *name != '_'; cgi++, name++)
		if (*cgi != (*name == '-' ? '_' : toupper((unsigned char)*name)))
			return false;
	return *cgi == '\0' && *name == '\0';
}

const char *
http_head_get_cgi(const struct http_head *h, const char *name)
{
	if (strncmp(name, "HTTP_", 5) != 0)
		return NULL;
	for (size_t i = 0; i < h->n; i++)
		if (is_cgi_name(name + 5, h->lines[i].name))
			return h->lines[i].value;
	return NULL;
}

bool
http_head_lists(const struct http_head *h, const char *name, const char *word)
{
	const char *s = http_head_get(h, name);
	size_t n, all = strlen(word);

	for (; s != NULL && *s != '\0'; s += n) {
		s += strspn(s, ", \t");
		n = strcspn(s, ", \t");
		if (n == all && strncasecmp(s, word, n) == 0)
			return true;
	}
	return false;
}

size_t
http_head_without(const char *s, size_t length, const char *name, char *to)
{
	const char *end = s + length;
	size_t n, all = strlen(name), written = 0;

	for (; s < end; s += n) {
		const char *line_end = memchr(s, '\n', (size_t)(end - s));

		n = line_end != NULL ? (size_t)(line_end + 1 - s) : (size_t)(end - s);
		if (n > all && s[all] == ':' && strncasecmp(s, name, all) == 0)
			continue;
		memcpy(to + written, s, n);
		written += n;
	}
	return written;
}

static bool
is_of_this_host(const char *address)
{
	return strncmp(address, "127.", 4) == 0 || strcmp(address, "::1") == 0;
}

static bool
is_proxy(const char *address, const char *list)
{
	size_t n = strlen(address), most;

	for (; *list != '\0'; list += most) {
		list += strspn(list, ", ");
		most = strcspn(list, ", ");
		if (most > 0 && list[most - 1] == '*'
			? strncmp(address, list, most - 1) == 0
			: n == most && memcmp(address, list, n) == 0)
			return true;
	}
	return is_of_this_host(address);
}

/* lighttpd appends the address of a proxy before it, even of one that it trusts. */
const char *
http_head_peer(
    struct arena *mem, const struct http_head *h, const char *peer, const char *proxies)
{
	const char *via = http_head_get(h, "X-Forwarded-For");
	size_t n = via != NULL ? strlen(via) : 0;

	while (n > 0 && is_proxy(peer, proxies)) {
		const char *comma = memrchr(via, ',', n);
		const char *last = comma != NULL ? comma + 1 : via;

		last += strspn(last, " \t");
		peer = arena_dup(mem, last, strcspn(last, " \t,"));
		n = comma != NULL ? (size_t)(comma - via) : 0;
	}
	return peer;
}
