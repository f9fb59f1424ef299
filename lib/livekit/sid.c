#include "livekit/sid.h"

#include <string.h>

#include "base/hash.h"

#define RANDOM 12

void
sid_new(char to[SID_BYTES], const char *prefix)
{
	static const char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
				       "abcdefghijklmnopqrstuvwxyz0123456789";
	size_t n = strlen(prefix);
	unsigned char random[RANDOM];

	memcpy(to, prefix, n);
	random_bytes(random, sizeof(random));
	for (size_t i = 0; i < RANDOM; i++)
		to[n + i] = alphabet[random[i] % (sizeof(alphabet) - 1)];
	to[n + RANDOM] = '\0';
}
