/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef STORE_LEASES_H
#define STORE_LEASES_H

#include "db/db.h"

/*
 * Leases of channels: the node in a channel's row owns it until lease_until_us, by the
 * clock of the database. Each taking gives the channel a new epoch. After C. Gray and
 * D. Cheriton, "Leases", SOSP 1989.
 */
#define LEASE_TERM_US (INT64_C(7) * 1000000)
/* Without another node that could take the channels, an outage of the database must not
   end them. */
#define LEASE_ALONE_US (INT64_C(60) * 1000000)

struct lease {
	const char *id; /* channel */
	int64_t epoch;  /* from 1 */
	/* monotonic_us() of this host: the owner must stop then; before the end of the
	   lease */
	int64_t until_us;
	const char *guests; /* those of the last owner, see relay.h; NULL: not known */
	bool handed;        /* the owner must hand it over in the next pause */
};

extern const struct sql lease_sql[];

/*
 * Take the channel for a node: if it has no owner, if its lease is over, or if its
 * owner let it go and is dead. anywhere: also if its owner let it go and lives.
 * ERR_CONFLICT: another node owns it, there is no such channel, or this node is being
 * drained and another could take it.
 */
enum err lease_take(struct db *, const char *channel, const char *node, bool anywhere,
    struct lease *) MUST_CHECK;
/* Renew leases, struct lease. kept: those that the node still owns, in the arena. */
enum err lease_renew(struct db *, struct arena *, const char *node, const struct list *,
    struct list *kept) MUST_CHECK;
/* Give up a lease; the channel goes to the node that it was handed to. */
enum err lease_release(struct db *, const char *node, const struct lease *) MUST_CHECK;
/* Ask the owner of a channel to hand it to a node; "": to any. ERR_NOT_FOUND: that node
   does not own it. */
enum err lease_hand(
    struct db *, const char *channel, const char *owner, const char *to) MUST_CHECK;

#endif
