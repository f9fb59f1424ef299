/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef SERVER_HTTP_REPLY_H
#define SERVER_HTTP_REPLY_H

#include "gateway/gateway.h"
#include "web/http_head.h"

/* Answers of the gateway as bytes of HTTP/1.1. */

/* request.read of requests whose bodies are not read. */
size_t http_reply_no_body(struct request *, void *, size_t);
/* The whole answer of a request that was dispatched. */
void http_reply_write(struct request *, struct buf *to);
/*
 * Write into an admitted request the answer for the case that its credential connects
 * too often, which only the event loop knows. The request's own answer must be written
 * before.
 */
void http_reply_refusal(struct request *, struct connection_request *);
/* Begin an answer that audio follows, of the arena. */
const struct audio_answer *http_reply_audio(
    struct request *, const struct http_head *, struct arena *);

#endif
