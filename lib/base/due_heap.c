/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/due_heap.h"

static void
put(struct due_entry **at, struct due_entry *e)
{
	*at = e;
	if (e != NULL)
		e->at = at;
}

/* Make the later one the first child of the other. Both are roots. */
static struct due_entry *
meld(struct due_entry *a, struct due_entry *b)
{
	if (a == NULL || b == NULL)
		return a != NULL ? a : b;
	if (b->due_us < a->due_us) {
		struct due_entry *c = a;

		a = b;
		b = c;
	}
	put(&b->next, a->child);
	put(&a->child, b);
	a->next = NULL;
	return a;
}

/* Join siblings in pairs, then the pairs from the last one to the first. */
static struct due_entry *
join(struct due_entry *e)
{
	struct due_entry *pairs = NULL, *all = NULL;

	while (e != NULL) {
		struct due_entry *a = e, *b = a->next;

		e = b != NULL ? b->next : NULL;
		a->next = NULL;
		if (b != NULL)
			b->next = NULL;
		a = meld(a, b);
		a->next = pairs;
		pairs = a;
	}
	while ((e = pairs) != NULL) {
		pairs = e->next;
		e->next = NULL;
		all = meld(all, e);
	}
	return all;
}

void
due_heap_remove(struct due_heap *h, struct due_entry *e)
{
	struct due_entry *below;

	if (e->at == NULL)
		return;
	put(e->at, e->next);
	below = join(e->child);
	e->child = e->next = NULL;
	e->at = NULL;
	put(&h->first, meld(h->first, below));
}

void
due_heap_set(struct due_heap *h, struct due_entry *e, int64_t due_us)
{
	due_heap_remove(h, e);
	e->due_us = due_us;
	put(&h->first, meld(h->first, e));
}

void
due_heap_sooner(struct due_heap *h, struct due_entry *e, int64_t due_us)
{
	if (e->at == NULL || due_us < e->due_us)
		due_heap_set(h, e, due_us);
}

struct due_entry *
due_heap_next(struct due_heap *h, int64_t now_us)
{
	struct due_entry *e = h->first;

	if (e == NULL || e->due_us > now_us)
		return NULL;
	due_heap_remove(h, e);
	return e;
}

int64_t
due_heap_first_us(const struct due_heap *h)
{
	return h->first != NULL ? h->first->due_us : INT64_MAX;
}
