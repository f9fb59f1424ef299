#include "server/http_routes.h"

#include <string.h>

#include "base/clock.h"
#include "server/admission.h"
#include "server/socket_quota.h"
#include "service/node.h"
#include "session/stt_query.h"
#include "store/channels.h"
#include "store/glossaries.h"
#include "store/idempotent_responses.h"
#include "store/ledger.h"
#include "store/listener_joins.h"
#include "store/nodes.h"
#include "store/served.h"
#include "store/sessions.h"
#include "store/voices.h"
#include "web/static_page.h"
#include "work/queue.h"

#define NAME_MOST 128
#define WEBRTC "/streaming-api/webrtc"

/* The type of request.wire in this file. */
struct upgrade {
	struct gateway *gateway;
	const struct http_head *head;
	const char *token; /* query parameter; NULL: none */
	struct connection_request *in;
};

static struct upgrade *
upgrade_of(const struct request *rq)
{
	return rq->wire;
}

/* Request header by CGI name.  A token in the query replaces Authorization. */
static const char *
get_param(const struct request *rq, const char *name)
{
	const struct upgrade *k = rq->wire;

	if (k->token != NULL && strcmp(name, "HTTP_AUTHORIZATION") == 0)
		return arena_printf(rq->mem, "Bearer %s", k->token);
	if (k->token != NULL && strncmp(name, "HTTP_CLIENT", 11) == 0)
		return NULL;
	return http_head_get_cgi(k->head, name);
}

/* ---- plain HTTP ---- */

struct health {
	int64_t connections, tasks, uptime_s;
};

/* clang-format off */
#define AT(m) offsetof(struct health, m)
static const struct field	 health_fields[] = {
	{ "connections", F_INT, AT(connections), .flags = F_OUT },
	{ "tasks",       F_INT, AT(tasks),       .flags = F_OUT },
	{ "uptime_s",    F_INT, AT(uptime_s),    .flags = F_OUT },
	FIELDS_END,
};
#undef AT
/* clang-format on */

static struct reply
get_health(struct request *rq)
{
	struct gateway *g = upgrade_of(rq)->gateway;
	struct health h = { .connections = g->connections,
		.tasks = g->tasks,
		.uptime_s = (monotonic_us() - g->begun_us) / S_US };

	return reply_one(rq, 200, health_fields, &h, 0);
}

static struct reply
no_webrtc(struct request *rq)
{
	return problem(
	    rq, P_NO_WEBRTC, "WebRTC is not configured on this server, use ws_url");
}

/* ---- sockets ---- */

/* clang-format off */
#define AT(m) offsetof(struct stream_in, m)
static const char *const	 switches[] = { "0", "1", NULL };
static const struct field	 stream_fields[] = {
	{ "language", F_TEXT, AT(language), 1, 16, F_IO | F_OPT },
	{ "audio",    F_ENUM, AT(audio), .flags = F_IO | F_OPT, .names = switches },
	FIELDS_END,
};
#undef AT
/* clang-format on */

/*
 * Begins with a struct stream_in.  `language` is read into `in`: it is the language
 * spoken, not one to listen to.
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
static const struct field	 stt_fields[] = {
	{ "format",               F_ENUM, AT(format), .flags = F_IO | F_OPT, .names = formats },
	{ "sample_rate",          F_INT,  AT(sample_rate), 8000, 48000, F_IO | F_OPT },
	{ "language",             F_TEXT, AT(language), 1, 16, F_IO | F_OPT },
	{ "translate_languages",  F_TEXT, AT(targets), 0, 256, F_IO | F_OPT },
	{ "enable_filler_filter", F_ENUM, AT(filter), .flags = F_IO | F_OPT, .names = answers },
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

static bool
is_open(struct request *rq, const struct gateway *g, struct reply *no)
{
	if (!g->stopping && g->connections < rq->conf->stream_max_connections)
		return true;
	*no = problem(rq, P_NO_GATEWAY, "The real-time gateway is %s.",
	    g->stopping ? "stopping" : "full");
	header(rq, "Retry-After", "5");
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
	if (stt_query_read(
		mem, upgrade_of(rq)->gateway->engines, &q->in, want, &faults))
		return true;
	*no = problem_faults(rq, NULL, faults);
	return false;
}

static bool
has_room(struct request *rq, const struct gateway *g,
    const struct connection_request *v, struct reply *no)
{
	const char *why;

	switch (socket_quota_is(g, v, &why)) {
	case SOCKET_QUOTA_FREE:
		return true;
	case SOCKET_QUOTA_IN_USE:
		*no = problem(rq, P_SOCKET_IN_USE, "%s", why);
		return false;
	default:
		*no = problem(rq, P_NO_GATEWAY, "%s", why);
		header(rq, "Retry-After", "5");
		return false;
	}
}

static struct reply
enter(struct request *rq, enum socket_kind kind)
{
	struct upgrade *k = upgrade_of(rq);
	struct connection_request *v = THREAD_CALL(struct connection_request);
	const struct stream_in *in = rq->query;
	const char *bearer = get_param(rq, "HTTP_AUTHORIZATION");
	struct stream_token t;
	struct reply no;
	bool good;

	v->kind = kind;
	v->network = arena_str(v->call.message.mem, rq->network);
	v->audio = in->audio == NULL || strcmp(in->audio, "1") == 0;
	good = is_upgrade(rq, k->head, &no) && is_open(rq, k->gateway, &no);
	if (good && bearer != NULL && strncmp(bearer, "Bearer ", 7) == 0 &&
	    stream_token_check(
		rq->mem, bearer + 7, rq->conf->session_jwt_keys, now_us(), &t))
		good = admission_by_token(rq, v, &t, &no);
	else if (good)
		good = admission_by_key(rq, v, &no);
	good = good && is_wanted(rq, v, &no) && has_room(rq, k->gateway, v, &no);
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

static struct reply
get_speaker(struct request *rq)
{
	struct list others;

	node_urls(rq->db, rq->mem, rq->conf, &others);
	return static_page(rq, "speaker.html", &others);
}

/* Old links lead here.  The browser keeps the fragment (#). */
static struct reply
move_listener(struct request *rq)
{
	const char *query = strchr(rq->target, '?');

	header(rq, "Location", "%s/listen/%s", rq->conf->server_base_url,
	    query != NULL ? query : "");
	return reply_empty(rq, 302);
}

/* clang-format off */
#define SOCKET UNLIMITED, .query = stream_fields, .query_size = sizeof(struct stream_in)
#define NOTHING(method) { method, WEBRTC, no_webrtc, NULL, UNLIMITED | NO_DB }

const struct route	 http_routes[] = {
	{ "GET", "/streaming-api/health", get_health, NULL, UNLIMITED | NO_DB },
	{ "GET", "/streaming-api/speaker", get_speaker, NULL, UNLIMITED | NO_DB },
	{ "GET", "/streaming-api/listener", move_listener, NULL, UNLIMITED | NO_DB },
	{ "GET", "/streaming-api/v1/speech-to-speech/stream", enter_s2s, NULL, SOCKET },
	{ "GET", "/streaming-api/{any}/v1/speech-to-speech/stream", enter_s2s, NULL, SOCKET },
	{ "GET", "/asr/v1/speech-to-text/stream", enter_stt, NULL, UNLIMITED,
	  QUERY(stt_fields, struct stt_query) },
	{ "GET", "/tts-api/v1/text-to-speech/stream", enter_tts, NULL, UNLIMITED,
	  QUERY(tts_fields, struct stream_in) },
	NOTHING("GET"), NOTHING("POST"), NOTHING("PUT"), NOTHING("PATCH"), NOTHING("DELETE"),
	ROUTES_END,
};
/* clang-format on */

const struct sql *const http_routes_prepared[] = { account_sql, idempotent_response_sql,
	channel_sql, glossary_sql, listener_join_sql, ledger_sql, node_sql, queue_sql,
	served_sql, session_sql, voice_sql, NULL };

/* ---- one request ---- */

/* Paths below WEBRTC are routed as WEBRTC. */
static const char *
target_of(struct arena *mem, const struct conf *c, const char *target)
{
	size_t n = strlen(WEBRTC);

	target = target_below(c, target);
	return strncmp(target, WEBRTC, n) == 0 && strchr("/?", target[n]) != NULL
		   ? arena_str(mem, WEBRTC)
		   : target;
}

static const char *
token_of(struct request *rq)
{
	const char *token = json_get_text(query_read(rq), "token");

	return token != NULL && token[0] != '\0' ? token : NULL;
}

static void
write_answer(struct request *rq, struct buf *to)
{
	buf_printf(to, "HTTP/1.1 %d \r\nConnection: close\r\n", rq->status);
	buf_put(to, rq->common.p, rq->common.len);
	buf_put(to, rq->head.p, rq->head.len);
	if (rq->status != 204)
		buf_printf(to, "Content-Length: %zu\r\n", rq->out.len);
	buf_str(to, "\r\n");
	if (strcmp(rq->method, "HEAD") != 0 && rq->status != 204)
		buf_put(to, rq->out.p, rq->out.len);
}

/* The client address; a local web server passes it in X-Forwarded-For. */
static const char *
peer_of(struct arena *mem, const struct http_head *h, const char *peer)
{
	const char *via = http_head_get(h, "X-Forwarded-For"), *last;

	if (via == NULL || strncmp(peer, "127.", 4) != 0)
		return peer;
	last = strrchr(via, ',');
	last = last != NULL ? last + 1 : via;
	return arena_str(mem, last + strspn(last, " \t"));
}

static size_t
no_body(struct request *rq, void *to, size_t n)
{
	(void)rq, (void)to, (void)n;
	return 0;
}

struct connection_request *
http_routes_answer(struct gateway *g, struct arena *mem, const struct http_head *h,
    const char *peer, struct buf *to)
{
	struct upgrade k = { .gateway = g, .head = h };
	struct request rq = { .mem = mem,
		.app = &g->app,
		.conf = g->conf,
		.db = g->app.db,
		.method = h->method,
		.target = target_of(mem, g->conf, h->target),
		.peer = peer_of(mem, h, peer),
		.line_bytes = h->line_bytes,
		.header_bytes = h->header_bytes,
		.param = get_param,
		.read = no_body,
		.wire = &k,
		.common.mem = mem,
		.head.mem = mem,
		.out.mem = mem };

	k.token = token_of(&rq);
	dispatch(&rq);
	if (rq.status == 101) {
		/* counted now: in transit it already holds its slot */
		g->connections++;
		socket_quota_add(g, k.in);
		return k.in;
	}
	if (k.in != NULL) /* the transaction was rolled back */
		arena_free(k.in->call.message.mem);
	write_answer(&rq, to);
	return NULL;
}
