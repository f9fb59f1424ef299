#ifndef WEB_POLICY_H
#define WEB_POLICY_H

#include "web/web.h"

/*
 * The steps that dispatch.c puts in order.  Each answers true to go on; false,
 * and *no is the answer.
 */
/* Read the body if the route has a JSON one: 413, 415. */
bool input_receive(struct request *, struct reply *no);
/* Parse what was received: 400. */
bool input_parse(struct request *, struct reply *no);
/* Lay body and query over the route's structs: 400 for page tokens, then 422. */
bool input_check(struct request *, struct reply *no);

/* Take the page token, if one was given, into rq->query. */
bool page_take(struct request *, const struct json *given, struct reply *no);

/* Find a kept answer, or mark that this request is under way. */
bool idempotency_begin(struct request *, struct reply *no);
/* Keep the answer in the transaction of its effect. */
enum err idempotency_keep(struct request *) MUST_CHECK;

/* Count one against the address: for public routes. */
bool auth_public(struct request *, struct reply *no);

/* Headers of every answer; preflights. */
void cors_headers(struct request *);
struct reply cors_preflight(struct request *, const char *methods);

#endif
