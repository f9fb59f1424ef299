/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef SERVER_ENTRY_H
#define SERVER_ENTRY_H

#include "gateway/gateway.h"
#include "web/http_head.h"

/* HTTP requests that may become connections. */

/* The type of request.wire in the gateway. */
struct entry {
	struct gateway *gateway;
	const struct http_head *head;
	const char *token;             /* query parameter; NULL: none */
	struct connection_request *in; /* the admitted one; NULL: none */
};

struct entry *entry_of(const struct request *);
/*
 * Request header by CGI name; request.param. A token in the query replaces
 * Authorization.
 */
const char *entry_param(const struct request *, const char *name);
/* Read the token of a session or channel; false: none was sent. */
bool entry_token(struct request *, struct stream_token *);
/* A new request with the parameters of the query, a struct stream_in. */
struct connection_request *entry_new(struct request *, enum socket_kind);
/*
 * Check that the gateway takes connections, has a slot for one more participant and
 * room for this one. False: *no is the refusal.
 */
bool entry_is_open(struct request *, const struct gateway *, struct reply *no);
bool entry_has_slot(struct request *, const struct gateway *,
    const struct signal_params *, struct reply *no);
bool entry_has_room(struct request *, const struct gateway *,
    const struct connection_request *, struct reply *no);

#endif
