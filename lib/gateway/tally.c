/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "gateway/tally.h"

#include <assert.h>
#include <string.h>

#include "base/table.h"

struct entry {
	UT_hash_handle hh; /* hash by name */
	struct arena *mem;
	const char *name;
	int64_t n;
};

struct tally {
	struct entry *all;
};

static void
drop(struct tally *t, struct entry *e)
{
	HASH_DEL(t->all, e);
	arena_free(e->mem);
}

static void
drop_all(void *arg)
{
	struct tally *t = arg;

	while (t->all != NULL)
		drop(t, t->all);
}

struct tally *
tally_new(struct arena *mem)
{
	struct tally *t = arena_alloc(mem, sizeof(*t));

	arena_defer(mem, drop_all, t);
	return t;
}

static struct entry *
find(const struct tally *t, const char *name)
{
	struct entry *e;

	HASH_FIND_STR(t->all, name, e);
	return e;
}

int64_t
tally_of(const struct tally *t, const char *name)
{
	const struct entry *e = find(t, name);

	return e != NULL ? e->n : 0;
}

void
tally_add(struct tally *t, const char *name)
{
	struct entry *e = find(t, name);
	struct arena *mem;

	if (e == NULL) {
		mem = arena_small(sizeof(*e) + strlen(name) + 64);
		e = arena_alloc(mem, sizeof(*e));
		e->mem = mem;
		e->name = arena_str(mem, name);
		HASH_ADD_KEYPTR(hh, t->all, e->name, strlen(name), e);
	}
	e->n++;
}

void
tally_remove(struct tally *t, const char *name)
{
	struct entry *e = find(t, name);

	assert(e != NULL);
	if (--e->n == 0)
		drop(t, e);
}
