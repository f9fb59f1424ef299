#ifndef WEB_INLINE_PAGE_H
#define WEB_INLINE_PAGE_H

#include "web/web.h"

/*
 * A page for browsers: one HTML file of share.dir, with an entity tag and a policy
 * that lets it reach this service, its streams and its media server alone.  304
 * where the browser has it already, 404 where the file is not installed.  streams:
 * addresses of further streams that it may reach, const char *; NULL: none.
 */
struct reply inline_page(
    struct request *, const char *file, const struct list *streams);

#endif
