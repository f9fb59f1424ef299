/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TESTS_WEBSOCKET_FUZZ_ENDPOINT_H
#define TESTS_WEBSOCKET_FUZZ_ENDPOINT_H

#include "messages.h"
#include "wire.h"

/* The addresses and the credential of the tested service. */
struct addresses {
	const char *web;     /* HOST:PORT of the web server */
	const char *gateway; /* HOST:PORT of the gateway itself */
	const char *key;     /* API key of an account without limits */
};

/* The sessions that one thread uses, one after the other. */
struct endpoint {
	const struct addresses *addresses;
	char token[1024], id[64];
	int uses;
};

/* Returns a session that was not used too often; false: none could be created. */
bool endpoint_renew(struct endpoint *);
/* The path and query of a socket. */
const char *endpoint_path(
    struct arena *, struct endpoint *, enum kind, const char *query);
/* Delete the session, with connected clients or without. */
bool endpoint_delete(struct endpoint *);
/* The body that GET /streaming-api/health of the gateway answers, or NULL. */
const char *house_health(struct arena *, const struct addresses *);

#endif
