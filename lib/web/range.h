#ifndef WEB_RANGE_H
#define WEB_RANGE_H

#include "web/web.h"

/*
 * Answer with a file, or with the part of it that Range asks for (RFC 9110
 * §14): 200, 206, or 416 `range-not-satisfiable`.  Sets ETag, Accept-Ranges and
 * Content-Range; fd has to stay open until the request ends.  If-Range counts, and
 * Range only on GET; several ranges at once and other units are the whole file.
 *
 * etag: with its quotes, strong.
 */
struct reply range_reply(struct request *, int fd, int64_t bytes, const char *etag);

enum range { RANGE_NONE, RANGE_ONE, RANGE_BAD };

/*
 * What the value of a Range header (NULL: none) asks of so many bytes: all of
 * them, or those from first to last, both included; or there are none such.
 */
enum range range_read(const char *, int64_t bytes, int64_t *first, int64_t *last);

#endif
