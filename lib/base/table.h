/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef BASE_TABLE_H
#define BASE_TABLE_H

#include "base/hash.h"

/* uthash for tables with untrusted names; include this instead of <uthash.h>. */
#define HASH_FUNCTION(name, n, to) ((to) = (unsigned)hash_own(name, n))
#include <uthash.h>

#endif
