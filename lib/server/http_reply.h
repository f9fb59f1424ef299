/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef SERVER_HTTP_REPLY_H
#define SERVER_HTTP_REPLY_H

#include "gateway/gateway.h"
#include "gateway/http_head.h"

/* Answers of the gateway as bytes of HTTP/1.1. */

/* request.read of requests whose bodies are not read. */
size_t http_reply_no_body(struct request *, void *, size_t);
/* The whole answer of a request that was dispatched. */
void http_reply_write(struct request *, struct buf *to);
/* Begin an answer that audio follows, of the arena. */
const struct audio_answer *http_reply_audio(
    struct request *, const struct http_head *, struct arena *);

#endif
