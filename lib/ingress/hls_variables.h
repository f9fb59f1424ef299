#ifndef INGRESS_HLS_VARIABLES_H
#define INGRESS_HLS_VARIABLES_H

#include <stddef.h>

#include "base/arena.h"

/* Variables of a playlist of HLS, EXT-X-DEFINE of draft-pantos-hls-rfc8216bis, 4.4.2.3.
 */
struct hls_variables {
	struct hls_variables *next;
	const char *name, *value;
};

/*
 * *text, of that URL, with its variables replaced, at most `most` bytes; outer: those
 * of the multivariant playlist that names it, or NULL.  *to gets its own.  NULL: it was
 * done; else what is wrong with it, a sentence.
 */
const char *hls_variables_replace(struct arena *, const char **text, size_t most,
    const char *url, const struct hls_variables *outer, struct hls_variables **to);

#endif
