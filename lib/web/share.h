/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef WEB_SHARE_H
#define WEB_SHARE_H

#include "web/web.h"

/*
 * Answer with a file below share.dir, or with its variant NAME.gz from `make install`
 * if the client accepts gzip; each has its own ETag.  A missing file is an error of the
 * installation: 500, logged.
 */
struct reply share_reply(struct request *, const char *name, const char *type);
bool share_has(struct request *, const char *name);
/* The name of the variant if it exists and the client accepts it, else the name. */
const char *share_variant(struct request *, const char *name);
/* True if an Accept-Encoding header (NULL: none) allows gzip. */
bool share_accepts_gzip(const char *header);

#endif
