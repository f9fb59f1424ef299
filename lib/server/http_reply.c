/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "server/http_reply.h"

#include <string.h>

#include "protocol/limit.h"

const struct audio_answer *
http_reply_audio(struct request *rq, const struct http_head *h, struct arena *mem)
{
	struct audio_answer *a = arena_alloc(mem, sizeof(*a));
	struct buf to = { .mem = mem };

	a->mp3 = strstr(rq->route->path, ".mp3") != NULL;
	a->chunked = h->has_chunks;
	reply_begin_head(&to, rq, "close");
	if (a->chunked)
		buf_str(&to, "Transfer-Encoding: chunked\r\n");
	buf_str(&to, "\r\n");
	a->head = to.p;
	a->head_bytes = to.len;
	return a;
}

void
http_reply_write(struct request *rq, struct buf *to)
{
	bool head = strcmp(rq->method, "HEAD") == 0;

	reply_begin_head(to, rq, "close");
	if (rq->status != 204 && !(head && rq->out.len == 0))
		buf_printf(to, "Content-Length: %zu\r\n", rq->out.len);
	buf_str(to, "\r\n");
	if (!head && rq->status != 204)
		buf_put(to, rq->out.p, rq->out.len);
}

void
http_reply_refusal(struct request *rq, struct connection_request *v)
{
	struct buf to = { .mem = v->call.message.mem };
	int status = rq->status;

	rq->status = problem(
	    rq, P_RATE_LIMITED, "There may be %s.", limit_text(LIMIT_CONNECTIONS))
			 .status;
	header(rq, "Retry-After", "60");
	http_reply_write(rq, &to);
	rq->status = status;
	v->refusal = to.p;
	v->refusal_bytes = to.len;
}

size_t
http_reply_no_body(struct request *rq, void *to, size_t n)
{
	(void)rq, (void)to, (void)n;
	return 0;
}
