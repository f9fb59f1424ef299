/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef WEB_POLICY_H
#define WEB_POLICY_H

#include "web/web.h"

/* The steps that dispatch.c runs in order.  Each returns true to continue; false: *no
   is the answer. */
/* Read the body of a route with JSON_BODY: 413, 415. */
bool input_receive(struct request *, struct reply *no);
/* Parse the body: 400. */
bool input_parse(struct request *, struct reply *no);
/* Read body and query into the route's structs: 400 for page tokens, then 422. */
bool input_check(struct request *, struct reply *no);

/* Read the page token, if there is one, into rq->query. */
bool page_read(struct request *, const struct json *given, struct reply *no);

/* Find a stored answer, or mark this request as running. */
bool idempotency_begin(struct request *, struct reply *no);
/* Store the answer in the transaction of its effect. */
enum err idempotency_store(struct request *) MUST_CHECK;

/* Add the change that the route makes, if it commits one, to the audit. */
void audit_begin(struct request *);
/* False: the route changes records of a kind that the audit does not know. */
bool audit_knows(const struct route *);

/* Count a request to a public route for its address. */
bool auth_public(struct request *, struct reply *no);

/* Add the headers of every answer; answer a preflight. */
void cors_headers(struct request *);
struct reply cors_preflight(struct request *, const char *methods);

#endif
