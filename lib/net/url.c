/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "net/url.h"

#include <arpa/inet.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "net/address.h"

/* True for a literal address, in any of its spellings, and for a name that means this
   machine. */
static bool
host_is_private(const char *host)
{
	size_t n = strlen(host);
	struct in_addr v4;

	if (inet_aton(host, &v4))
		return !address_is_public(AF_INET, &v4);
	return strcasecmp(host, "localhost") == 0 ||
	       (n > 10 && strcasecmp(host + n - 10, ".localhost") == 0);
}

/* The addresses that a URL may lead to. */
enum reach { PUBLIC, ANYWHERE };

/* "[2001:db8::1]" */
static bool
literal_is_fit(struct arena *mem, const char *host, size_t n, enum reach reach)
{
	struct in6_addr v6;

	return n > 2 && host[n - 1] == ']' &&
	       inet_pton(AF_INET6, arena_dup(mem, host + 1, n - 2), &v6) == 1 &&
	       (reach == ANYWHERE || address_is_public(AF_INET6, &v6));
}

static bool
host_is_fit(struct arena *mem, const char *host, size_t n, enum reach reach)
{
	static const char allowed[] = "abcdefghijklmnopqrstuvwxyz"
				      "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._";

	if (n > 0 && host[0] == '[')
		return literal_is_fit(mem, host, n, reach);
	if (n > 1 && host[n - 1] == '.') /* the root, which changes nothing */
		n--;
	return n > 0 && host[0] != '.' && strspn(host, allowed) >= n &&
	       (reach == ANYWHERE || !host_is_private(arena_dup(mem, host, n)));
}

/* at: length of "https://" or "http://". */
static bool
is_fit(struct arena *mem, const char *url, size_t at, enum reach reach)
{
	const char *host = url + at, *port;
	size_t n, digits;

	for (const char *s = url; *s != '\0'; s++)
		if (*s <= ' ' || *s > '~' || strchr("\"<>\\^`{|}", *s) != NULL)
			return false;
	n = strcspn(host, "/?#");
	for (port = host + n; port > host && port[-1] != ':' && port[-1] != ']';)
		port--;
	digits = (size_t)(host + n - port);
	if (port == host || port[-1] != ':')
		return host_is_fit(mem, host, n, reach);
	return digits < 6 && strspn(port, "0123456789") >= digits &&
	       strtol(port, NULL, 10) < 65536 &&
	       host_is_fit(mem, host, n - digits - 1, reach);
}

static bool
is_http(struct arena *mem, const char *url, enum reach reach)
{
	if (strncasecmp(url, "https://", 8) == 0)
		return is_fit(mem, url, 8, reach);
	return strncasecmp(url, "http://", 7) == 0 && is_fit(mem, url, 7, reach);
}

bool
url_is_public(struct arena *mem, const char *url)
{
	return strncasecmp(url, "https://", 8) == 0 && is_http(mem, url, PUBLIC);
}

bool
url_is_public_http(struct arena *mem, const char *url)
{
	return is_http(mem, url, PUBLIC);
}

bool
url_is_http(struct arena *mem, const char *url)
{
	return is_http(mem, url, ANYWHERE);
}
