/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef BASE_ID_H
#define BASE_ID_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"

#define ID_NIL "00000000-0000-0000-0000-000000000000"

/* A new uuid, version 4 (RFC 9562), lower case. */
const char *id_new(struct arena *);
/* Returns a uuid that is always the same for the same two texts; it looks like version
   4. */
const char *id_derived(struct arena *, const char *from, const char *role);
/*
 * The id of a phrase that begins at a calendar time: 16 lower-case hexadecimal digits,
 * 11 of the time in milliseconds and 5 random ones.  A later phrase has a greater id,
 * also at another node, as far as the clocks agree.
 */
const char *id_of_phrase(struct arena *, int64_t at_us);
/* The uuid in lower case; NULL when the text is not one (any version). */
const char *id_read(struct arena *, const char *);
/* For fields: returns a fault of the text, or NULL. */
const char *id_check(const char *);

#endif
