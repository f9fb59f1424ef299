/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "server/http_routes.h"

#include <string.h>
#include <strings.h>

#include "base/clock.h"
#include "channel/http_listener.h"
#include "gateway/listener_limit.h"
#include "server/admission.h"
#include "server/entry.h"
#include "server/gateway_health.h"
#include "server/hls_routes.h"
#include "server/http_reply.h"
#include "server/webrtc_routes.h"
#include "server/whip_routes.h"
#include "service/node.h"
#include "session/stt_query.h"
#include "store/channel_outputs.h"
#include "store/channels.h"
#include "store/credentials.h"
#include "store/glossaries.h"
#include "store/held_lines.h"
#include "store/idempotent_responses.h"
#include "store/ledger.h"
#include "store/listener_joins.h"
#include "store/listening.h"
#include "store/nodes.h"
#include "store/public_view_cache.h"
#include "store/served.h"
#include "store/sessions.h"
#include "store/transcripts.h"
#include "store/voices.h"
#include "work/queue.h"

#define NAME_MOST 128

/* ---- plain HTTP ---- */

static struct reply
get_health(struct request *rq)
{
	return gateway_health(rq, entry_of(rq)->gateway);
}

static struct reply
no_webrtc(struct request *rq)
{
	return problem(
	    rq, P_NO_WEBRTC, "WebRTC is not configured on this server, use ws_url");
}

/* Clients call this to open the connection in advance. */
static struct reply
get_webrtc(struct request *rq)
{
	return entry_of(rq)->gateway->webrtc_thread != NULL
		   ? reply_text(rq, 200, "text/plain", "OK")
		   : no_webrtc(rq);
}

/* ---- sockets ---- */

static const char *
check_one(const char *language)
{
	return strcasecmp(language, "all") == 0 ? "is more than one" : NULL;
}

/* clang-format off */
#define AT(m) offsetof(struct stream_in, m)
static const char *const	 switches[] = { "0", "1", NULL };
static const char *const	 sounds[] = { "pcm_s16le", "opus", NULL };
static const struct field	 stream_fields[] = {
	{ "language", F_TEXT, AT(language), 1, 16, F_IO | F_OPT, .help = "of a listener: the language to receive, or `original`, or `all`" },
	{ "audio",    F_ENUM, AT(audio), .flags = F_IO | F_OPT, .names = switches, .help = "of a listener: `0`: texts only" },
	{ "format",   F_ENUM, AT(format), .flags = F_IO | F_OPT, .names = sounds, .help = "of the audio that a listener receives, default `pcm_s16le`" },
	{ "since",    F_TEXT, AT(since), 16, 16, F_IO | F_OPT, .help = "of a listener: the `transcription_id` that it has; the final texts after it come first, at most 50, or the last 50 if it is too old" },
	FIELDS_END,
};
static const struct field	 listen_fields[] = {
	{ "language", F_TEXT, AT(language), 1, 16, F_IO | F_OPT, .check = check_one },
	FIELDS_END,
};
#undef AT
/* clang-format on */

/*
 * Begins with a struct stream_in. Parameter `language` is the spoken language, not a
 * language to listen to, and is read into `in`.
 */
struct stt_query {
	struct stream_in stream;
	struct stt_in in;
};

/* clang-format off */
#define AT(m) offsetof(struct stt_query, in.m)
static const char *const	 formats[] = { "pcm_s16le", "pcm_s32le", "pcm_s32be", "pcm_f32le",
	"pcm_f32be", "mulaw", "alaw", "aac", "flac", "mp3", "ogg", "wav", "webm", NULL };
static const char *const	 answers[] = { "true", "false", NULL };
static const char *const	 finalizations[] = { "auto", "manual", NULL };
static const struct field	 stt_fields[] = {
	{ "format",               F_ENUM, AT(format), .flags = F_IO | F_OPT, .names = formats, .help = "of the audio that you send, default `pcm_s16le`" },
	{ "sample_rate",          F_INT,  AT(sample_rate), 8000, 48000, F_IO | F_OPT, .help = "in Hz, default 16000; required with the other raw formats" },
	{ "language",             F_TEXT, AT(language), 1, 16, F_IO | F_OPT, .help = "what is spoken, default `auto`" },
	{ "translate_languages",  F_TEXT, AT(targets), 0, 256, F_IO | F_OPT, .help = "up to 10 codes, separated by commas" },
	{ "finalization_mode",    F_ENUM, AT(finalization), .flags = F_IO | F_OPT, .names = finalizations, .help = "`manual`: a text is final only when `finalize` asks for it, or at the end; default `auto`" },
	{ "enable_filler_filter", F_ENUM, AT(filter), .flags = F_IO | F_OPT, .names = answers, .help = "leaves out hesitations such as \"uh\"; default `true`, with `ja` `false`" },
	FIELDS_END,
};
static const struct field	 tts_fields[] = { FIELDS_END };
#undef AT
/* clang-format on */

static bool
is_upgrade(struct request *rq, const struct http_head *h, struct reply *no)
{
	const char *version = http_head_get(h, "Sec-WebSocket-Version");

	if (http_head_lists(h, "Upgrade", "websocket") &&
	    http_head_lists(h, "Connection", "upgrade") && version != NULL &&
	    strcmp(version, "13") == 0 && http_head_get(h, "Sec-WebSocket-Key") != NULL)
		return true;
	*no = problem(rq, P_UPGRADE, "This path speaks WebSocket, version 13.");
	header(rq, "Upgrade", "websocket");
	return false;
}

/* Read the query of an STT socket and check it against the engines. */
static bool
is_wanted(struct request *rq, struct connection_request *v, struct reply *no)
{
	struct arena *mem = v->call.message.mem;
	const struct stt_query *q = rq->query;
	struct stt_params *want;
	struct fault *faults;

	if (v->kind != SOCKET_STT)
		return true;
	want = arena_alloc(mem, sizeof(*want));
	v->stt = want;
	if (stt_query_read(mem, entry_of(rq)->gateway->engines, &q->in, want, &faults))
		return true;
	*no = problem_faults(rq, NULL, faults);
	return false;
}

static struct reply
enter(struct request *rq, enum socket_kind kind)
{
	struct entry *k = entry_of(rq);
	struct connection_request *v = entry_new(rq, kind);
	struct stream_token t;
	struct reply no;
	bool good;

	good = is_upgrade(rq, k->head, &no) && entry_is_open(rq, k->gateway, &no);
	if (good && entry_token(rq, &t))
		good = admission_by_token(k->gateway, rq, v, &t, &no);
	else if (good)
		good = admission_by_key(rq, v, &no);
	good = good && is_wanted(rq, v, &no) && entry_has_room(rq, k->gateway, v, &no);
	if (!good) {
		arena_free(v->call.message.mem);
		return no;
	}
	k->in = v;
	return reply_empty(rq, 101);
}

static struct reply
enter_s2s(struct request *rq)
{
	const char *any = rq->args[0];
	size_t n = any != NULL ? strlen(any) : 0;

	if (n > NAME_MOST || (n > 0 && strspn(any, "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
						   "abcdefghijklmnopqrstuvwxyz"
						   "0123456789-._~") != n))
		return problem(rq, P_NOT_FOUND, "No such resource.");
	return enter(rq, SOCKET_S2S);
}

static struct reply
enter_stt(struct request *rq)
{
	return enter(rq, SOCKET_STT);
}

static struct reply
enter_tts(struct request *rq)
{
	return enter(rq, SOCKET_TTS);
}

/* ---- listeners by plain HTTP ---- */

static struct connection_request *
admit_listener(struct request *rq, struct stream_token *t, struct reply *no)
{
	const struct entry *k = entry_of(rq);
	struct connection_request *v = entry_new(rq, SOCKET_S2S);

	v->call.run = http_listener_open;
	if (entry_is_open(rq, k->gateway, no) &&
	    admission_by_token(k->gateway, rq, v, t, no) &&
	    entry_has_room(rq, k->gateway, v, no))
		return v;
	arena_free(v->call.message.mem);
	return NULL;
}

/* The head is sent by the event loop, before the audio.  HEAD opens nothing. */
static struct reply
get_audio(struct request *rq)
{
	struct entry *k = entry_of(rq);
	bool ogg = strstr(rq->route->path, ".ogg") != NULL;
	struct stream_token t;
	struct reply no;

	if (!entry_token(rq, &t))
		return auth_unknown(rq);
	if (t.speaks || t.silent)
		return problem(rq, P_NO_SCOPE, "Listen with the token of a listener.");
	if (strcmp(rq->method, "HEAD") != 0 &&
	    (k->in = admit_listener(rq, &t, &no)) == NULL)
		return no;
	header(rq, "Content-Type", ogg ? "audio/ogg" : "audio/mpeg");
	return reply_empty(rq, 200);
}

/* ---- signalling of WebRTC ---- */

/* Admit a participant; NULL: *no is the refusal. */
static struct connection_request *
admit_participant(struct request *rq, struct reply *no)
{
	struct entry *k = entry_of(rq);
	struct connection_request *v = entry_new(rq, SOCKET_S2S);
	struct signal_params *params =
	    arena_alloc(v->call.message.mem, sizeof(*params));
	struct stream_token t;

	v->signal = params;
	v->owner = &signal_owner;
	if (!entry_token(rq, &t))
		*no = auth_unknown(rq);
	else if (webrtc_read_params(rq, v->call.message.mem, &t, params, no) &&
		 entry_is_open(rq, k->gateway, no) &&
		 entry_has_slot(rq, k->gateway, params, no) &&
		 admission_by_token(k->gateway, rq, v, &t, no) &&
		 entry_has_room(rq, k->gateway, v, no))
		return v;
	arena_free(v->call.message.mem);
	return NULL;
}

static struct reply
enter_webrtc(struct request *rq)
{
	struct entry *k = entry_of(rq);
	struct reply no;

	if (k->gateway->webrtc_thread == NULL)
		return no_webrtc(rq);
	if (webrtc_joins_in_query(rq) || !is_upgrade(rq, k->head, &no))
		return problem(rq, P_NOT_FOUND, "not found");
	k->in = admit_participant(rq, &no);
	return k->in != NULL ? reply_empty(rq, 101) : no;
}

/* Report whether the token would be admitted now. The result is not stored. */
static struct reply
validate_webrtc(struct request *rq)
{
	struct connection_request *v;
	struct reply no;

	if (entry_of(rq)->gateway->webrtc_thread == NULL)
		return no_webrtc(rq);
	if (webrtc_joins_in_query(rq))
		return problem(rq, P_NOT_FOUND, "not found");
	if ((v = admit_participant(rq, &no)) == NULL)
		return no;
	arena_free(v->call.message.mem);
	db_rollback(rq->db);
	return reply_text(rq, 200, "text/plain", "success");
}

/* Redirect old links to pages. The browser keeps the fragment (#). */
static struct reply
move_page(struct request *rq, const char *path)
{
	const char *query = strchr(rq->target, '?');

	header(rq, "Location", "%s%s%s", rq->conf->server_base_url, path,
	    query != NULL ? query : "");
	return reply_empty(rq, 302);
}

static struct reply
move_listener(struct request *rq)
{
	return move_page(rq, "/listen/");
}

static struct reply
move_speaker(struct request *rq)
{
	return move_page(rq, "/speak/");
}

/* clang-format off */
#define SOCKET UNLIMITED, .query = stream_fields, .query_size = sizeof(struct stream_in)
#define LISTEN(path) { "GET", path, get_audio, NULL, UNLIMITED, QUERY(listen_fields, struct stream_in) }
#define NOTHING(method) { method, WEBRTC_PATH, no_webrtc, NULL, UNLIMITED | NO_DB }
#define HLS_LISTENER { "POST", HLS_LISTENER_PATH, hls_listener, NULL, UNLIMITED | NO_DB, \
	QUERY(listen_fields, struct stream_in), .summary = "Report a listener by HLS", \
	.shape = A_ONE, .out = hls_report_fields, .also = "401 403 422" }

const struct route	 http_described[] = { WHIP_ROUTES, HLS_LISTENER, ROUTES_END };

const struct route	 http_routes[] = {
	{ "GET", "/streaming-api/health", get_health, NULL, UNLIMITED | NO_DB },
	{ "GET", "/streaming-api/speaker", move_speaker, NULL, UNLIMITED | NO_DB },
	{ "GET", "/streaming-api/listener", move_listener, NULL, UNLIMITED | NO_DB },
	{ "GET", "/streaming-api/v1/speech-to-speech/stream", enter_s2s, NULL, SOCKET },
	{ "GET", "/streaming-api/{any}/v1/speech-to-speech/stream", enter_s2s, NULL, SOCKET },
	{ "GET", "/asr/v1/speech-to-text/stream", enter_stt, NULL, UNLIMITED,
	  QUERY(stt_fields, struct stt_query) },
	{ "GET", "/tts-api/v1/text-to-speech/stream", enter_tts, NULL, UNLIMITED, QUERY(tts_fields, struct stream_in) },
	LISTEN("/streaming-api/listen.ogg"),
	LISTEN("/streaming-api/listen.mp3"),
	{ "GET", WEBRTC_PATH, get_webrtc, NULL, UNLIMITED | NO_DB },
	{ "GET", WEBRTC_PATH "/rtc", enter_webrtc, NULL, SOCKET },
	{ "GET", WEBRTC_PATH "/rtc/validate", validate_webrtc, NULL, SOCKET },
	WHIP_ROUTES,
	{ "GET", HLS_PATH, hls_get, NULL, UNLIMITED | NO_DB },
	HLS_LISTENER,
	NOTHING("POST"), NOTHING("PUT"), NOTHING("PATCH"), NOTHING("DELETE"),
	ROUTES_END,
};
/* clang-format on */

const struct sql *const http_routes_prepared[] = { account_sql, idempotent_response_sql,
	channel_output_sql, channel_sql, credential_sql, glossary_sql,
	listener_join_sql, listening_sql, ledger_sql, node_sql, queue_sql, served_sql,
	held_sql, public_view_cache_sql, lease_sql, session_sql, transcript_sql,
	voice_sql, NULL };

/* ---- one request ---- */

/* Returns the path to route: without WebRTC, WEBRTC_PATH for all paths below it. */
static const char *
target_of(struct arena *mem, const struct gateway *g, const char *target)
{
	target = target_below(g->conf, target);
	if (!webrtc_is_below(target))
		return target;
	return g->webrtc_thread != NULL ? webrtc_target(mem, target) : WEBRTC_PATH;
}

static const char *
token_of(struct request *rq)
{
	const char *token = webrtc_is_below(rq->target)
				? webrtc_token(rq)
				: json_get_text(query_read(rq), "token");

	return token != NULL && token[0] != '\0' ? token : NULL;
}

size_t
http_routes_body(const struct gateway *g, const struct http_head *h)
{
	return whip_body_bytes(g->conf, h);
}

struct connection_request *
http_routes_answer(struct gateway *g, struct arena *mem, const struct http_head *h,
    const char *peer, struct buf *to)
{
	struct entry k = { .gateway = g, .head = h };
	struct request rq = { .mem = mem,
		.app = &g->app,
		.conf = g->conf,
		.db = g->app.db,
		.method = h->method,
		.target = target_of(mem, g, h->target),
		.peer = http_head_peer(mem, h, peer, g->conf->serve_proxies),
		.line_bytes = h->line_bytes,
		.header_bytes = h->header_bytes,
		.param = entry_param,
		.read = http_reply_no_body,
		.wire = &k,
		.common.mem = mem,
		.head.mem = mem,
		.out.mem = mem };

	k.token = token_of(&rq);
	dispatch(&rq);
	if (g->webrtc_thread != NULL && webrtc_is_below(rq.target))
		webrtc_plain(&rq);
	whip_options(&rq);
	if (k.in != NULL && rq.status == 200)
		k.in->http = http_reply_audio(&rq, h, k.in->call.message.mem);
	if (k.in != NULL && rq.status == 201)
		whip_admitted(&rq, k.in);
	if (k.in != NULL && k.in->hls != NULL)
		return k.in;
	if (k.in != NULL && rq.status < 300) {
		if (k.in->http != NULL || k.in->whip != NULL)
			http_reply_refusal(&rq, k.in);
		/* counted now: in transit it already holds its slot */
		g->connections++;
		g->n_participants += k.in->signal != NULL;
		listener_limit_add(g, k.in);
		return k.in;
	}
	if (k.in != NULL) /* the transaction was rolled back */
		arena_free(k.in->call.message.mem);
	http_reply_write(&rq, to);
	return NULL;
}
