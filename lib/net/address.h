/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef NET_ADDRESS_H
#define NET_ADDRESS_H

#include <stdbool.h>

/*
 * True if an address belongs to the public Internet, so that a call for a client
 * reaches nothing the client could not reach itself: not this machine, its network,
 * its provider's metadata or a group.  Source: the IANA registries of special-purpose
 * addresses, IPv4 and IPv6 (RFC 6890 and its updates).
 *
 * ip: 4 bytes for AF_INET, 16 for AF_INET6, network order (struct in_addr, struct
 * in6_addr); any other family is not public.
 */
bool address_is_public(int family, const void *ip);

#endif
