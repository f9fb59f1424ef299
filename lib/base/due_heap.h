/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef BASE_DUE_HEAP_H
#define BASE_DUE_HEAP_H

#include <stddef.h>
#include <stdint.h>

/*
 * Entries in the order of their due times (pairing heap, Fredman et al. 1986): setting
 * takes constant time, taking one out O(log n) on average.  Entries are members of the
 * caller's structs, which must not move while they are in the heap.
 */
struct due_entry {
	int64_t due_us;
	struct due_entry *child, *next; /* next: the parent's next child */
	struct due_entry **at;          /* the pointer to it; NULL: in no heap */
};

/* Both must be zeroed. */
struct due_heap {
	struct due_entry *first; /* NULL: empty */
};

/* Add it, or change its due time. */
void due_heap_set(struct due_heap *, struct due_entry *, int64_t due_us);
/* As due_heap_set(), but only to a sooner time. */
void due_heap_sooner(struct due_heap *, struct due_entry *, int64_t due_us);
void due_heap_remove(struct due_heap *, struct due_entry *);
/* Remove and return an entry that is due, the longest due first; NULL: none is. */
struct due_entry *due_heap_next(struct due_heap *, int64_t now_us);
/* INT64_MAX: the heap is empty. */
int64_t due_heap_first_us(const struct due_heap *);

#endif
