#ifndef WEB_PAGE_TOKEN_H
#define WEB_PAGE_TOKEN_H

#include "base/buf.h"
#include "web/web.h"

/*
 * A list's query, and the place where it goes on, in as few bits as a page token
 * can have: 100 characters of any script fit.  Fields are told by their row, so
 * a query's table may grow at its end while tokens are about.  TEXT, ENUM, INT,
 * BOOL and LIST of the first two.
 */
void page_token_query(struct buf *, const struct field *, const struct page *query);
/* query has the room of the whole struct.  False: it is not such a thing. */
bool page_token_read(struct arena *, const unsigned char *, size_t n,
    const struct field *, struct page *query) MUST_CHECK;

#endif
