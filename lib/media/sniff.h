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
	/* Returns true if the structure is that of this format and content follows the
	   headers. Other formats and texts do not pass. */
	bool (*is)(struct probe *);
	const char *magic; /* if is is NULL: the first bytes of such files */
	size_t nmagic;
};

/*
 * Returns the format of an open file, among those of the MIME type (NULL: among all).
 * *from: the offset of its content in bytes, after tags, zeros and an incomplete frame.
 * Returns NULL if the file has none of these formats; *found then names its real format
 * for users, such as "html", in at most 15 letters, or is NULL.
 */
const struct sniff_kind *sniff(
    int fd, const char *mime_type, int64_t *from, const char **found);

#endif
