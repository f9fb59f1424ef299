/* A playlist of a stranger's: read or refused, and what was read keeps its bounds. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "ingress/hls_playlist.h"

int LLVMFuzzerTestOneInput(const uint8_t *, size_t);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena *mem = arena_new();
	struct hls_playlist l;
	size_t n = 0;

	if (hls_playlist_read(
		mem, arena_dup(mem, (const char *)data, size), "es", &l) != NULL) {
		arena_free(mem);
		return 0;
	}
	for (size_t i = 0; i < l.n; i++)
		n += strlen(l.segments[i].uri);
	if (n > size || l.target_s < 1 || l.target_s > 60 || l.sequence < 0)
		abort();
	arena_free(mem);
	return 0;
}
