/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef GATEWAY_TALLY_H
#define GATEWAY_TALLY_H

#include <stdint.h>

#include "base/arena.h"

/* Counters by name; used by one thread.  A counter of 0 takes no memory. */
struct tally;

/* Freed with the arena. */
struct tally *tally_new(struct arena *);
int64_t tally_of(const struct tally *, const char *name);
void tally_add(struct tally *, const char *name);
void tally_remove(struct tally *, const char *name); /* name was added before */

#endif
