/* SPDX-License-Identifier: GPL-3.0-or-later */
/* "METHOD PATH" through policy(): there must always be an answer, and never a 5xx. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "web/web.h"

int LLVMFuzzerTestOneInput(const uint8_t *, size_t);

static struct reply
answer(struct request *rq)
{
	for (int i = 0; i < 2; i++)
		if (rq->args[i] != NULL && rq->args[i][0] == '\0')
			abort();
	return reply_null(rq, 200);
}

static const struct route routes[] = {
	{ "GET", "/things", answer, NULL, UNLIMITED | NO_DB },
	{ "POST", "/things/{thing_id}", answer, NULL, UNLIMITED | NO_DB | IF_MATCH },
	{ "GET", "/things/{name}/parts/{part}", answer, NULL, UNLIMITED | NO_DB },
	{ "GET", "/closed/{closed_id}", answer, "x:read" },
	ROUTES_END,
};

static const char *
param(const struct request *rq, const char *name)
{
	(void)rq;
	return strcmp(name, "HTTP_X_REQUEST_ID") == 0 ||
		       strcmp(name, "HTTP_IF_MATCH") == 0 ||
		       strcmp(name, "HTTP_ACCEPT") == 0
		   ? rq->wire
		   : NULL;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena *mem = arena_new();
	struct app app = { .name = "fuzz", .routes = routes };
	char *text = arena_dup(mem, (const char *)data, size);
	size_t method = strcspn(text, " ");
	struct request rq = { .mem = mem, .app = &app, .conf = &app.conf };

	app.conf.server_base_url = "https://speech.example.org";
	app.conf.cors_origins = "*";
	rq.method = arena_dup(mem, text, method);
	rq.target = text + method + (text[method] == ' ');
	rq.wire = strchr(text, '\n');
	rq.peer = "192.0.2.1";
	rq.param = param;
	rq.common.mem = rq.head.mem = rq.out.mem = mem;
	dispatch(&rq);
	if (rq.status < 200 || rq.status > 503)
		abort();
	arena_free(mem);
	return 0;
}
