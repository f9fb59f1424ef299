#ifndef INGRESS_HLS_READ_H
#define INGRESS_HLS_READ_H

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

/*
 * The playlists that radio stations publish, M3U and PLS: addresses of streams, one per
 * line.  M3U may begin like a playlist of HLS, but has none of its tags.
 * Nouns: radio_list.
 */

/* Do the first bytes, HLS_MARK_BYTES or more, begin one that is no playlist of HLS? */
bool radio_list_begins(const char *, size_t n);
/* The whole text is one. */
bool radio_list_is(const char *text);
/* Its first address, which may be relative; NULL: none. */
const char *radio_list_first(struct arena *, const char *text);

#endif
