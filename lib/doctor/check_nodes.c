/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The hosts that share the database: alive, of the same version, with the same clock.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/version.h"
#include "doctor/check.h"
#include "store/nodes.h"
#include "store/schema.h"

#define APART_US (5 * S_US) /* clocks must agree within this time */
#define WAIT_US 250000

/* Microseconds by which the time of the last heartbeat cannot be right: below 0, it is
   in the future. */
static int64_t
apart_us(const struct node *n, int64_t clock_us)
{
	int64_t age_us = clock_us - n->seen_us;

	return age_us < -APART_US                 ? age_us
	       : age_us > NODE_BEAT_US + APART_US ? age_us - NODE_BEAT_US
						  : 0;
}

/*
 * A node whose last heartbeat is old is dead, or its clock is behind: wait for another
 * heartbeat. True: one came, and is in n.
 */
static bool
beats(struct check *k, struct db *db, struct node *n)
{
	int64_t was_us = n->seen_us;

	for (int64_t us = 0; us < NODE_BEAT_US + S_US; us += WAIT_US) {
		usleep(WAIT_US);
		if (node_get(db, k->mem, n->id, n) != OK || n->seen_us != was_us)
			return n->seen_us != was_us;
	}
	return false;
}

static void
judge_version(struct check *k, const char *looked, const struct node *n)
{
	if (n->version != NULL && strcmp(n->version, VERSION) == 0)
		check_ok(k, looked, "is alive and runs " VERSION);
	else
		check_warn(k, looked,
		    "Upgrade that host, or this one; restart its gateway after "
		    "that.",
		    "runs %s, this program is " VERSION,
		    n->version != NULL ? n->version : "an older release");
}

static void
judge_node(struct check *k, struct db *db, struct node *n)
{
	const char *looked = arena_printf(k->mem, "node %s", n->id);
	int64_t clock_us = 0, off_us;
	bool alive = true;

	if (schema_clock(db, &clock_us) != OK)
		return;
	if ((off_us = apart_us(n, clock_us)) > 0 && (alive = beats(k, db, n)) &&
	    schema_clock(db, &clock_us) == OK)
		off_us = apart_us(n, clock_us);
	if (!alive)
		check_warn(k, looked,
		    arena_printf(k->mem,
			"Start its gateway, or run dragoman node remove %s.", n->id),
		    "its last heartbeat was %lld s ago",
		    (long long)((clock_us - n->seen_us) / S_US));
	else if (off_us != 0)
		check_fail(k, looked,
		    "Synchronise its clock by NTP: leases and links depend on the "
		    "time.",
		    "its clock is %lld s %s the database's", llabs(off_us) / S_US,
		    off_us < 0 ? "ahead of" : "behind");
	else
		judge_version(k, looked, n);
}

void
check_nodes(struct check *k)
{
	struct list all;
	struct node *n;
	struct db *db;

	if (db_open(&db, k->conf->db_url, (int)k->conf->db_busy_ms, false) != OK)
		return;
	if (node_list(db, k->mem, &all) != OK)
		all.n = 0;
	n = all.items;
	for (size_t i = 0; i < all.n; i++)
		judge_node(k, db, &n[i]);
	db_close(db);
}
