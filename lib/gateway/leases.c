/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "gateway/leases.h"

#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "store/nodes.h"

#define UNUSED_US (10 * S_US) /* time for which a channel without a session is kept */

struct held_lease {
	struct held_lease *next;
	struct lease lease;
	struct arena *mem; /* owned; has the lease and its id */
	int64_t wanted_us; /* monotonic, when a client or a stream wanted it last */
};

struct leases {
	struct held_lease *first;
};

static struct held_lease **
find(struct leases *all, const char *channel)
{
	struct held_lease **at = &all->first;

	while (*at != NULL && strcmp((*at)->lease.id, channel) != 0)
		at = &(*at)->next;
	return at;
}

static void
forget(struct held_lease **at)
{
	struct held_lease *l = *at;

	*at = l->next;
	arena_free(l->mem);
}

static void
forget_all(void *leases)
{
	struct leases *all = leases;

	while (all->first != NULL)
		forget(&all->first);
}

void
leases_open(struct gateway *g)
{
	g->leases = arena_alloc(g->mem, sizeof(*g->leases));
	arena_defer(g->mem, forget_all, g->leases);
}

static struct held_lease *
add(struct leases *all, const char *channel)
{
	struct arena *mem = arena_new();
	struct held_lease *l = arena_alloc(mem, sizeof(*l));

	*l = (struct held_lease){
		.next = all->first, .lease.id = arena_str(mem, channel), .mem = mem
	};
	return all->first = l;
}

enum err
leases_take(struct gateway *g, const char *channel, bool anywhere, struct lease *to)
{
	struct held_lease **at = find(g->leases, channel), *l;
	int64_t now = monotonic_us();
	enum err e;

	if (*at != NULL && now < (*at)->lease.until_us) {
		(*at)->wanted_us = now;
		*to = (*at)->lease;
		to->id = channel;
		return OK;
	}
	if (g->namesake)
		return ERR_BUSY;
	if (g->leaving || g->isolated)
		return ERR_CONFLICT;
	if ((e = lease_take(g->app.db, channel, g->conf->node, anywhere, to)) != OK)
		return e;
	l = *at != NULL ? *at : add(g->leases, channel);
	l->lease.epoch = to->epoch;
	l->lease.until_us = to->until_us;
	l->wanted_us = now;
	return OK;
}

static bool
is_used(const struct list *used, const struct held_lease *l)
{
	const struct lease *s = used->items;

	for (size_t i = 0; i < used->n; i++)
		if (s[i].epoch == l->lease.epoch && strcmp(s[i].id, l->lease.id) == 0)
			return true;
	return false;
}

/* Put the leases to renew into the list; give up those without a session. */
static void
choose(struct gateway *g, const struct list *used, struct list *to)
{
	struct lease *items = to->items;
	int64_t now = monotonic_us();

	for (struct held_lease **at = &g->leases->first; *at != NULL;) {
		struct held_lease *l = *at;

		if (is_used(used, l))
			l->wanted_us = now;
		if (now >= l->lease.until_us)
			forget(at);
		else if (now > l->wanted_us + UNUSED_US)
			leases_drop(g, &l->lease);
		else {
			items[to->n++] = l->lease;
			at = &l->next;
		}
	}
}

/* Forget a lease that another node has now, or whose channel is deleted. */
static void
settle(struct gateway *g, const struct list *kept)
{
	const struct lease *k = kept->items;

	for (struct held_lease **at = &g->leases->first; *at != NULL;) {
		size_t i = 0;

		while (i < kept->n && strcmp(k[i].id, (*at)->lease.id) != 0)
			i++;
		if (i == kept->n) {
			log_warn("channel %s: its lease is lost", (*at)->lease.id);
			forget(at);
			continue;
		}
		(*at)->lease.until_us = k[i].until_us;
		at = &(*at)->next;
	}
}

static size_t
count(const struct leases *all)
{
	size_t n = 0;

	for (const struct held_lease *l = all->first; l != NULL; l = l->next)
		n++;
	return n;
}

enum err
leases_renew(
    struct gateway *g, struct arena *mem, const struct list *used, struct list *kept)
{
	struct list all = {
		arena_alloc(mem, (count(g->leases) + 1) * sizeof(struct lease)), 0
	};
	enum err e;

	*kept = (struct list){ 0 };
	choose(g, used, &all);
	if (all.n == 0)
		return OK;
	e = lease_renew(g->app.db, mem, g->conf->node, &all, kept);
	if (e == OK)
		settle(g, kept);
	return e;
}

void
leases_drop(struct gateway *g, const struct lease *l)
{
	struct held_lease **at = find(g->leases, l->id);

	if (*at == NULL || (*at)->lease.epoch != l->epoch)
		return;
	if (lease_release(g->app.db, g->conf->node, l) != OK)
		log_warn("channel %s: its lease is not given up, it will end", l->id);
	forget(at);
}

bool
leases_hand(struct gateway *g, struct arena *mem)
{
	struct node n;

	for (const struct held_lease *l = g->leases->first; l != NULL; l = l->next)
		if (node_choose_other(
			g->app.db, mem, g->conf->node, g->cluster != NULL, &n) != OK ||
		    lease_hand(g->app.db, l->lease.id, g->conf->node, n.id) != OK)
			return false;
	return node_choose_other(
		   g->app.db, mem, g->conf->node, g->cluster != NULL, &n) == OK;
}
