/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef WEB_PAGE_TOKEN_H
#define WEB_PAGE_TOKEN_H

#include "base/buf.h"
#include "web/web.h"

/*
 * Packs a list's query and the position to continue from into as few bits as possible:
 * 100 characters of any script fit.  Fields are identified by their row, so rows may be
 * appended to a query's table while tokens are in use.  Supports TEXT, ENUM, INT, TIME,
 * BOOL, and LIST of TEXT or ENUM.
 */
void page_token_query(struct buf *, const struct field *, const struct page *query);
/* Unpack into query, a struct of the query's full size.  False: malformed. */
bool page_token_read(struct arena *, const unsigned char *, size_t n,
    const struct field *, struct page *query) MUST_CHECK;

#endif
