/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef INGRESS_HLS_READ_H
#define INGRESS_HLS_READ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"

/* A playlist of HTTP Live Streaming, RFC 8216: the parts that are needed for its
   sound. */
struct hls_segment {
	const char *uri; /* relative to the playlist's */
	const char *map; /* URI of EXT-X-MAP, the initialisation section; NULL: none */
	int64_t ms;      /* duration, 0 or more */
	bool gap;        /* EXT-X-GAP: the segment is missing */
};

struct hls_playlist {
	/*
	 * In a multivariant playlist: the media playlist to play, which has the sound
	 * in the language or else belongs to the variant with the lowest bandwidth.
	 * NULL: this is a media playlist; the members below describe it.
	 */
	const char *media;
	int64_t target_s; /* longest segment, 1 to 60 */
	int64_t sequence; /* number of the first segment, 0 or more */
	bool ended;       /* EXT-X-ENDLIST: no more segments */
	struct hls_segment *segments;
	size_t n;
};

/* True if the bytes begin a playlist. */
#define HLS_MARK_BYTES 10
bool hls_is_playlist(const char *, size_t n);
/* NULL on success; else the error, a sentence. */
const char *hls_playlist_read(
    struct arena *, const char *text, const char *language, struct hls_playlist *);

/* The value of an attribute of "NAME=value,OTHER=\"a value\""; NULL: not found. */
const char *hls_attribute(struct arena *, const char *list, const char *name);

/* Variables of a playlist of HLS, EXT-X-DEFINE of draft-pantos-hls-rfc8216bis, 4.4.2.3.
 */
struct hls_variables {
	struct hls_variables *next;
	const char *name, *value;
};

/*
 * Replace the variables in *text, the playlist at url; the result has at most `most`
 * bytes. outer: variables of the multivariant playlist that names it, or NULL. *to: its
 * own variables. NULL on success; else the error, a sentence.
 */
const char *hls_variables_replace(struct arena *, const char **text, size_t most,
    const char *url, const struct hls_variables *outer, struct hls_variables **to);

/*
 * The playlists that radio stations publish, M3U and PLS: addresses of streams, one per
 * line.  M3U may begin like a playlist of HLS, but has none of its tags.
 * Nouns: radio_list.
 */

/* True if the first bytes, HLS_MARK_BYTES or more, begin a radio playlist that is
   not HLS. */
bool radio_list_begins(const char *, size_t n);
/* True if the text is a radio playlist. */
bool radio_list_is(const char *text);
/* The first address, which may be relative; NULL: none. */
const char *radio_list_first(struct arena *, const char *text);

#endif
