#ifndef BASE_TABLE_H
#define BASE_TABLE_H

#include "base/hash.h"

/* uthash for tables whose names come from strangers; instead of <uthash.h>. */
#define HASH_FUNCTION(name, n, to) ((to) = (unsigned)hash_own(name, n))
#include <uthash.h>

#endif
