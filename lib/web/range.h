/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef WEB_RANGE_H
#define WEB_RANGE_H

#include "web/web.h"

/*
 * Answer with a file or the part that Range requests (RFC 9110 §14): 200, 206, or 416
 * `range-not-satisfiable`.  Sets ETag, Accept-Ranges and Content-Range; fd must stay
 * open until the request ends.  If-Range is honoured, and Range only for GET; several
 * ranges or another unit give the whole file.
 *
 * etag: strong, with its quotes.
 */
struct reply range_reply(struct request *, int fd, int64_t bytes, const char *etag);

enum range { RANGE_NONE, RANGE_ONE, RANGE_BAD };

/* Parse a Range header (NULL: none) for a file of `bytes`: the whole file, or first to
   last, both included, or no valid range. */
enum range range_read(const char *, int64_t bytes, int64_t *first, int64_t *last);

#endif
