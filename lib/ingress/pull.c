/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ingress/pull.h"

#include <errno.h>
#include <poll.h>
#include <unistd.h>

#include "net/url.h"

bool
pull_rest(const struct pull *p, int64_t us)
{
	/* with no events requested, poll() reports only errors */
	struct pollfd out = { .fd = p->to };

	return poll(&out, 1, (int)(us / 1000)) == 0;
}

bool
pull_is_left(void *arg)
{
	return !pull_rest(arg, 0);
}

bool
pull_put(struct pull *p, const void *bytes, size_t n)
{
	const char *at = bytes;

	p->plays = true;
	for (ssize_t did; n > 0; at += did, n -= (size_t)did)
		if ((did = TEMP_FAILURE_RETRY(write(p->to, at, n))) <= 0)
			return false;
	return true;
}

static const char *
get_once(struct arena *mem, const struct fetch *f, struct http_answer *to)
{
	const char *why = NULL;
	const struct http_call call = { .method = "GET",
		.url = f->url,
		.timeout_ms = f->timeout_ms,
		.connect_ms = FETCH_CONNECT_MS,
		.max_bytes = f->max_bytes,
		.allow_private = f->allow_private,
		.cookies = f->cookies,
		.take = f->take,
		.unwanted = f->unwanted,
		.arg = f->arg,
		.why = &why };
	enum err e;

	if (f->allow_private ? !url_is_http(mem, f->url) : !url_is_public(mem, f->url))
		return "The stream leads to an address that is not allowed.";
	e = http_do(mem, &call, to);
	if (e == ERR_BUSY)
		return "The server of the stream is too slow.";
	return e == OK ? NULL
		       : arena_printf(mem, "The stream cannot be fetched: %s.", why);
}

const char *
fetch_get(struct arena *mem, struct fetch *f, struct http_answer *to)
{
	const char *why;

	for (int i = 0; i <= FETCH_REDIRECTS; i++) {
		if ((why = get_once(mem, f, to)) != NULL)
			return why;
		if (http_verdict(to->status) == OK)
			return NULL;
		if (to->location == NULL)
			return arena_printf(
			    mem, "The server of the stream answers %d.", to->status);
		f->url = to->location;
	}
	return "The stream is redirected too often.";
}
