#ifndef WEB_MULTIPART_H
#define WEB_MULTIPART_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/err.h"

/*
 * multipart/form-data (RFC 7578, RFC 2046 §5.1), pulled part by part through
 * one fixed buffer: a file of any size costs no more memory than an empty one.
 *
 *	multipart_open()
 *	while (multipart_next() == OK)
 *		multipart_text()  or  multipart_bytes() until *n is 0  or  nothing
 *
 * What is left of a part is passed over by the next multipart_next().
 */
struct multipart;

#define MULTIPART_PARTS 64                /* in one body */
#define MULTIPART_NAME_BYTES 255          /* of a name */
#define MULTIPART_HEAD_BYTES 4096         /* of a part's headers; before the first */
#define MULTIPART_TEXT_BYTES (128 * 1024) /* of all texts together */

struct multipart_part {
	const char *name;     /* as sent: any bytes but NUL */
	const char *filename; /* likewise, for display only; NULL: none was given */
	const char *type;     /* Content-Type, lower case and without parameters;
				 NULL: none */
	const char *charset;  /* its parameter, lower case; NULL: none */
	const char *header;   /* likewise */
	bool more;            /* it has other parameters, or is malformed */
	const char *encoding; /* Content-Transfer-Encoding, lower case; NULL: none */
};

/* Where the body comes from: up to n bytes; 0 when there are no more. */
typedef size_t multipart_source(void *src, void *to, size_t n);

/*
 * content_type: of the request; NULL: none.  The reader lives in the arena.
 * ERR_UNSUPPORTED: not multipart/form-data.  ERR_REFUSED: no boundary, or none
 * that RFC 2046 allows.
 */
enum err multipart_open(struct arena *, const char *content_type, multipart_source *,
    void *src, struct multipart **) MUST_CHECK;

/*
 * These three: ERR_REFUSED when the framing is broken or the body ended before
 * its last boundary, ERR_LIMIT when a limit above is passed; then it is over.
 *
 * The next part; ERR_NOT_FOUND behind the last.  Its texts live in the arena.
 */
enum err multipart_next(struct multipart *, struct multipart_part *) MUST_CHECK;
/*
 * Decode what is read of this part by its encoding; without this call it is read as
 * sent.  False: there is no such encoding.
 */
bool multipart_decode(struct multipart *, const struct multipart_part *);
/* All of the part, a NUL behind it, in the arena; *n (or NULL) its bytes. */
enum err multipart_text(struct multipart *, const char **, size_t *n) MUST_CHECK;
/* The next bytes, good until the next call; *n is 0 at the end of the part. */
enum err multipart_bytes(struct multipart *, const char **, size_t *n) MUST_CHECK;

#endif
