/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "rtc/ice.h"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <stdio.h>
#include <string.h>

#include "base/hash.h"

#define ADDRESSES                                                                      \
	16 /* candidates, at most; hosts with containers have many addresses */

/* RFC 8445, 5.1.2.1: a host's type preference, local preference and component 1. */
#define UDP_PRIORITY 2130706431u
#define TCP_PRIORITY 1671430143u
#define NEXT_ADDRESS 256 /* step of the local preference */

/* ---- credentials ---- */

static void
random_text(char *to, size_t n)
{
	static const char ice_char[] =
	    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

	random_bytes(to, n);
	for (size_t i = 0; i < n; i++)
		to[i] = ice_char[(unsigned char)to[i] % 64];
	to[n] = '\0';
}

void
ice_credentials_new(struct ice_credentials *c)
{
	random_text(c->ufrag, sizeof(c->ufrag) - 1);
	random_text(c->pwd, sizeof(c->pwd) - 1);
}

void
ice_credentials_probe(const struct conf *c, struct ice_credentials *to)
{
	unsigned char key[SHA256_BYTES];

	conf_key(c, "webrtc probe", key);
	snprintf(to->ufrag, sizeof(to->ufrag), "probe"); /* shorter than any peer's */
	for (size_t i = 0; i < sizeof(to->pwd) / 2; i++)
		snprintf(to->pwd + 2 * i, 3, "%02x", key[i]);
}

/* ---- kinds of addresses ---- */

/* Kinds of addresses in the order of preference. */
enum rank { PUBLIC, PRIVATE, LOOPBACK, RANKS };

static enum rank
rank_4(uint32_t address)
{
	static const struct {
		uint32_t net, mask;
	} private[] = {
		{ 0x00000000, 0xff000000 }, /* 0.0.0.0/8 */
		{ 0x0a000000, 0xff000000 }, /* 10.0.0.0/8 */
		{ 0x64400000, 0xffc00000 }, /* 100.64.0.0/10, networks of providers */
		{ 0xa9fe0000, 0xffff0000 }, /* 169.254.0.0/16 */
		{ 0xac100000, 0xfff00000 }, /* 172.16.0.0/12 */
		{ 0xc0a80000, 0xffff0000 }, /* 192.168.0.0/16 */
		{ 0xe0000000, 0xe0000000 }, /* multicast and reserved */
	};

	if (address >> 24 == 127)
		return LOOPBACK;
	for (size_t i = 0; i < sizeof(private) / sizeof(private[0]); i++)
		if ((address & private[i].mask) == private[i].net)
			return PRIVATE;
	return PUBLIC;
}

/* The rank of an address. Among IPv6 addresses only 2000::/3 is public. */
static enum rank
rank_of(int family, const void *address)
{
	static const struct in6_addr loopback = IN6ADDR_LOOPBACK_INIT;
	uint32_t four;

	if (family == AF_INET) {
		memcpy(&four, address, sizeof(four));
		return rank_4(ntohl(four));
	}
	if (memcmp(address, &loopback, sizeof(loopback)) == 0)
		return LOOPBACK;
	return (*(const unsigned char *)address & 0xe0) == 0x20 ? PUBLIC : PRIVATE;
}

/* *to: the address.  Returns its family; 0: invalid. */
static int
parse(const char *text, struct in6_addr *to)
{
	if (inet_pton(AF_INET, text, to) == 1)
		return AF_INET;
	return inet_pton(AF_INET6, text, to) == 1 ? AF_INET6 : 0;
}

bool
ice_is_public(const char *address)
{
	struct in6_addr a;
	int family = parse(address, &a);

	return family != 0 && rank_of(family, &a) == PUBLIC;
}

/* ---- the addresses given to peers ---- */

struct gathering {
	const struct ifaddrs *interfaces;
	enum rank rank; /* used now */
	char found[ADDRESSES][INET6_ADDRSTRLEN];
	size_t n;
};

static void
add_address(struct gathering *g, int family, const void *address)
{
	char *to = g->found[g->n];

	if (g->n == ADDRESSES || rank_of(family, address) != g->rank ||
	    inet_ntop(family, address, to, INET6_ADDRSTRLEN) == NULL)
		return;
	for (size_t i = 0; i < g->n; i++)
		if (strcmp(g->found[i], to) == 0)
			return;
	g->n++;
}

/*
 * Returns the address as text; NULL: another family, the interface is down, or a
 * link-local address, which needs the interface's name.
 */
static const void *
address_of(const struct ifaddrs *i, int family)
{
	const struct in6_addr *six;

	if (i->ifa_addr == NULL || i->ifa_addr->sa_family != family ||
	    (i->ifa_flags & IFF_UP) == 0)
		return NULL;
	if (family == AF_INET)
		return &((const struct sockaddr_in *)(const void *)i->ifa_addr)
			    ->sin_addr;
	six = &((const struct sockaddr_in6 *)(const void *)i->ifa_addr)->sin6_addr;
	return IN6_IS_ADDR_LINKLOCAL(six) ? NULL : six;
}

static void
add_interfaces(struct gathering *g, int family)
{
	const void *address;

	if (g->rank == LOOPBACK && g->n > 0)
		return;
	for (const struct ifaddrs *i = g->interfaces; i != NULL; i = i->ifa_next)
		if ((address = address_of(i, family)) != NULL)
			add_address(g, family, address);
}

static void
add_text(struct gathering *g, const char *text)
{
	static const struct in6_addr wildcard = IN6ADDR_ANY_INIT;
	struct in6_addr a;
	int family = parse(text, &a);

	if (family == 0)
		return;
	if (memcmp(&a, &wildcard, family == AF_INET ? 4 : 16) == 0)
		add_interfaces(g, family);
	else
		add_address(g, family, &a);
}

/* Add a comma-separated list of addresses. */
static void
add_list(struct gathering *g, const char *list)
{
	char text[INET6_ADDRSTRLEN];

	while (*list != '\0') {
		size_t n;

		list += strspn(list, ", \t");
		n = strcspn(list, ", \t");
		if (n < sizeof(text)) {
			memcpy(text, list, n);
			text[n] = '\0';
			add_text(g, text);
		}
		list += n;
	}
}

static void
gather(struct gathering *g, const char *list)
{
	struct ifaddrs *interfaces = NULL;

	if (getifaddrs(&interfaces) != 0)
		interfaces = NULL;
	g->interfaces = interfaces;
	for (g->rank = PUBLIC; g->rank < RANKS; g->rank++)
		add_list(g, list);
	if (interfaces != NULL)
		freeifaddrs(interfaces);
}

/* ---- candidates ---- */

const struct ice_candidate *
ice_candidates(struct arena *mem, const struct ice_addresses *at, size_t *n)
{
	struct gathering g = { .n = 0 };
	struct ice_candidate *all, *c;

	gather(&g, at->address[0] != '\0' ? at->address : at->listen);
	all = c = arena_alloc(mem, 2 * ADDRESSES * sizeof(*all));
	for (unsigned i = 0; i < g.n; i++)
		for (unsigned tcp = 0; tcp <= at->tcp; tcp++) {
			memcpy(c->address, g.found[i], sizeof(c->address));
			c->port = at->port;
			c->tcp = tcp;
			c->priority =
			    (tcp ? TCP_PRIORITY : UDP_PRIORITY) - i * NEXT_ADDRESS;
			c++->foundation = 2 * i + 1 + tcp;
		}
	*n = (size_t)(c - all);
	return all;
}
