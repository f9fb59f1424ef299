#ifndef INGRESS_HLS_PLAYLIST_H
#define INGRESS_HLS_PLAYLIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"

/* A playlist of HTTP Live Streaming, RFC 8216, as far as its sound needs it. */
struct hls_segment {
	const char *uri; /* relative to the playlist's */
	const char *map; /* of EXT-X-MAP: what stands before it; NULL: nothing */
	int64_t ms;      /* how long it is said to be, 0 or more */
	bool gap;        /* it is not there */
};

struct hls_playlist {
	/* Of a multivariant playlist, the media playlist to take: the sound in the
	   language, else that of the variant of the lowest bandwidth.  NULL: it is a
	   media playlist itself, which all else is of. */
	const char *media;
	int64_t target_s; /* longest segment, 1 to 60 */
	int64_t sequence; /* number of the first segment, 0 or more */
	bool ended;       /* nothing follows */
	struct hls_segment *segments;
	size_t n;
};

/* Do the bytes begin a playlist? */
#define HLS_MARK_BYTES 10
bool hls_is_playlist(const char *, size_t n);
/* NULL: it was read; else what is wrong with it, a sentence. */
const char *hls_playlist_read(
    struct arena *, const char *text, const char *language, struct hls_playlist *);

/* Of "NAME=value,OTHER=\"a value\""; NULL: it is not there. */
const char *hls_attribute(struct arena *, const char *list, const char *name);

#endif
