/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef SERVER_WHIP_ROUTES_H
#define SERVER_WHIP_ROUTES_H

#include "gateway/gateway.h"
#include "gateway/http_head.h"

/* WHIP (RFC 9725) and WHEP over HTTP: see participant/whip.h. */
#define WHIP_PATH "/whip/{channel_id}"
#define WHEP_PATH "/whep/{channel_id}"
#define WHIP_RESOURCE WHIP_PATH "/{resource_id}"
#define WHEP_RESOURCE WHEP_PATH "/{resource_id}"

/* Handlers. The query of the first two is a struct stream_in. */
struct reply whip_publish(struct request *);
struct reply whip_play(struct request *);
struct reply whip_patch(struct request *);
struct reply whip_delete(struct request *);
/* route.find and route.admit of resources. */
enum err whip_find(struct request *);
bool whip_admit(struct request *, struct reply *no);

/* Bytes of the body that must be read before the request is answered. */
size_t whip_body_bytes(const struct conf *, const struct http_head *);
/* Add the types of bodies to the answer of OPTIONS. */
void whip_options(struct request *);
/* The request was admitted: store its response, and add its resource. */
void whip_admitted(struct request *, struct connection_request *);

#endif
