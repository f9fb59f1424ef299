/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "rtc/routes.h"

#include <string.h>

#include "base/clock.h"

#define PROOF_US (30 * S_US) /* time in which a second check proves a path */

/* ---- names ---- */

static void
forget_name(struct routes *r, struct route_name *n)
{
	if (n->set != NULL)
		HASH_DEL(r->names, n);
	*n = (struct route_name){ 0 };
}

static void
add_name(struct routes *r, struct route_name *n)
{
	HASH_ADD_KEYPTR(hh, r->names, n->ice.ufrag, strlen(n->ice.ufrag), n);
}

bool
routes_put_name(
    struct routes *r, struct route_set *set, const struct ice_credentials *ice)
{
	struct route_name *now = &set->names[0], *before = &set->names[1];

	if (routes_find_name(r, ice->ufrag, strlen(ice->ufrag)) != NULL)
		return false;
	forget_name(r, before);
	if (now->set != NULL) {
		before->ice = now->ice;
		before->set = set;
		forget_name(r, now);
		add_name(r, before);
	}
	now->ice = *ice;
	now->set = set;
	add_name(r, now);
	return true;
}

void
routes_confirm_name(struct routes *r, struct route_name *n)
{
	if (n == &n->set->names[0])
		forget_name(r, &n->set->names[1]);
}

struct route_name *
routes_find_name(struct routes *r, const char *ufrag, size_t n)
{
	struct route_name *found;

	HASH_FIND(hh, r->names, ufrag, n, found);
	return found;
}

/* ---- paths ---- */

static struct route *
find(struct routes *r, const struct transport_path *path)
{
	struct route *found;

	HASH_FIND(hh, r->paths, path, sizeof(*path), found);
	return found;
}

/* Remove a route from use. It stays in the set as the oldest one, which is replaced
   first. */
static void
unlink_route(struct routes *r, struct route *x)
{
	HASH_DEL(r->paths, x);
	x->checked_us = INT64_MIN;
	if (r->transport != NULL)
		transport_accept(r->transport, &x->path, false);
}

/* Returns a free route of the set, or the route that was checked longest ago. */
static struct route *
choose_route(struct routes *r, struct route_set *set)
{
	struct route *oldest = set->n > 0 ? set->routes[0] : NULL;

	for (int i = 1; i < set->n; i++)
		if (set->routes[i]->checked_us < oldest->checked_us)
			oldest = set->routes[i];
	if (set->n < ROUTES_MOST &&
	    (oldest == NULL || oldest->checked_us != INT64_MIN)) {
		oldest = arena_alloc(set->mem, sizeof(*oldest));
		oldest->set = set;
		set->routes[set->n++] = oldest;
	} else if (oldest->checked_us != INT64_MIN) {
		unlink_route(r, oldest);
	}
	return oldest;
}

/* A datagram that was replayed by an attacker does not count as a second check. */
static bool
prove(struct route *x, const unsigned char id[STUN_ID], int64_t now_us)
{
	if (now_us > x->checked_us + PROOF_US)
		x->proven = false;
	else if (memcmp(x->check, id, STUN_ID) != 0)
		x->proven = true;
	x->checked_us = now_us;
	memcpy(x->check, id, STUN_ID);
	return x->proven;
}

bool
routes_put(struct routes *r, struct route_set *set, const struct transport_path *path,
    const unsigned char id[STUN_ID], int64_t now_us)
{
	struct route *x = find(r, path);

	if (x != NULL && x->set != set) {
		unlink_route(r, x);
		x = NULL;
	}
	if (x == NULL) {
		x = choose_route(r, set);
		x->path = *path;
		x->checked_us = now_us;
		x->proven = false;
		memcpy(x->check, id, STUN_ID);
		HASH_ADD(hh, r->paths, path, sizeof(x->path), x);
	}
	return prove(x, id, now_us);
}

void *
routes_find(struct routes *r, const struct transport_path *path)
{
	struct route *x = find(r, path);

	return x != NULL ? x->set->peer : NULL;
}

void
routes_forget_path(struct routes *r, const struct transport_path *path)
{
	struct route *x = find(r, path);

	if (x != NULL)
		unlink_route(r, x);
}

void
routes_forget(struct routes *r, struct route_set *set)
{
	for (int i = 0; i < set->n; i++)
		if (set->routes[i]->checked_us != INT64_MIN)
			unlink_route(r, set->routes[i]);
	set->n = 0;
	for (int i = 0; i < 2; i++)
		forget_name(r, &set->names[i]);
}
