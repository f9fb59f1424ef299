/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef WEB_STATIC_PAGE_H
#define WEB_STATIC_PAGE_H

#include "web/web.h"

/*
 * Files for browsers, from share.dir/web, which web/build makes.  The file `table`
 * there lists them: its first line is the version of the whole, each other line is
 * "PATH FILE TYPE".  Every answer has a strong entity tag; 304: the browser has the
 * file, 404: there is no such file.
 */

struct page_policy {
	/* addresses of other gateways, const char *; NULL: none */
	const struct list *streams;
	const char *bucket; /* address of the bucket; NULL: no bucket */
	const char
	    *framed_by;    /* sites separated by blanks, beside this host; NULL: none */
	const char *reads; /* relative address that the page reads first, or NULL */
};

/*
 * Answer with a page and a policy that limits it to this service, its streams, its
 * bucket and its media server.  A Link header names its script, its texts in the
 * reader's language and the address that it reads first, so that all load together.
 */
struct reply static_page(
    struct request *, const char *path, const struct page_policy *);
bool static_page_exists(struct request *, const char *path);
/*
 * Answer 404 with the page at `path` for an address at which there is none.  Its own
 * addresses, which are relative to the service, become absolute.
 */
struct reply static_page_lost(
    struct request *, const char *path, const struct page_policy *);
/* Answer with a file of a page.  It may be cached for ever if ?v= is the current
   version. */
struct reply static_page_file(struct request *, const char *path);

#endif
