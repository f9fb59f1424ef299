/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "server/hls_routes.h"

#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/json.h"
#include "base/lang.h"
#include "gateway/hls_listeners.h"
#include "server/admission.h"
#include "server/entry.h"
#include "server/hls_thread.h"
#include "server/http_reply.h"

/* ---- directives ---- */

/* Read a number. False: it is none; *no is the refusal. */
static bool
read_number(struct request *rq, const struct json *query, const char *name, int64_t *to,
    struct reply *no)
{
	const char *text = json_get_text(query, name);

	*to = -1;
	if (json_get(query, name) == NULL)
		return true;
	if (text != NULL && (*to = hls_reload_number(text)) >= 0)
		return true;
	*no = problem_at(rq, P_BAD_REQUEST, NULL, name, "%s must be a number.", name);
	return false;
}

static bool
read_directives(struct request *rq, struct hls_reload *to, struct reply *no)
{
	const struct json *query = query_read(rq);
	const char *skip = json_get_text(query, "_HLS_skip");

	if (!read_number(rq, query, "_HLS_msn", &to->segment, no) ||
	    !read_number(rq, query, "_HLS_part", &to->part, no))
		return false;
	to->skips =
	    skip != NULL && (strcmp(skip, "YES") == 0 || strcmp(skip, "v2") == 0);
	if (to->part >= 0 && to->segment < 0)
		*no = problem_at(
		    rq, P_BAD_REQUEST, NULL, "_HLS_part", "_HLS_part needs _HLS_msn.");
	else if (json_get(query, "_HLS_skip") != NULL && !to->skips)
		*no = problem_at(rq, P_BAD_REQUEST, NULL, "_HLS_skip",
		    "_HLS_skip must be YES or v2.");
	else
		return true;
	return false;
}

/* ---- what there is ---- */

static const char *
folder_of(const struct request *rq)
{
	return arena_printf(rq->mem, "%s/%s", rq->conf->hls_dir, rq->args[0]);
}

/* True if the file exists, or will in a moment. */
static bool
is_expected(struct request *rq, const char *file)
{
	const char *dash = strrchr(file, '-'), *playlist;
	size_t n;

	if (access(arena_printf(rq->mem, "%s/%s", folder_of(rq), file), F_OK) == 0)
		return true;
	if (dash == NULL)
		return false;
	playlist = hls_read(rq->mem, folder_of(rq),
	    arena_printf(rq->mem, "%.*s-%s.m3u8", (int)(dash - file), file,
		strncmp(file, "picture-", strlen("picture-")) == 0 ? "video" : "audio"),
	    &n);
	return playlist != NULL && hls_reload_announces(playlist, file);
}

/* Check that there is such a playlist or file, or will be. False: *no is the refusal.
 */
static bool
find(struct request *rq, const struct hls_file *kind, const struct hls_reload *reload,
    struct reply *no)
{
	const char *file = rq->args[1], *playlist;
	size_t n;

	if (!kind->is_playlist) {
		if (is_expected(rq, file))
			return true;
	} else if ((playlist = hls_read(rq->mem, folder_of(rq), file, &n)) != NULL) {
		if (hls_reload_verdict(playlist, reload) != HLS_RELOAD_NEVER)
			return true;
		*no = problem_at(rq, P_BAD_REQUEST, NULL,
		    reload->part >= 0 ? "_HLS_part" : "_HLS_msn",
		    "The playlist is not that far yet.");
		return false;
	}
	*no = problem(rq, P_NOT_FOUND, "No such resource.");
	return false;
}

/* ---- requests ---- */

/* The answer if the request cannot be held any longer. */
static void
write_refusal(struct request *rq, struct buf *to)
{
	problem(rq, P_NO_GATEWAY,
	    "The playlist has not changed, or too many requests wait for it.");
	header(rq, "Retry-After", "1");
	header(rq, "Cache-Control", "no-store");
	http_reply_write(rq, to);
	rq->head.len = rq->out.len = 0;
	rq->slug = NULL;
}

struct reply
hls_get(struct request *rq)
{
	struct entry *k = entry_of(rq);
	const struct hls_file *kind = hls_file_at(rq->args[0], rq->args[1]);
	struct hls_reload reload;
	struct connection_request *v;
	struct hls_request *is;
	struct buf refusal;
	struct reply no;

	if (k->gateway->hls == NULL || rq->conf->hls_dir[0] == '\0' || kind == NULL)
		return problem(rq, P_NOT_FOUND, "No such resource.");
	if (!read_directives(rq, &reload, &no) || !find(rq, kind, &reload, &no))
		return no;
	v = THREAD_CALL(struct connection_request);
	refusal = (struct buf){ .mem = v->call.message.mem };
	write_refusal(rq, &refusal);
	is = arena_alloc(refusal.mem, sizeof(*is));
	*is = (struct hls_request){ .folder = arena_str(refusal.mem, folder_of(rq)),
		.file = arena_str(refusal.mem, rq->args[1]),
		.kind = kind,
		.reload = reload,
		.refusal = refusal.p,
		.refusal_bytes = refusal.len,
		.head = strcmp(rq->method, "HEAD") == 0 };
	v->hls = is;
	v->network = arena_str(refusal.mem, rq->network);
	k->in = v;
	return reply_empty(rq, 200);
}

/* ---- listeners ---- */

/* clang-format off */
const struct field	 hls_report_fields[] = FIELDS(
	{ "next_seconds", F_INT, 0, .flags = F_OUT }
);
/* clang-format on */

struct reply
hls_listener(struct request *rq)
{
	const struct gateway *g = entry_of(rq)->gateway;
	const struct stream_in *in = rq->query;
	struct stream_token t;
	const char *language;
	int64_t next_s;

	if (g->hls_listeners == NULL)
		return problem(rq, P_NOT_FOUND, "No such resource.");
	if (!entry_token(rq, &t))
		return auth_unknown(rq);
	if (t.event == NULL || t.listener == NULL || t.sid == NULL || t.speaks)
		return problem(
		    rq, P_NO_SCOPE, "Report with the token of a listener of an event.");
	language = lang_fold(rq->mem, in->language != NULL ? in->language : t.language);
	if (language == NULL ||
	    (!language_code_known(language) && strcmp(language, "original") != 0))
		return problem_at(rq, P_VALIDATION, NULL, "language",
		    "language must be a language or original.");
	next_s = HLS_LISTENERS_S;
	if (t.bystander == NULL)
		next_s = hls_listeners_add(g->hls_listeners,
		    &(const struct listening){ t.event, t.sid, language, 1 },
		    t.listener, rq->network, rq->conf->stream_max_per_address,
		    now_us());
	return reply_one(rq, 200, hls_report_fields, &next_s, 0);
}
