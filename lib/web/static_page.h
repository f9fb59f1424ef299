#ifndef WEB_STATIC_PAGE_H
#define WEB_STATIC_PAGE_H

#include "web/web.h"

/*
 * What browsers are given: the files of share.dir/web, which web/build made.  Its file
 * `table` says which there are: the first line is the version of the whole, each other
 * one "PATH FILE TYPE".  Every answer has a strong entity tag; 304 where the browser
 * has it already, 404 where there is no such file.
 */

struct page_policy {
	const struct list *streams; /* further gateways, const char *; NULL: none */
	const char *bucket;         /* where files are kept; NULL: here */
	const char *framed_by;      /* sites, with blanks between; NULL or "": none */
	const char *reads; /* address that it reads first, from its own; NULL: none */
};

/*
 * A page, with a policy that lets it reach this service, its streams, its bucket and
 * its media server alone.  Its texts in the reader's language, and what it reads first,
 * are named in a Link (preload): they come while its script does.
 */
struct reply static_page(
    struct request *, const char *path, const struct page_policy *);
/* What a page consists of.  For good, where ?v= is the version of the whole. */
struct reply static_page_file(struct request *, const char *path);

#endif
