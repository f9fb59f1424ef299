/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef SERVER_HTTP_ROUTES_H
#define SERVER_HTTP_ROUTES_H

#include "gateway/gateway.h"
#include "web/http_head.h"

/*
 * HTTP routes of the gateway: health, the answer for WebRTC, the speaker and listener
 * pages, and the sockets, which are admitted or refused before the upgrade.
 */
extern const struct route http_routes[];
/* Those of them that are described beside the programs' routes. */
extern const struct route http_described[];
extern const struct sql *const http_routes_prepared[];

/* Bytes of the body that must be read before http_routes_answer(). */
size_t http_routes_body(const struct gateway *, const struct http_head *);
/*
 * Answer a request.  NULL: *to is the whole answer, to be sent before the connection is
 * closed.  Otherwise the admitted connection request, in its own message.
 */
struct connection_request *http_routes_answer(struct gateway *, struct arena *,
    const struct http_head *, const char *peer, struct buf *to);

#endif
