/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The credentials follow the REST API for access to TURN services, which coturn calls
 * use-auth-secret.
 */
#include "participant/ice_servers.h"

#include <string.h>

#include "base/base64.h"
#include "base/clock.h"
#include "base/hash.h"

#define SERVERS 8

/* The next item of a list with commas; NULL: there is none. */
static const char *
next_url(struct arena *mem, const char **list)
{
	const char *url = *list + strspn(*list, ", ");
	size_t n = strcspn(url, ", ");

	*list = url + n;
	return n > 0 ? arena_dup(mem, url, n) : NULL;
}

static void
set_credential(const struct conf *c, struct arena *mem, const char *id,
    struct signal_ice_server *to)
{
	unsigned char mac[20];

	if (strncmp(to->url, "turn", 4) != 0 || c->rtc_turn_secret[0] == '\0')
		return;
	to->username = arena_printf(
	    mem, "%lld:%s", (long long)(now_us() / S_US + c->rtc_turn_life_s), id);
	hmac_sha1(c->rtc_turn_secret, strlen(c->rtc_turn_secret), to->username,
	    strlen(to->username), mac);
	to->credential = base64(mem, mac, sizeof(mac));
}

const struct signal_ice_server *
ice_servers(const struct conf *c, struct arena *mem, const char *id, size_t *n)
{
	struct signal_ice_server *to = arena_alloc(mem, SERVERS * sizeof(*to));
	const char *list = c->rtc_ice_servers;

	for (*n = 0; *n < SERVERS; (*n)++) {
		if ((to[*n].url = next_url(mem, &list)) == NULL)
			break;
		set_credential(c, mem, id, &to[*n]);
	}
	return to;
}
