/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "gateway/hls_listeners.h"

#include <string.h>

#include "base/clock.h"
#include "base/table.h"
#include "gateway/tally.h"

/* Listeners for which the time between two reports grows by a second. */
#define EACH_S 1000
#define FULL_S 3600 /* until the next report of a listener that does not count */

struct entry {
	UT_hash_handle hh; /* hash by listener */
	struct arena *mem; /* owned */
	const char *listener, *network;
	struct listening is;
	int64_t until_us;
};

struct hls_listeners {
	struct entry *all;
	struct tally *networks;
	bool changed;
};

struct hls_listeners *
hls_listeners_new(struct arena *mem)
{
	struct hls_listeners *l = arena_alloc(mem, sizeof(*l));

	l->networks = tally_new(mem);
	return l;
}

static void
drop(struct hls_listeners *l, struct entry *e)
{
	HASH_DEL(l->all, e);
	tally_remove(l->networks, e->network);
	arena_free(e->mem);
	l->changed = true;
}

static struct entry *
add(struct hls_listeners *l, const struct listening *is, const char *listener,
    const char *network)
{
	struct arena *mem = arena_small(512);
	struct entry *e = arena_alloc(mem, sizeof(*e));

	*e = (struct entry){ .mem = mem,
		.listener = arena_str(mem, listener),
		.network = arena_str(mem, network),
		.is = { arena_str(mem, is->event), arena_str(mem, is->channel),
		    arena_str(mem, is->language), 1 } };
	HASH_ADD_KEYPTR(hh, l->all, e->listener, strlen(e->listener), e);
	tally_add(l->networks, e->network);
	l->changed = true;
	return e;
}

int64_t
hls_listeners_add(struct hls_listeners *l, const struct listening *is,
    const char *listener, const char *network, int64_t network_most, int64_t now)
{
	int64_t next_s = HLS_LISTENERS_S + HASH_COUNT(l->all) / EACH_S;
	struct entry *e;

	HASH_FIND_STR(l->all, listener, e);
	if (e != NULL && (strcmp(e->is.language, is->language) != 0 ||
			     strcmp(e->is.channel, is->channel) != 0)) {
		drop(l, e);
		e = NULL;
	}
	if (e == NULL && HASH_COUNT(l->all) < HLS_LISTENERS_MOST &&
	    tally_of(l->networks, network) < network_most)
		e = add(l, is, listener, network);
	if (e == NULL)
		return HASH_COUNT(l->all) < HLS_LISTENERS_MOST ? next_s : FULL_S;
	e->until_us = now + (2 * next_s + 5) * S_US;
	return next_s;
}

bool
hls_listeners_expire(struct hls_listeners *l, int64_t now)
{
	struct entry *e, *next;

	HASH_ITER(hh, l->all, e, next)
	if (now > e->until_us)
		drop(l, e);
	return l->changed;
}

/* Add n to the row of the same channel and language, or append one. */
static void
add_row(struct buf *rows, const struct listening *is)
{
	struct listening *row = (struct listening *)(void *)rows->p;
	size_t n = rows->len / sizeof(*row);

	for (size_t i = 0; i < n; i++)
		if (strcmp(row[i].channel, is->channel) == 0 &&
		    strcmp(row[i].language, is->language) == 0) {
			row[i].listeners += is->listeners;
			return;
		}
	buf_put(rows, is, sizeof(*is));
}

struct list
hls_listeners_counts(
    struct hls_listeners *l, struct arena *mem, const struct list *others)
{
	struct buf rows = { .mem = mem };
	struct entry *e, *next;

	buf_put(&rows, others->items, others->n * sizeof(struct listening));
	HASH_ITER(hh, l->all, e, next)
	add_row(&rows, &e->is);
	l->changed = false;
	return (struct list){ rows.p, rows.len / sizeof(struct listening) };
}
