/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef MEDIA_SNIFF_H
#define MEDIA_SNIFF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct probe;

/* A format that is accepted. */
struct sniff_kind {
	const char *name;
	const char *demuxer; /* libav's; NULL: a picture ... */
	const char *picture; /* ... that this decoder reads whole */
	/* True if the structure is that of this format, and something follows the
	   headers.  No other format and no text passes. */
	bool (*is)(struct probe *);
	const char
	    *magic; /* where that is NULL: the bytes that such files begin with */
	size_t nmagic;
};

/*
 * The format of an open file, among those of the MIME type (NULL: among all).  *from:
 * the offset of its content, in bytes; tags, zeros and a frame that was cut may come
 * before it.  NULL: it has none of these formats; *found then names its real one for
 * people, "html" ..., in at most 15 letters, or is NULL if that is unknown.
 */
const struct sniff_kind *sniff(
    int fd, const char *mime_type, int64_t *from, const char **found);

#endif
