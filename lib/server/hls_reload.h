/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef SERVER_HLS_RELOAD_H
#define SERVER_HLS_RELOAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"

/*
 * Requests of players for a playlist that does not exist yet, and for what has changed
 * in it (draft-pantos-hls-rfc8216bis, 6.2.5), answered from the text of the present
 * playlist.
 */

/* The directives of a request. */
struct hls_reload {
	int64_t segment; /* _HLS_msn; -1: none */
	int64_t part;    /* _HLS_part; -1: none */
	bool skips;      /* _HLS_skip */
};

enum hls_reload_verdict {
	HLS_RELOAD_NOW,   /* the playlist has what was asked for, or never waits */
	HLS_RELOAD_LATER, /* the playlist will have it */
	HLS_RELOAD_NEVER, /* it is too far in the future */
};

/* Longest number that a directive may have, in digits. */
#define HLS_RELOAD_DIGITS 15

/* Read a number of a directive; -1: it is none. */
int64_t hls_reload_number(const char *);
enum hls_reload_verdict hls_reload_verdict(
    const char *playlist, const struct hls_reload *);
/* The playlist without its older segments, of the arena, or the playlist itself. */
const char *hls_reload_delta(struct arena *, const char *playlist);
/* True if the playlist announces this file. */
bool hls_reload_announces(const char *playlist, const char *file);

#endif
