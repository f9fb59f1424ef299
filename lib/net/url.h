/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef NET_URL_H
#define NET_URL_H

#include <stdbool.h>

#include "base/arena.h"

/*
 * True if a URL may be stored for later calls: absolute, https, ASCII, without user or
 * password, and its host neither a literal address that is not public nor a name of
 * this machine.  The address of any other name is checked at the call; see net/http.h.
 */
bool url_is_public(struct arena *, const char *url);
/* As url_is_public(), for http and https. */
bool url_is_public_http(struct arena *, const char *url);
/* As url_is_public_http(), with any host. */
bool url_is_http(struct arena *, const char *url);

#endif
