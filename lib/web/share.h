#ifndef WEB_SHARE_H
#define WEB_SHARE_H

#include "web/web.h"

/*
 * A file that the build put below share/, as it is or, where the client takes
 * that, as its variant NAME.gz, which `make install` made; with an ETag of each.
 * A missing file is a fault of ours: 500, logged.
 */
struct reply share_reply(struct request *, const char *name, const char *type);
bool share_has(struct request *, const char *name);
/* The name of the variant where this client takes it and it is there, else the name. */
const char *share_variant(struct request *, const char *name);
/* Whether an Accept-Encoding header (NULL: there is none) allows gzip. */
bool share_takes_gzip(const char *header);

#endif
