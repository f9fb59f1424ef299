#ifndef WEB_MULTIPART_HEAD_H
#define WEB_MULTIPART_HEAD_H

#include "web/multipart.h"

/* What headers say: of the request, and of a part.  For multipart.c. */
#define BOUNDARY_BYTES 70 /* RFC 2046 §5.1.1 */

/* Errors as multipart_open(). */
enum err multipart_boundary(
    struct arena *, const char *content_type, const char **to) MUST_CHECK;
/* n bytes of lines, each with its line end; errors as multipart_next(). */
enum err multipart_headers(
    struct arena *, const char *, size_t n, struct multipart_part *) MUST_CHECK;

#endif
