/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef RTC_ICE_H
#define RTC_ICE_H

#include <netinet/in.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/conf.h"
#include "base/err.h"

/* ICE-lite (RFC 8445, 2.5): our credentials and addresses. */
struct ice_credentials {
	char ufrag[9], pwd[25]; /* random, of ice-char (RFC 8839, 5.4) */
};
void ice_credentials_new(struct ice_credentials *);
/*
 * Credentials of this installation's own checks of its port; derived from the key
 * file.
 */
void ice_credentials_probe(const struct conf *, struct ice_credentials *);

struct ice_candidate {
	char address[INET6_ADDRSTRLEN];
	int port;
	bool tcp; /* passive (RFC 6544); else UDP */
	uint32_t priority;
	unsigned foundation;
};

/* The addresses given to peers: settings of the same names in section [rtc]. */
struct ice_addresses {
	const char *listen; /* addresses bound, comma-separated */
	const char
	    *address; /* addresses given; "": those bound, or of the interfaces */
	int port;
	bool tcp;
};

/*
 * The candidates, a UDP one and, with tcp, a TCP one for each address, public addresses
 * first.  A wildcard address stands for all addresses of interfaces that are up,
 * without loopback unless there is no other.  Reads the interfaces each time.
 */
const struct ice_candidate *ice_candidates(
    struct arena *, const struct ice_addresses *, size_t *n);
/* True if the address is neither private, link-local nor loopback. */
bool ice_is_public(const char *address);

#endif
