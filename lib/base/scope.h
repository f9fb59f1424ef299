#ifndef BASE_SCOPE_H
#define BASE_SCOPE_H

#include <stdbool.h>

#include "base/arena.h"

/*
 * What a credential may be allowed, NULL at the end.  A route that
 * needs another one stops the build.
 */
extern const char *const known_scopes[];

bool scope_known(const char *);
/* The first of a list, separated by blanks, that there is not; NULL: all are known. */
const char *scope_unknown(struct arena *, const char *list);

#endif
