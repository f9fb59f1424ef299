#ifndef INGRESS_RADIO_LIST_H
#define INGRESS_RADIO_LIST_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"

/*
 * The playlists that radio stations publish, M3U and PLS: addresses of streams, a line
 * each.  M3U may begin as a playlist of HLS does, but has none of its tags.
 */

/* Do the first bytes, HLS_MARK_BYTES or more, begin one that is no playlist of HLS? */
bool radio_list_begins(const char *, size_t n);
/* The whole text is one. */
bool radio_list_is(const char *text);
/* Its first address, which may be relative; NULL: none. */
const char *radio_list_first(struct arena *, const char *text);

#endif
