#ifndef INGRESS_HLS_PLAYER_H
#define INGRESS_HLS_PLAYER_H

#include "ingress/pull.h"

#define HLS_PLAYLIST_MOST ((size_t)256 << 10) /* bytes */
#define HLS_PLAYLIST_MS 10000
#define HLS_SEGMENT_MOST ((size_t)32 << 20)
#define HLS_SEGMENT_MS 30000
#define HLS_BEHIND 3    /* segments from the end, where a live playlist is begun */
#define HLS_LATE_S 10   /* by which it may be farther behind, until it is begun anew */
#define HLS_PACE_MS 100 /* between two calls, on average of so many: */
#define HLS_PACE_CALLS 10

/* A live playlist, and how far it was played. */
struct hls_player {
	struct pull *pull;
	struct arena *mem; /* of these, as long as it lives */
	bool began;
	int64_t next;       /* number of the segment to come */
	int64_t failed;     /* number of one that could not be fetched; -1: none */
	int64_t changed_us; /* monotonic, when there was a new one */
	int64_t due_us;     /* monotonic, when the calls so far would all be due */
	const char *map;    /* URL of that in force; NULL: none */
	struct hls_variables *variables; /* of the multivariant playlist */
};

/*
 * Play the media playlist that this one, of this URL, is or names.  NULL: it is over,
 * and goes on from anew; else why it does not go on, a sentence: it may, later.
 */
const char *hls_player_run(
    struct hls_player *, struct arena *, const char *url, const char *text);

#endif
