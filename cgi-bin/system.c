/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The service itself: health, metrics, languages, documentation and problems; and the
 * answer 404 to each path that no other program has.
 */
#include <string.h>

#include "base/child.h"
#include "base/clock.h"
#include "base/id.h"
#include "base/log.h"
#include "base/version.h"
#include "blob/blob.h"
#include "service/health.h"
#include "service/language_engines.h"
#include "service/language_sample.h"
#include "service/node.h"
#include "service/speaker_link.h"
#include "speech/registry.h"
#include "store/blobs.h"
#include "store/channels.h"
#include "store/join_codes.h"
#include "store/schema.h"
#include "store/sessions.h"
#include "store/webhook_deliveries.h"
#include "web/access_code.h"
#include "web/metrics.h"
#include "web/share.h"
#include "web/static_page.h"
#include "web/web.h"
#include "work/queue.h"

/* ---- health ---- */

static struct reply
reply_down(struct request *rq, const struct field *fields, const void *of,
    const struct list *wrong)
{
	struct json_writer j = { .out = &rq->out };

	jw_open(&j, NULL);
	jw_bool(&j, "ok", false);
	jw_list(&j, "errors");
	for (size_t i = 0; i < wrong->n; i++) {
		struct problem_document p =
		    problem_describe(rq->mem, P_UNHEALTHY, rq->conf->server_base_url,
			rq->id, ((const char *const *)wrong->items)[i]);

		field_write(&j, NULL, problem_fields, &p);
	}
	jw_close(&j);
	field_write(&j, "data", fields, of);
	return reply_close(rq, &j, 503);
}

struct ready {
	bool ready;
};

static const struct field ready_fields[] =
    FIELDS({ "ready", F_BOOL, MEMBER(ready, ready), .flags = F_OUT });

static struct reply
get_ready(struct request *rq)
{
	struct ready r = { false };
	struct list wrong;

	r.ready = health_ready(rq->db, rq->mem, rq->conf, &wrong);
	return r.ready ? reply_one(rq, 200, ready_fields, &r, 0)
		       : reply_down(rq, ready_fields, &r, &wrong);
}

static struct reply
get_health(struct request *rq)
{
	struct list wrong;
	struct health h = health_check(rq->db, rq->mem, rq->conf, &wrong);

	if (wrong.n > 0)
		return reply_down(rq, health_fields, &h, &wrong);
	return reply_one(rq, 200, health_fields, &h, 0);
}

/* ---- metrics ---- */

static bool
is_operator(struct request *rq)
{
	const char *token = rq->conf->operator_token;
	const char *sent = auth_sent(rq);
	size_t n = strlen(token);

	if (sent == NULL)
		return rq->conf->operator_loopback &&
		       (strncmp(rq->peer, "127.", 4) == 0 ||
			   !strcmp(rq->peer, "::1")) &&
		       rq->param(rq, "HTTP_FORWARDED") == NULL &&
		       rq->param(rq, "HTTP_X_FORWARDED_FOR") == NULL;
	return n > 0 && strncmp(sent, "Bearer ", 7) == 0 && strlen(sent) == n + 7 &&
	       same_bytes(sent + 7, token, n);
}

static void
gauge(struct buf *b, const char *name, const char *help)
{
	buf_printf(b, "# HELP %s %s\n# TYPE %s gauge\n", name, help, name);
}

static void
gauge_of(struct buf *b, const char *name, const char *help, int64_t n)
{
	gauge(b, name, help);
	buf_printf(b, "%s %lld\n", name, (long long)n);
}

static void
write_queues(struct buf *b, const struct list *l)
{
	const struct queue_row *row = l->items;

	gauge(b, "dragoman_jobs", "Jobs by queue and state.");
	for (size_t i = 0; i < l->n; i++)
		buf_printf(b, "dragoman_jobs{queue=\"%s\",state=\"%s\"} %lld\n",
		    row[i].kind, row[i].state, (long long)row[i].n);
}

static void
write_workers(struct buf *b, const struct list *l)
{
	const struct worker_row *row = l->items;

	gauge(b, "dragoman_worker_last_run_timestamp_seconds",
	    "Time of the last heartbeat.");
	for (size_t i = 0; i < l->n; i++)
		buf_printf(b,
		    "dragoman_worker_last_run_timestamp_seconds{worker=\"%s\"} %.3f\n",
		    row[i].name, (double)row[i].last_run_us / 1e6);
	buf_str(b, "# HELP dragoman_job_failures_total Failed tries of jobs.\n"
		   "# TYPE dragoman_job_failures_total counter\n");
	for (size_t i = 0; i < l->n; i++)
		buf_printf(b, "dragoman_job_failures_total{queue=\"%s\"} %lld\n",
		    row[i].name, (long long)row[i].failures);
}

/* Write counters from a report of the gateway; their names, up to NULL. */
static void
write_counts(struct request *rq, const struct json *report, const char *part,
    const char *const *counts, struct buf *b)
{
	for (; *counts != NULL; counts++) {
		const char *name =
		    arena_printf(rq->mem, "dragoman_%s_%s", part, *counts);

		gauge(b, name, "Counter of the gateway since it started.");
		buf_printf(
		    b, "%s %lld\n", name, (long long)json_get_int(report, *counts, 0));
	}
}

static void
write_nats(struct request *rq, const char *report, struct buf *b)
{
	static const char *const counts[] = { "connected", "connects", "messages_in",
		"messages_out", "bytes_in", "bytes_out", "dropped", NULL };
	const char *why;

	if (report != NULL)
		write_counts(rq, json_read(rq->mem, report, strlen(report), &why),
		    "nats", counts, b);
}

static void
write_webrtc(struct request *rq, const char *report, struct buf *b)
{
	static const char *const counts[] = { "participants", "datagrams_in",
		"datagrams_out", "datagrams_unknown", "stun_bad", "srtp_failures",
		NULL };
	const char *why;
	const struct json *all, *peers;

	if (report == NULL)
		return;
	all = json_read(rq->mem, report, strlen(report), &why);
	write_counts(rq, all, "webrtc", counts, b);
	peers = json_get(all, "peers");
	gauge(b, "dragoman_webrtc_peers", "Peer connections by state.");
	for (peers = peers != NULL ? peers->kids : NULL; peers != NULL;
	     peers = peers->next)
		buf_printf(b, "dragoman_webrtc_peers{state=\"%s\"} %lld\n", peers->key,
		    (long long)peers->u.i);
}

/* Metrics of this node's gateway; none if no gateway ever ran here. */
static enum err
write_gateway(struct request *rq, struct buf *b)
{
	struct node n;
	enum err e = node_get(rq->db, rq->mem, rq->conf->node, &n);

	if (e != OK)
		return e == ERR_NOT_FOUND ? OK : e;
	gauge_of(b, "dragoman_gateway_connections",
	    "Open sockets of this node's gateway.", n.connections);
	gauge_of(b, "dragoman_gateway_tasks", "Running tasks of this node's gateway.",
	    n.tasks);
	gauge(b, "dragoman_gateway_seen_timestamp_seconds", "Its last heartbeat.");
	buf_printf(b, "dragoman_gateway_seen_timestamp_seconds %.3f\n",
	    (double)n.seen_us / 1e6);
	write_webrtc(rq, n.webrtc, b);
	write_nats(rq, n.nats, b);
	return OK;
}

static enum err
write_totals(struct request *rq, struct buf *b)
{
	static const char *const states[] = { "creating", "ready", "failed",
		"deleting" };
	int64_t n;
	enum err e;

	if ((e = blob_total(rq->db, &n)) != OK)
		return e;
	gauge_of(b, "dragoman_blob_bytes", "Bytes of all stored files.", n);
	if ((e = session_total(rq->db, &n)) != OK)
		return e;
	gauge_of(b, "dragoman_sessions_open", "Sessions that have not expired.", n);
	gauge(b, "dragoman_channels", "Channels by their state.");
	for (size_t i = 0; i < sizeof(states) / sizeof(states[0]); i++) {
		if ((e = channel_total(rq->db, states[i], &n)) != OK)
			return e;
		buf_printf(b, "dragoman_channels{lifecycle_status=\"%s\"} %lld\n",
		    states[i], (long long)n);
	}
	return OK;
}

static enum err
write_deliveries(struct request *rq, struct buf *b)
{
	int64_t pending, failed;
	enum err e = webhook_delivery_counts(rq->db, &pending, &failed);

	gauge(b, "dragoman_webhook_deliveries", "Deliveries to webhooks by status.");
	buf_printf(b,
	    "dragoman_webhook_deliveries{status=\"pending\"} %lld\n"
	    "dragoman_webhook_deliveries{status=\"failed\"} %lld\n",
	    (long long)pending, (long long)failed);
	return e;
}

static struct reply
get_metrics(struct request *rq)
{
	struct buf b = { .mem = rq->mem };
	struct list queues, seen;
	struct reply no;
	enum err e;

	/* The "*" of an account's key does not include this scope. */
	if (!is_operator(rq)) {
		if (!auth_pass(rq, "metrics:read", &no))
			return no;
		return auth_no_scope(rq, "metrics:read");
	}
	metrics_write(&b, rq->conf->state_dir);
	if ((e = queue_counts(rq->db, rq->mem, &queues)) != OK ||
	    (e = worker_list(rq->db, rq->mem, rq->conf->node, &seen)) != OK ||
	    (e = write_gateway(rq, &b)) != OK || (e = write_totals(rq, &b)) != OK ||
	    (e = write_deliveries(rq, &b)) != OK)
		return problem_err(rq, e);
	write_queues(&b, &queues);
	write_workers(&b, &seen);
	return reply_text(
	    rq, 200, "text/plain; version=0.0.4; charset=utf-8", buf_text(&b));
}

/* ---- languages ---- */

/* clang-format off */
static const struct field	 source_fields[] = FIELDS(
	{ "code",    F_TEXT, MEMBER(source_language, code),    .flags = F_OUT },
	{ "engines", F_LIST, MEMBER(source_language, engines), .flags = F_OUT, .size = sizeof(const char *) },
	{ "detect",  F_BOOL, MEMBER(source_language, detect),  .flags = F_OUT }
);
static const struct field	 target_fields[] = FIELDS(
	{ "code",    F_TEXT, MEMBER(target_language, code),    .flags = F_OUT },
	{ "speech",  F_BOOL, MEMBER(target_language, speech),  .flags = F_OUT },
	{ "voices",  F_LIST, MEMBER(target_language, voices),  .flags = F_OUT, .size = sizeof(const char *) },
	{ "engines", F_LIST, MEMBER(target_language, engines), .flags = F_OUT, .size = sizeof(const char *) }
);
static const struct field	 pair_fields[] = FIELDS(
	{ "source", F_TEXT, MEMBER(language_pair, source), .flags = F_OUT },
	{ "target", F_TEXT, MEMBER(language_pair, target), .flags = F_OUT },
	{ "engine", F_TEXT, MEMBER(language_pair, engine), .flags = F_OUT | F_NULLABLE },
	{ "via",    F_TEXT, MEMBER(language_pair, via),    .flags = F_OUT | F_NULLABLE },
	{ "second_engine", F_TEXT, MEMBER(language_pair, second), .flags = F_OUT | F_NULLABLE },
	{ "quality", F_TEXT, MEMBER(language_pair, quality), .flags = F_OUT | F_NULLABLE },
	{ "quality_measure", F_TEXT, MEMBER(language_pair, measure), .flags = F_OUT | F_NULLABLE }
);
static const struct field	 languages_fields[] = FIELDS(
	{ "source", F_LIST, MEMBER(languages, source), .flags = F_OUT,
	            .of = source_fields, .size = sizeof(struct source_language) },
	{ "target", F_LIST, MEMBER(languages, target), .flags = F_OUT,
	            .of = target_fields, .size = sizeof(struct target_language) },
	{ "pairs",  F_LIST, MEMBER(languages, pairs),  .flags = F_OUT,
	            .of = pair_fields, .size = sizeof(struct language_pair) }
);
static const char *const qualities[] = { "good", "fair", "poor", NULL };
static const struct field	 language_engine_fields[] = FIELDS(
	{ "language",  F_TEXT, MEMBER(language_engine, language), .flags = F_OUT,
	  .help = "The language that is recognized or spoken, or translated from." },
	{ "target",    F_TEXT, MEMBER(language_engine, target), .flags = F_OUT | F_NULLABLE,
	  .help = "The language that is translated into." },
	{ "engine",    F_TEXT, MEMBER(language_engine, engine), .flags = F_OUT | F_NULLABLE,
	  .help = "The ID of the engine that is asked first; null: none serves it." },
	{ "kind",      F_TEXT, MEMBER(language_engine, kind), .flags = F_OUT | F_NULLABLE,
	  .help = "The kind of that engine." },
	{ "model",     F_TEXT, MEMBER(language_engine, model), .flags = F_OUT | F_NULLABLE,
	  .help = "The model that its section names for a server." },
	{ "via",       F_TEXT, MEMBER(language_engine, via), .flags = F_OUT | F_NULLABLE,
	  .help = "The language between source and target; null: none." },
	{ "quality",   F_ENUM, MEMBER(language_engine, quality), .flags = F_OUT | F_NULLABLE, .names = qualities,
	  .help = "null: it was not measured." },
	{ "measure",   F_TEXT, MEMBER(language_engine, measure), .flags = F_OUT | F_NULLABLE,
	  .help = "words_wrong: the percentage of wrong words; or a set of judged sentences." },
	{ "measured",  F_REAL, MEMBER(language_engine, measured), .flags = F_OUT | F_NULLABLE,
	  .help = "The percentage of wrong words." },
	{ "better",    F_TEXT, MEMBER(language_engine, better), .flags = F_OUT | F_NULLABLE,
	  .help = "The model that the operator can install to improve or add it: dragoman models get NAME." },
	{ "better_mb", F_INT, MEMBER(language_engine, better_mb), .flags = F_OUT | F_NULLABLE,
	  .help = "Megabytes of that model and of all that it needs." },
	{ "voice_id",  F_TEXT, MEMBER(language_engine, voice_id), .flags = F_OUT | F_NULLABLE,
	  .help = "A built-in voice whose sample this engine speaks." }
);
#define ENGINES_OF(name, text)                                                         \
	{                                                                              \
		#name, F_LIST, MEMBER(language_engines, name), .flags = F_OUT,         \
		    .of = language_engine_fields,                                      \
		    .size = sizeof(struct language_engine), .help = text               \
	}
static const struct field	 language_engines_fields[] = FIELDS(
	ENGINES_OF(recognition, "The engine that recognizes each language."),
	ENGINES_OF(translation, "The engine that translates each pair."),
	ENGINES_OF(speech, "The engine that speaks each language.")
);
/* clang-format on */

/* Asking the engines for their languages takes time, so the answers are cached. */
#define KNOWN_US (300 * S_US)

static struct {
	/* settings in force; NULL: those of the program's start */
	struct arena *settings;
	struct conf conf;
	int64_t settings_us; /* change time of the dragoman.conf that was read last */
	struct registry *engines;
	struct arena *mem; /* arena of the languages */
	struct languages languages;
	struct language_engines described;
	int64_t until_us; /* monotonic_us() */
} known;

/* Read the settings that `dragoman models get` has changed since this program began. */
static void
read_changed_settings(const struct request *rq)
{
	int64_t changed_us = conf_file_us(rq->mem);
	struct arena *mem;
	struct conf conf;

	if (known.settings_us == 0)
		known.settings_us = rq->conf->file_us;
	if (changed_us == 0 || changed_us == known.settings_us)
		return;
	known.settings_us = changed_us;
	mem = arena_new();
	if (conf_read_existing(mem, &conf) != OK) {
		arena_free(mem); /* the log has the reason */
		return;
	}
	registry_drop(known.engines);
	arena_free(known.settings);
	known.settings = mem;
	known.conf = conf;
	known.engines = NULL;
	known.until_us = 0;
}

static enum err
ask_engines(const struct conf *conf)
{
	enum err e;

	if (known.settings != NULL)
		conf = &known.conf;
	if (known.engines == NULL && (e = registry_new(conf, &known.engines)) != OK)
		return e;
	arena_free(known.mem);
	known.mem = arena_new();
	known.languages = registry_languages(known.engines, known.mem);
	known.described =
	    language_engines(known.mem, conf, known.engines, &known.languages);
	known.until_us = monotonic_us() + KNOWN_US;
	return OK;
}

static bool
learn_languages(struct request *rq)
{
	read_changed_settings(rq);
	return monotonic_us() < known.until_us || ask_engines(rq->conf) == OK;
}

static struct reply
get_languages(struct request *rq)
{
	if (!learn_languages(rq))
		return problem_err(rq, ERR_FAILED);
	return reply_one(rq, 200, languages_fields, &known.languages, 0);
}

static struct reply
get_language_engines(struct request *rq)
{
	if (!learn_languages(rq))
		return problem_err(rq, ERR_FAILED);
	return reply_one(rq, 200, language_engines_fields, &known.described, 0);
}

static struct reply
get_language_sample(struct request *rq)
{
	const char *language = rq->args[0];
	struct language_sample found;
	enum err e;

	if (!learn_languages(rq))
		return problem_err(rq, ERR_FAILED);
	e = language_sample(known.settings != NULL ? &known.conf : rq->conf, rq->mem,
	    known.engines, language, &found);
	if (e == ERR_NOT_FOUND)
		return problem(rq, P_NOT_FOUND, "No engine speaks \"%s\".", language);
	if (e != OK)
		return problem_err(rq, e);
	header(rq, "Content-Type", "audio/mpeg");
	header(rq, "Cache-Control", "private, max-age=300");
	return reply_file(rq, 200, found.fd, 0, found.bytes);
}

/* ---- documentation ---- */

/* /openapi.json and /asyncapi.json, named like their files. */
static struct reply
get_description(struct request *rq)
{
	return share_reply(rq, rq->route->path + 1, "application/json");
}

/* Swagger UI, in one file, if npm was present at build time. */
static struct reply
get_swagger(struct request *rq)
{
	if (!share_has(rq, "swagger.html"))
		return problem(rq, P_NOT_FOUND, "No such resource.");
	header(rq, "Content-Security-Policy",
	    "default-src 'none'; connect-src 'self'; script-src 'unsafe-inline'; "
	    "style-src 'unsafe-inline'; img-src 'self' data:; base-uri 'none'; "
	    "form-action 'none'; frame-ancestors 'none'");
	return share_reply(rq, "swagger.html", "text/html; charset=utf-8");
}

/* ---- pages ---- */

static struct reply
send_page(
    struct request *rq, const char *path, const char *framed_by, const char *reads)
{
	bool bucket = strcmp(rq->conf->blob_store, BLOB_S3) == 0;
	struct page_policy policy = { .framed_by = framed_by,
		.reads = reads,
		.bucket = bucket ? blob_bucket_url(rq->conf, rq->mem) : NULL };
	struct list others;

	node_urls(rq->db, rq->mem, rq->conf, &others);
	policy.streams = &others;
	return static_page(rq, path, &policy);
}

/* False while the service has no account, and so no owner to sign in. */
static bool
has_account(struct request *rq)
{
	static bool seen;
	enum err e = OK;

	if (!seen && rq->db != NULL)
		e = account_any(rq->db);
	seen = seen || (rq->db != NULL && e == OK);
	return e != ERR_NOT_FOUND;
}

static struct reply
get_page(struct request *rq)
{
	return send_page(rq, rq->route->path, NULL, NULL);
}

/* Without an account, the page that names the operator's command to make one. */
static struct reply
get_first_page(struct request *rq)
{
	return send_page(rq, has_account(rq) ? "/" : "/first", NULL, NULL);
}

static struct reply
get_console(struct request *rq)
{
	if (has_account(rq))
		return get_page(rq);
	header(rq, "Location", "../");
	return reply_empty(rq, 307);
}

static struct reply
get_frameable_page(struct request *rq)
{
	const char *event = json_get_text(query_read(rq), "e");

	event = event != NULL ? id_read(rq->mem, event) : NULL;
	return send_page(rq, rq->route->path, rq->conf->pages_embed,
	    event != NULL ? arena_printf(rq->mem, "/saas/v2/event/public/%s", event)
			  : NULL);
}

/*
 * Answer a request for a short address. e: the result of looking up its code; page: the
 * address that it leads to. An unknown code gets the page at `otherwise`, with 404.
 */
static struct reply
redirect(struct request *rq, enum err e, const char *page, const char *otherwise)
{
	struct reply to;

	if (e == ERR_NOT_FOUND) {
		if (!short_code_unknown(rq, &to))
			return to;
		to = send_page(rq, otherwise, NULL, NULL);
		if (to.status == 200)
			to.status = rq->status = 404;
		return to;
	}
	if (e != OK)
		return problem_err(rq, e);
	if (!short_code_admit(rq, rq->args[0], &to))
		return to;
	header(rq, "Location", "%s", page);
	return reply_empty(rq, 302);
}

/*
 * The short address of an event, whose parameter s names a hall by the end of its id.
 * The first page asks for another code.
 */
static struct reply
open_join_code(struct request *rq)
{
	const char *hall = json_get_text(query_read(rq), "s");
	const char *event = "", *stage = NULL;
	enum err e = join_code_find(rq->db, rq->mem, rq->args[0], &event);

	if (e == OK && hall != NULL) {
		e = join_code_stage(rq->db, rq->mem, event, hall, &stage);
		e = e == ERR_NOT_FOUND ? OK
				       : e; /* the hall is gone: all of the event */
	}
	return redirect(rq, e,
	    arena_printf(rq->mem, "%s/listen/?e=%s%s%s", rq->conf->server_base_url,
		event, stage ? "&s=" : "", stage ? stage : ""),
	    "/");
}

static struct reply
open_speaker_link(struct request *rq)
{
	const char *page = NULL;
	enum err e = speaker_link_open(rq->db, rq->mem, rq->conf, rq->args[0], &page);

	return redirect(rq, e, page, "/speak/");
}

static struct reply
get_guide(struct request *rq)
{
	const char *path = arena_printf(rq->mem, "/docs/guides/%s", rq->args[0]);

	if (!static_page_exists(rq, path))
		return reply_no_page(rq);
	return send_page(rq, path, NULL, NULL);
}

static struct reply
get_page_file(struct request *rq)
{
	return static_page_file(
	    rq, arena_printf(rq->mem, "/web/%s/%s", rq->args[0], rq->args[1]));
}

struct problem_doc {
	const char *slug, *type;
	int64_t status, error_code;
	const char *title, *description;
};

/* clang-format off */
static const struct field	 problem_doc_fields[] = FIELDS(
	{ "slug",        F_TEXT, MEMBER(problem_doc, slug),        .flags = F_OUT },
	{ "type",        F_TEXT, MEMBER(problem_doc, type),        .flags = F_OUT },
	{ "status",      F_INT,  MEMBER(problem_doc, status),      .flags = F_OUT },
	{ "error_code",  F_INT,  MEMBER(problem_doc, error_code),  .flags = F_OUT },
	{ "title",       F_TEXT, MEMBER(problem_doc, title),       .flags = F_OUT },
	{ "description", F_TEXT, MEMBER(problem_doc, description), .flags = F_OUT }
);
/* clang-format on */

static struct problem_doc
problem_doc(struct request *rq, const struct problem_kind *k)
{
	return (struct problem_doc){
		.slug = k->slug,
		.type = arena_printf(
		    rq->mem, "%s/problems/%s", rq->conf->server_base_url, k->slug),
		.status = k->status,
		.error_code = k->error_code,
		.title = k->title,
		.description = k->description,
	};
}

static bool
wants_html(struct request *rq)
{
	rq->cache = "public, max-age=300";
	header(rq, "Vary", "Accept");
	return accept_prefers(
	    rq->param(rq, "HTTP_ACCEPT"), "text/html", "application/json");
}

static struct reply
reply_html(struct request *rq, int first, int end)
{
	struct buf b = { .mem = rq->mem };

	buf_str(&b, "<!doctype html>\n<html lang=\"en\"><meta charset=\"utf-8\">"
		    "<title>Problems</title>\n<h1>Problems</h1>\n");
	/* The texts are our own and contain no markup. */
	for (const struct problem_kind *k = problem_kinds + first;
	     k < problem_kinds + end; k++)
		buf_printf(&b,
		    "<h2 id=\"%s\">%s</h2>\n<p><code>%s</code>, status %d, "
		    "error_code %d. %s</p>\n",
		    k->slug, k->title, k->slug, k->status, k->error_code,
		    k->description);
	return reply_text(rq, 200, "text/html; charset=utf-8", buf_text(&b));
}

static struct reply
list_problems(struct request *rq)
{
	struct problem_doc docs[PROBLEMS];

	if (wants_html(rq))
		return reply_html(rq, 0, PROBLEMS);
	for (int p = 0; p < PROBLEMS; p++)
		docs[p] = problem_doc(rq, &problem_kinds[p]);
	return reply_listed(rq, problem_doc_fields, &(struct list){ docs, PROBLEMS },
	    sizeof(*docs), NULL, NULL);
}

static struct reply
get_problem(struct request *rq)
{
	struct problem_doc doc;
	int p = 0;

	while (p < PROBLEMS && strcmp(problem_kinds[p].slug, rq->args[0]) != 0)
		p++;
	if (p == PROBLEMS)
		return problem(rq, P_NOT_FOUND, "No such resource.");
	if (wants_html(rq))
		return reply_html(rq, p, p + 1);
	doc = problem_doc(rq, &problem_kinds[p]);
	return reply_one(rq, 200, problem_doc_fields, &doc, 0);
}

/* No limit for each address: all phones in a hall may share one. */
#define PAGE(path, run, what)                                                          \
	{                                                                              \
		"GET", path, run, NULL, UNLIMITED | NO_DB,                             \
		    .summary = what, .shape = A_FILE, .also = "304 404"                \
	}

/* clang-format off */
const struct route	 system_routes[] = {
	{ "GET", "/health", get_health, NULL, UNLIMITED | NO_DB,
	  .summary = "Check the service's health", .shape = A_ONE, .out = health_fields },
	{ "GET", "/ready", get_ready, NULL, UNLIMITED | NO_DB,
	  .summary = "Check whether requests may be sent here", .shape = A_ONE, .out = ready_fields },
	{ "GET", "/metrics", get_metrics, NULL, UNLIMITED,
	  .summary = "Read metrics for Prometheus", .shape = A_FILE, .also = "401 403" },
	{ "GET", "/languages", get_languages, "any",
	  .summary = "List the languages of streams",
	  .shape = A_ONE, .out = languages_fields },
	{ "GET", "/languages/engines", get_language_engines, "any",
	  .summary = "List the engines of languages",
	  .shape = A_ONE, .out = language_engines_fields },
	{ "GET", "/languages/{language}/sample", get_language_sample, "any",
	  .summary = "Hear a language's voice", .shape = A_FILE, .also = "404 502 503 504" },
	{ "GET", "/openapi.json", get_description, NULL, PUBLIC | NO_DB,
	  .summary = "This description", .shape = A_FILE, .also = "304" },
	{ "GET", "/asyncapi.json", get_description, NULL, PUBLIC | NO_DB,
	  .summary = "The description of the sockets", .shape = A_FILE, .also = "304" },
	PAGE("/", get_first_page, "The first page"),
	PAGE("/docs", get_page, "This description as a page"),
	{ "GET", "/docs/swagger", get_swagger, NULL, PUBLIC | NO_DB,
	  .summary = "This description, in Swagger UI", .shape = A_FILE, .also = "304 404" },
	PAGE("/docs/guides/{guide}", get_guide, "A guide of this documentation"),
	PAGE("/console/", get_console, "The organisers' page"),
	PAGE("/listen/", get_frameable_page, "The page for listeners"),
	PAGE("/poster/", get_page, "The posters of an event"),
	PAGE("/screen/", get_frameable_page, "The page for screens in halls"),
	PAGE("/speak/", get_page, "The page for speakers"),
	PAGE("/web/{folder}/{file}", get_page_file, "A file of a page"),
	{ "GET", "/{join_code}", open_join_code, NULL, UNLIMITED | DIGITS,
	  .summary = "The page for listeners of the event with a join code", .shape = A_FILE, .status = 302, .also = "404 429" },
	{ "GET", "/s/{speaker_code}", open_speaker_link, NULL, UNLIMITED,
	  .summary = "The page for speakers of a channel", .shape = A_FILE, .status = 302, .also = "404 429" },
	{ "GET", "/problems", list_problems, NULL, PUBLIC | NO_DB,
	  .summary = "List the kinds of problems", .shape = A_LIST, .out = problem_doc_fields },
	{ "GET", "/problems/{slug}", get_problem, NULL, PUBLIC | NO_DB,
	  .summary = "Read a kind of problem", .shape = A_ONE, .out = problem_doc_fields, .also = "404" },
	ROUTES_END,
};
/* clang-format on */

PROGRAM("system", system_routes, account_sql, blob_sql, channel_sql, join_code_sql,
    node_sql, queue_sql, schema_sql, session_sql, webhook_delivery_sql)
