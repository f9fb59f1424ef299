#ifndef SERVER_TALLY_H
#define SERVER_TALLY_H

#include <stdint.h>

#include "base/arena.h"

/* How many there are of each name; of one thread.  A name of which there are none takes
 * no memory. */
struct tally;

/* Freed with the arena. */
struct tally *tally_new(struct arena *);
int64_t tally_of(const struct tally *, const char *name);
void tally_add(struct tally *, const char *name);
void tally_remove(struct tally *, const char *name); /* one that was added */

#endif
