/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef BASE_ID_H
#define BASE_ID_H

#include <stdbool.h>

#include "base/arena.h"

#define ID_NIL "00000000-0000-0000-0000-000000000000"

/* A new uuid, version 4 (RFC 9562), lower case. */
const char *id_new(struct arena *);
/* Returns a uuid that is always the same for the same two texts; it looks like version
   4. */
const char *id_derived(struct arena *, const char *from, const char *role);
/* The uuid in lower case; NULL when the text is not one (any version). */
const char *id_read(struct arena *, const char *);
/* For fields: returns a fault of the text, or NULL. */
const char *id_check(const char *);

#endif
