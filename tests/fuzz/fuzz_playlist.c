/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A playlist of an unknown server is accepted or refused; an accepted one keeps its
 * bounds.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "ingress/hls_read.h"

int LLVMFuzzerTestOneInput(const uint8_t *, size_t);

#define MOST 100000

static void
replace_variables(struct arena *mem, const char *text)
{
	struct hls_variables *own;

	if (hls_variables_replace(
		mem, &text, MOST, "http://a.example/?b=c", NULL, &own) == NULL &&
	    own != NULL && strlen(text) > MOST)
		abort();
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena *mem = arena_new();
	const char *text = arena_dup(mem, (const char *)data, size);
	struct hls_playlist l;
	size_t n = 0;

	replace_variables(mem, text);
	if (radio_list_is(text))
		radio_list_first(mem, text);

	if (hls_playlist_read(mem, text, "es", &l) != NULL) {
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
