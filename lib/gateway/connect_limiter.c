/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "gateway/connect_limiter.h"

#include <string.h>

#include "base/clock.h"
#include "base/table.h"
#include "protocol/limit.h"

#define FORGET_US (60 * S_US) /* an idle entry is dropped */

struct connect_limit {
	UT_hash_handle hh; /* hash by credential, in the order of last_us */
	struct arena *mem;
	const char *credential;
	int64_t last_us; /* monotonic, last attempt */
	struct limit limit;
};

struct connect_limiter {
	struct connect_limit *all;
};

/* Drop entries that have been idle that long. */
static void
forget(struct connect_limiter *l, int64_t now_us, int64_t idle_us)
{
	struct connect_limit *r;

	while ((r = l->all) != NULL && now_us > r->last_us + idle_us) {
		HASH_DEL(l->all, r);
		arena_free(r->mem);
	}
}

static void
drop_all(void *arg)
{
	forget(arg, INT64_MAX, 0);
}

struct connect_limiter *
connect_limiter_new(struct arena *mem)
{
	struct connect_limiter *all = arena_alloc(mem, sizeof(*all));

	arena_defer(mem, drop_all, all);
	return all;
}

static struct connect_limit *
make(const char *credential)
{
	struct arena *mem =
	    arena_small(sizeof(struct connect_limit) + strlen(credential) + 64);
	struct connect_limit *r = arena_alloc(mem, sizeof(*r));

	r->mem = mem;
	r->credential = arena_str(mem, credential);
	return r;
}

bool
connect_limiter_admit(struct connect_limiter *l, const char *credential, int64_t now_us)
{
	struct connect_limit *r;

	HASH_FIND_STR(l->all, credential, r);
	if (r != NULL)
		HASH_DEL(l->all, r);
	else
		r = make(credential);
	r->last_us = now_us;
	HASH_ADD_KEYPTR(hh, l->all, r->credential, strlen(credential), r);
	forget(l, now_us, FORGET_US);
	return limit_admit(&r->limit, LIMIT_CONNECTIONS, now_us);
}
