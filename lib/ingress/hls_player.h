/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef INGRESS_HLS_PLAYER_H
#define INGRESS_HLS_PLAYER_H

#include "ingress/pull.h"

#define HLS_PLAYLIST_MOST ((size_t)256 << 10) /* bytes */
#define HLS_PLAYLIST_MS 10000
#define HLS_SEGMENT_MOST ((size_t)32 << 20)
#define HLS_SEGMENT_MS 30000
#define HLS_BEHIND 3    /* a live playlist is started this many segments from its end */
#define HLS_LATE_S 10   /* delay beyond that until playing starts again */
#define HLS_PACE_MS 100 /* time between two calls, on average over HLS_PACE_CALLS */
#define HLS_PACE_CALLS 10

/* A live playlist and the position in it. */
struct hls_player {
	struct pull *pull;
	struct arena *mem; /* arena of the members, for the player's life */
	bool began;
	int64_t next;   /* number of the next segment */
	int64_t failed; /* number of a segment that could not be fetched; -1: none */
	int64_t changed_us; /* monotonic: last new segment */
	int64_t due_us;     /* monotonic: when all calls so far would be due */
	const char *map;    /* URL of the current EXT-X-MAP; NULL: none */
	struct hls_variables *variables; /* variables of the multivariant playlist */
};

/*
 * Play the playlist with this URL and text, or the media playlist that it names. NULL:
 * it ended and must be started again; else the error, a sentence: it may work later.
 */
const char *hls_player_run(
    struct hls_player *, struct arena *, const char *url, const char *text);

#endif
