#ifndef NET_URL_H
#define NET_URL_H

#include <stdbool.h>

#include "base/arena.h"

/*
 * Whether an address is worth keeping to be called later: absolute, https, ASCII,
 * without user or password, and its host no literal address that is not public
 * and no name of this machine.  Where another name leads is looked at when it is
 * called; see net/http.h.
 */
bool url_is_public(struct arena *, const char *url);
/* The same of http and https. */
bool url_is_public_http(struct arena *, const char *url);
/* Of http and https, and any host. */
bool url_is_http(struct arena *, const char *url);

#endif
