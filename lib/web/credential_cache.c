/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "web/credential_cache.h"

#include <string.h>

#include "base/clock.h"
#include "base/hash.h"

#define ENTRIES 16 /* indexed by the first digit of the hash */
#define ID_BYTES 37
#define SCOPES_BYTES 512

struct entry {
	char hash[2 * SHA256_BYTES + 1]; /* "": empty */
	uint64_t generation;
	int64_t until_us;
	char account[ID_BYTES], credential[ID_BYTES], scopes[SCOPES_BYTES];
	struct plan plan;
};

struct credential_cache {
	struct entry entries[ENTRIES];
};

struct credential_cache *
credential_cache_new(struct arena *mem)
{
	return arena_alloc(mem, sizeof(struct credential_cache));
}

static size_t
slot_of(const char *hash)
{
	return (size_t)hex_digit(hash[0]) % ENTRIES;
}

bool
credential_cache_find(const struct credential_cache *c, uint64_t generation,
    const char *hash, int64_t now, struct caller *to)
{
	const struct entry *e = &c->entries[slot_of(hash)];

	if (e->generation != generation || generation == 0 || now >= e->until_us ||
	    strcmp(e->hash, hash) != 0)
		return false;
	*to = (struct caller){ e->account, e->scopes, e->credential, .plan = e->plan };
	return true;
}

static bool
copy(char *to, size_t room, const char *from)
{
	size_t n = strlen(from) + 1;

	if (n <= room)
		memcpy(to, from, n);
	return n <= room;
}

void
credential_cache_put(struct credential_cache *c, uint64_t generation, const char *hash,
    int64_t now, const struct caller *who)
{
	struct entry *e = &c->entries[slot_of(hash)];

	e->generation = 0; /* invalidate the previous entry in any case */
	if (!copy(e->hash, sizeof(e->hash), hash) ||
	    !copy(e->account, sizeof(e->account), who->account) ||
	    !copy(e->credential, sizeof(e->credential), who->credential) ||
	    !copy(e->scopes, sizeof(e->scopes), who->scopes))
		return;
	e->plan = who->plan;
	e->until_us = now + S_US;
	e->generation = generation;
}
