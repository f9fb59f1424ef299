#ifndef WEB_CREDENTIAL_CACHE_H
#define WEB_CREDENTIAL_CACHE_H

#include "store/accounts.h"

/*
 * API keys that were found good a moment ago, in the memory of one process; a hit
 * spares the row.  An entry is good for a second, and only while the generation of
 * limits_generation() stands still, so a revoked key is refused at once on the node
 * where it was revoked, and within a second on every other.
 */
struct credential_cache;

struct credential_cache *credential_cache_new(struct arena *);
/* hash: of the key, hexadecimal.  The caller's texts are good until the next put. */
bool credential_cache_find(const struct credential_cache *, uint64_t generation,
    const char *hash, int64_t now_us, struct caller *);
/* Copies the caller, unless a text of it is too long.  generation 0: keeps nothing. */
void credential_cache_put(struct credential_cache *, uint64_t generation,
    const char *hash, int64_t now_us, const struct caller *);

#endif
