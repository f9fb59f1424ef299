/* Facts as hashes in a ring: the oldest of 256 is forgotten. */
#include "speech/engine_facts.h"

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#define FACTS 256

static atomic_uint_least64_t facts[FACTS];
static atomic_uint next;

/* FNV-1a, 64 bits, of the text and the NUL behind it. */
static uint64_t
hash_text(uint64_t h, const char *text)
{
	if (text == NULL)
		text = "";
	do
		h = (h ^ (unsigned char)*text) * UINT64_C(0x100000001b3);
	while (*text++ != '\0');
	return h;
}

static uint64_t
hash_fact(const struct engine_at *at, const char *fact)
{
	uint64_t h = hash_text(UINT64_C(0xcbf29ce484222325), at->url);

	return hash_text(hash_text(h, at->model), fact);
}

bool
engine_has_fact(const struct engine_at *at, const char *fact)
{
	uint64_t h = hash_fact(at, fact);
	int i = 0;

	while (i < FACTS && facts[i] != h)
		i++;
	return i < FACTS;
}

void
engine_keep_fact(const struct engine_at *at, const char *fact)
{
	if (!engine_has_fact(at, fact))
		facts[next++ % FACTS] = hash_fact(at, fact);
}
