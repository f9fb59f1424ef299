/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef BASE_NETWORK_H
#define BASE_NETWORK_H

#include <netinet/in.h>
#include <sys/socket.h>

#include "base/arena.h"

/*
 * The network as which rate limits count an address. A customer of a provider has a
 * whole IPv6 /64 (RFC 6177), so all its addresses count as one: "2001:db8:1:2::/64". An
 * IPv4 address counts by itself, in any spelling ("::ffff:192.0.2.1"), and so does a
 * text that is not an address.
 */
const char *network_of(struct arena *, const char *address);
/* The address of a connection's other end, without its port; "": it is gone. */
void network_peer(int fd, char to[INET6_ADDRSTRLEN]);

#endif
