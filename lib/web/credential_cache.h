/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef WEB_CREDENTIAL_CACHE_H
#define WEB_CREDENTIAL_CACHE_H

#include "store/accounts.h"

/*
 * A cache of valid API keys in the memory of one process; a hit saves reading the row.
 * An entry is valid for a second, and only while limits_generation() does not change.
 * So a revoked key is refused at once on the node where it was revoked, and within a
 * second on every other node.
 */
struct credential_cache;

struct credential_cache *credential_cache_new(struct arena *);
/*
 * hash: of the key, hexadecimal.  The texts of the caller are valid until the next put.
 */
bool credential_cache_find(const struct credential_cache *, uint64_t generation,
    const char *hash, int64_t now_us, struct caller *);
/*
 * Copies the caller, unless one of its texts is too long. generation 0: stores nothing.
 */
void credential_cache_put(struct credential_cache *, uint64_t generation,
    const char *hash, int64_t now_us, const struct caller *);

#endif
