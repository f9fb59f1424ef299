/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Addresses that are stored and called later. When our code takes an address for
 * public, libcurl must read it in the same way: https, the same host, no user, no
 * private address.
 */
#include <arpa/inet.h>
#include <curl/curl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "net/address.h"
#include "net/url.h"

int LLVMFuzzerTestOneInput(const uint8_t *, size_t);

static char *
part(CURLU *u, CURLUPart what)
{
	char *s = NULL;

	return curl_url_get(u, what, &s, 0) == CURLUE_OK ? s : NULL;
}

static void
check_host(const char *host)
{
	struct in_addr v4;
	struct in6_addr v6;
	size_t n = strlen(host);
	char bare[64] = "";

	if (n > 2 && n < sizeof(bare) && host[0] == '[')
		memcpy(bare, host + 1, n - 2);
	if (inet_aton(host, &v4) && !address_is_public(AF_INET, &v4))
		abort();
	if (host[0] == '[' &&
	    (inet_pton(AF_INET6, bare, &v6) != 1 || !address_is_public(AF_INET6, &v6)))
		abort();
	if (strcasecmp(host, "localhost") == 0)
		abort();
}

static void
check(const char *url)
{
	CURLU *u = curl_url();
	char *user, *host, *scheme;

	if (curl_url_set(u, CURLUPART_URL, url, 0) == CURLUE_OK) {
		scheme = part(u, CURLUPART_SCHEME);
		host = part(u, CURLUPART_HOST);
		user = part(u, CURLUPART_USER);
		if (user != NULL || host == NULL || strcmp(scheme, "https") != 0)
			abort();
		check_host(host);
		curl_free(scheme);
		curl_free(host);
	}
	curl_url_cleanup(u);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena *mem = arena_new();
	const char *url = arena_dup(mem, (const char *)data, size);

	if (url_is_public(mem, url))
		check(url);
	arena_free(mem);
	return 0;
}
