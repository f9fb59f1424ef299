/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef RTC_ROUTES_H
#define RTC_ROUTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <uthash.h>

#include "base/arena.h"
#include "base/err.h"
#include "rtc/ice.h"
#include "rtc/stun.h"
#include "rtc/transport.h"

/* Find the peer of a datagram: by the ufrag of a check, else by its source. */
#define ROUTES_MOST 16 /* paths of one peer; the oldest is replaced */

struct route {
	UT_hash_handle hh; /* hash by path */
	struct transport_path path;
	int64_t checked_us;
	unsigned char check[STUN_ID]; /* time of the last check */
	bool proven;                  /* see routes_put() */
	struct route_set *set;
};

struct route_name {
	UT_hash_handle hh; /* hash by ice.ufrag */
	struct ice_credentials ice;
	struct route_set *set; /* NULL: not in use */
};

/* The routes of one peer. */
struct route_set {
	struct arena *mem;
	void *peer;
	struct route_name names[2]; /* now, and before an ICE restart */
	struct route *routes[ROUTES_MOST];
	int n;
};

/* Zero-initialise except for the transport. */
struct routes {
	struct transport *transport; /* notified of paths without a peer; or NULL */
	struct route_name *names;
	struct route *paths;
};

/*
 * Give the set new credentials; the old ones stay valid until routes_confirm_name().
 * False: another set has the ufrag.
 */
bool routes_put_name(
    struct routes *, struct route_set *, const struct ice_credentials *) MUST_CHECK;
void routes_confirm_name(struct routes *, struct route_name *);
/* Returns the set with that ufrag; NULL: there is none. */
struct route_name *routes_find_name(struct routes *, const char *ufrag, size_t n);

/*
 * A good check with this transaction id came by the path.  True: it is proven by
 * another check in the last 30 s; one alone may be the work of a forged source.
 */
bool routes_put(struct routes *, struct route_set *, const struct transport_path *,
    const unsigned char id[STUN_ID], int64_t now_us);
/* Returns the peer of the path; NULL: there is none. */
void *routes_find(struct routes *, const struct transport_path *);
void routes_forget_path(struct routes *, const struct transport_path *);
/* forget all routes of the set */
void routes_forget(struct routes *, struct route_set *);

#endif
