/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "server/entry.h"

#include <string.h>

#include "base/clock.h"
#include "gateway/listener_limit.h"
#include "server/admission.h"

struct entry *
entry_of(const struct request *rq)
{
	return rq->wire;
}

const char *
entry_param(const struct request *rq, const char *name)
{
	const struct entry *k = rq->wire;

	if (k->token != NULL && strcmp(name, "HTTP_AUTHORIZATION") == 0)
		return arena_printf(rq->mem, "Bearer %s", k->token);
	if (k->token != NULL && strncmp(name, "HTTP_CLIENT", 11) == 0)
		return NULL;
	return http_head_get_cgi(k->head, name);
}

bool
entry_is_open(struct request *rq, const struct gateway *g, struct reply *no)
{
	if (!g->stopping && g->connections < rq->conf->stream_max_connections)
		return true;
	*no = problem(rq, P_NO_GATEWAY, "The real-time gateway is %s.",
	    g->stopping ? "stopping" : "full");
	header(rq, "Retry-After", "5");
	return false;
}

bool
entry_has_room(struct request *rq, const struct gateway *g,
    const struct connection_request *v, struct reply *no)
{
	const char *why;

	switch (listener_limit_is(g, v, &why)) {
	case LISTENER_LIMIT_FREE:
		return true;
	case LISTENER_LIMIT_IN_USE:
		*no = problem(rq, P_SOCKET_IN_USE, "%s", why);
		return false;
	default:
		*no = problem(rq, P_NO_GATEWAY, "%s", why);
		header(rq, "Retry-After", "5");
		return false;
	}
}

bool
entry_token(struct request *rq, struct stream_token *t)
{
	const char *bearer = entry_param(rq, "HTTP_AUTHORIZATION");

	return bearer != NULL && strncmp(bearer, "Bearer ", 7) == 0 &&
	       stream_token_check(
		   rq->mem, bearer + 7, rq->conf->session_jwt_keys, now_us(), t);
}

struct connection_request *
entry_new(struct request *rq, enum socket_kind kind)
{
	struct connection_request *v = THREAD_CALL(struct connection_request);
	const struct stream_in *in = rq->query;

	v->kind = kind;
	v->network = arena_str(v->call.message.mem, rq->network);
	v->audio = in->audio == NULL || strcmp(in->audio, "1") == 0;
	v->opus = in->format != NULL && strcmp(in->format, "opus") == 0;
	v->since = arena_str(v->call.message.mem, in->since);
	return v;
}

bool
entry_has_slot(struct request *rq, const struct gateway *g,
    const struct signal_params *p, struct reply *no)
{
	int64_t most = rq->conf->rtc_max_peers;

	if (p->resumes) /* the resumed participant's own place is counted already */
		most += most / 10 + 1;
	if (g->n_participants < most)
		return true;
	*no = problem(rq, P_NO_GATEWAY, "Too many participants are connected.");
	return false;
}
