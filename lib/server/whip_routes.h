/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef SERVER_WHIP_ROUTES_H
#define SERVER_WHIP_ROUTES_H

#include "gateway/gateway.h"
#include "web/http_head.h"

/* WHIP (RFC 9725) and WHEP over HTTP: see participant/whip.h. */
#define WHIP_PATH "/whip/{channel_id}"
#define WHEP_PATH "/whep/{channel_id}"

/* Handlers. The query of the first two is a struct stream_in. */
struct reply whip_publish(struct request *);
struct reply whip_play(struct request *);
struct reply whip_patch(struct request *);
struct reply whip_delete(struct request *);
/* route.find and route.admit of resources. */
enum err whip_find(struct request *);
bool whip_admit(struct request *, struct reply *no);

extern const struct field whip_fields[], whep_fields[];

/* clang-format off */
#define WHIP_OFFER(path, run, fields, words, more) \
	{ "POST", path, run, NULL, UNLIMITED, QUERY(fields, struct stream_in), .summary = words, \
	  .shape = A_FILE, .status = 201, .also = "400 401 403 404 413 415 429 501" more }
#define WHIP_RESOURCE(path) \
	{ "PATCH", path, whip_patch, NULL, UNLIMITED | NO_DB | IF_MATCH, whip_find, whip_admit, \
	  .summary = "Restart ICE", .shape = A_FILE, .also = "204 401 413 415 428" }, \
	{ "DELETE", path, whip_delete, NULL, UNLIMITED | NO_DB, whip_find, whip_admit, \
	  .summary = "End a peer connection", .shape = A_EMPTY, .also = "401" }
/* Rows of a table of routes. */
#define WHIP_ROUTES \
	WHIP_OFFER(WHIP_PATH, whip_publish, whip_fields, "Speak on a channel by WHIP", ""), \
	WHIP_RESOURCE(WHIP_PATH "/{resource_id}"), \
	WHIP_OFFER(WHEP_PATH, whip_play, whep_fields, "Listen to a channel by WHEP", " 409"), \
	WHIP_RESOURCE(WHEP_PATH "/{resource_id}")
/* clang-format on */

/* Bytes of the body that must be read before the request is answered. */
size_t whip_body_bytes(const struct conf *, const struct http_head *);
/* Add the types of bodies to the answer of OPTIONS. */
void whip_options(struct request *);
/* The request was admitted: store its response, and add its resource. */
void whip_admitted(struct request *, struct connection_request *);

#endif
