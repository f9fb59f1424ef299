/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "server/webrtc_routes.h"

#include <stdlib.h>
#include <string.h>

#include "base/json.h"

#define PROTOCOL_LEAST 3
#define IDENTITY_MOST 256
#define TEXT_MOST 256 /* stored bytes of a client's description of itself */

bool
webrtc_is_below(const char *target)
{
	size_t n = strlen(WEBRTC_PATH);

	return strncmp(target, WEBRTC_PATH, n) == 0 && strchr("/?", target[n]) != NULL;
}

const char *
webrtc_target(struct arena *mem, const char *target)
{
	size_t path = strcspn(target, "?");
	struct buf b = { .mem = mem };

	for (size_t i = 0; i < path; i++)
		if (target[i] != '/' || (i + 1 < path && target[i + 1] != '/'))
			buf_put(&b, target + i, 1);
	buf_str(&b, target + path);
	return buf_text(&b);
}

const char *
webrtc_token(struct request *rq)
{
	const struct json *query = query_read(rq);
	const char *token = json_get_text(query, "access_token");

	if (rq->param(rq, "HTTP_AUTHORIZATION") != NULL)
		return NULL;
	return token != NULL ? token : json_get_text(query, "token");
}

/* ---- the query ---- */

static const char *
text_of(struct arena *mem, const struct json *query, const char *name)
{
	const char *text = json_get_text(query, name);

	return text != NULL ? arena_dup(mem, text, strnlen(text, TEXT_MOST)) : "";
}

static bool
is_on(const struct json *query, const char *name)
{
	const char *text = json_get_text(query, name);

	return text != NULL && (strcmp(text, "1") == 0 || strcmp(text, "true") == 0);
}

static bool
is_off(const struct json *query, const char *name)
{
	const char *text = json_get_text(query, name);

	return text != NULL && (strcmp(text, "0") == 0 || strcmp(text, "false") == 0);
}

static bool
check_identity(struct request *rq, const char *identity, struct reply *no)
{
	size_t n = identity != NULL ? strlen(identity) : 0;

	if (n >= 1 && n <= IDENTITY_MOST)
		return true;
	*no = problem(rq, P_UNAUTHORIZED, "no identity");
	return false;
}

bool
webrtc_read_params(struct request *rq, struct arena *mem, const struct stream_token *t,
    struct signal_params *to, struct reply *no)
{
	const struct json *query = query_read(rq);
	int protocol = atoi(text_of(rq->mem, query, "protocol"));

	if (protocol < PROTOCOL_LEAST) {
		*no = problem(rq, P_BAD_REQUEST, "unsupported protocol");
		return false;
	}
	*to = (struct signal_params){ .identity = arena_str(mem, t->identity),
		.room = arena_str(mem, t->room),
		.name = arena_str(mem, t->name),
		.metadata = arena_str(mem, t->metadata),
		.attributes = arena_str(mem, t->attributes),
		.publishes = t->speaks,
		.sends_data = t->sends_data,
		.subscribes = !t->silent,
		.microphone = t->microphone,
		.hidden = t->hidden,
		.protocol = protocol,
		.sdk = text_of(mem, query, "sdk"),
		.version = text_of(mem, query, "version"),
		.sid = text_of(mem, query, "sid"),
		.auto_subscribe = !is_off(query, "auto_subscribe"),
		.resumes = is_on(query, "reconnect") };
	return check_identity(rq, t->identity, no);
}

bool
webrtc_joins_in_query(struct request *rq)
{
	const struct json *query = query_read(rq);

	return json_get_text(query, "join_request") != NULL &&
	       json_get_text(query, "protocol") == NULL;
}

/* ---- answers ---- */

/* Returns the text of the problem. */
static const char *
detail_of(struct request *rq)
{
	const char *why, *detail;
	const struct json *document = json_read(rq->mem, rq->out.p, rq->out.len, &why);
	const struct json *errors = json_get(document, "errors");

	if (errors == NULL || errors->type != JSON_LIST || errors->kids == NULL)
		return "refused";
	detail = json_get_text(errors->kids, "detail");
	return detail != NULL ? detail : "refused";
}

static const char *
refusal_of(struct request *rq)
{
	switch (rq->status) {
	case 401:
		return arena_printf(rq->mem, "invalid token: %s", detail_of(rq));
	case 404:
		return "not found";
	default:
		return detail_of(rq);
	}
}

static void
drop_cors(struct request *rq)
{
	struct buf rest = { .mem = rq->mem };
	const char *line = buf_text(&rq->common), *end;

	for (; (end = strstr(line, "\r\n")) != NULL; line = end + 2)
		if (strncmp(line, "Access-Control-", 15) != 0)
			buf_put(&rest, line, (size_t)(end + 2 - line));
	rq->common = rest;
}

void
webrtc_plain(struct request *rq)
{
	const char *text = rq->status >= 400 ? refusal_of(rq) : NULL;

	drop_cors(rq);
	buf_str(&rq->common,
	    "Access-Control-Allow-Origin: *\r\nAccess-Control-Allow-Headers: *\r\n"
	    "Access-Control-Allow-Methods: GET, HEAD, OPTIONS\r\n");
	if (rq->status == 204)
		rq->head.len = 0;
	if (text == NULL)
		return;
	rq->head.len = rq->out.len = 0;
	if (rq->status == 429 || rq->status == 503)
		header(rq, "Retry-After", "5");
	header(rq, "Content-Type", "text/plain; charset=utf-8");
	buf_str(&rq->out, text);
}
