/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/network.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stddef.h>
#include <string.h>

#define PREFIX_BYTES 8 /* 64 bits */

const char *
network_of(struct arena *mem, const char *address)
{
	size_t n = strcspn(address, "%"); /* the zone of a link-local address */
	char text[INET6_ADDRSTRLEN];
	struct in6_addr a;

	if (inet_pton(AF_INET6, arena_dup(mem, address, n), &a) != 1)
		return address;
	if (IN6_IS_ADDR_V4MAPPED(&a)) {
		inet_ntop(AF_INET, a.s6_addr + 12, text, sizeof(text));
		return arena_str(mem, text);
	}
	memset(a.s6_addr + PREFIX_BYTES, 0, sizeof(a.s6_addr) - PREFIX_BYTES);
	inet_ntop(AF_INET6, &a, text, sizeof(text));
	return arena_printf(mem, "%s/64", text);
}

void
network_peer(int fd, char to[INET6_ADDRSTRLEN])
{
	struct sockaddr_storage at = { 0 };
	const struct sockaddr_in6 *six = (const void *)&at;
	const struct sockaddr_in *four = (const void *)&at;
	socklen_t n = sizeof(at);

	to[0] = '\0';
	if (getpeername(fd, (struct sockaddr *)&at, &n) != 0)
		return;
	if (at.ss_family == AF_INET)
		inet_ntop(AF_INET, &four->sin_addr, to, INET6_ADDRSTRLEN);
	else if (IN6_IS_ADDR_V4MAPPED(&six->sin6_addr))
		inet_ntop(AF_INET, six->sin6_addr.s6_addr + 12, to, INET6_ADDRSTRLEN);
	else
		inet_ntop(AF_INET6, &six->sin6_addr, to, INET6_ADDRSTRLEN);
}
