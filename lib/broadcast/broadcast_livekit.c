/*
 * LiveKit: a broadcast is a room, kept by its RoomService, which is Twirp: each
 * call is a POST of JSON.  Whose a room is and what it carries stands in its
 * metadata.  A name is never used for a second room: participants of the first
 * one would meet in it.
 */
#include "broadcast/broadcast.h"

#include <stdlib.h>
#include <string.h>

#include "base/base64.h"
#include "base/clock.h"
#include "base/json.h"
#include "base/log.h"
#include "base/token.h"
#include "net/http.h"

#define TOKEN_S 60
#define ANSWER_BYTES (32 << 20) /* some ten thousand rooms */

/*
 * Left to itself LiveKit closes a room that nobody entered within 300 s, and 20 s
 * after the last one left.  Ours wait for their event and through its breaks, so
 * nobody but us removes them: ten years.
 */
#define STAYS_S 315360000

/* One operation; all its calls together have backend.timeout_ms. */
struct operation {
	const struct conf *conf;
	struct arena *mem;
	int64_t until_us; /* monotonic_us() at which it is over */
};

struct call {
	const char *method;
	const char *grant, *room; /* what its token allows; room may be NULL */
};

static struct operation
begin(const struct conf *c, struct arena *mem)
{
	return (struct operation){ c, mem, broadcast_until_us(c) };
}

static const char *
address(const struct operation *op, const char *method)
{
	const char *base = op->conf->livekit_api_url;
	size_t n;

	if (*base == '\0') /* ws or wss is http or https there */
		base = arena_printf(op->mem, "http%s", op->conf->livekit_url + 2);
	for (n = strlen(base); n > 0 && base[n - 1] == '/';)
		n--;
	return arena_printf(
	    op->mem, "%.*s/twirp/livekit.RoomService/%s", (int)n, base, method);
}

/* Twirp's codes for what may go better next time. */
static bool
is_passing(const char *code)
{
	static const char *const codes[] = { "unavailable", "deadline_exceeded",
		"internal", "resource_exhausted", "aborted", NULL };

	for (const char *const *c = codes; *c != NULL; c++)
		if (strcmp(*c, code) == 0)
			return true;
	return false;
}

/*
 * What an answer without success means; logged.  One that is not Twirp's comes
 * from before the service, and its text may repeat our token.
 */
static enum err
verdict(const struct operation *op, const char *method, const struct http_answer *a)
{
	const char *why, *code, *msg;
	const struct json *v = json_read(op->mem, a->body, a->body_len, &why);

	code = json_get_text(v, "code");
	msg = json_get_text(v, "msg");
	if (code != NULL && strcmp(code, "not_found") == 0) {
		log_info("livekit %s: %s", method, msg ? msg : code);
		return ERR_NOT_FOUND;
	}
	log_warn("livekit %s: %d %s: %s", method, a->status, code ? code : "no Twirp",
	    msg ? msg : "");
	if ((code != NULL && is_passing(code)) || http_verdict(a->status) == ERR_BUSY)
		return ERR_TIMEOUT;
	return ERR_REFUSED;
}

static enum err
garbled(const char *method)
{
	log_warn("livekit %s: the answer makes no sense", method);
	return ERR_TIMEOUT;
}

static enum err
post(const struct operation *op, const struct call *call, const struct buf *body,
    struct http_answer *to)
{
	const char *token = service_token_make(op->mem, op->conf->session_jwt_keys,
	    now_us(), TOKEN_S, call->grant, call->room);
	struct http_call http = {
		.method = "POST",
		.url = address(op, call->method),
		.headers = (const char *const[]){ "Content-Type: application/json",
		    arena_printf(op->mem, "Authorization: Bearer %s", token), NULL },
		.body = body->p,
		.body_len = body->len,
		.max_bytes = ANSWER_BYTES,
		.allow_private = true,
	};

	if (broadcast_hurry(&http, op->until_us))
		return http_do(op->mem, &http, to);
	log_warn("livekit %s: no time is left for it", call->method);
	return ERR_TIMEOUT;
}

/* *to: the object it answers.  ERR_NOT_FOUND: there is no such room. */
static enum err
ask(const struct operation *op, const struct call *call, const struct buf *body,
    const struct json **to)
{
	struct http_answer a;
	const char *why;

	/* Only LiveKit itself says no for good. */
	if (post(op, call, body, &a) != OK)
		return ERR_TIMEOUT;
	if (a.status != 200)
		return verdict(op, call->method, &a);
	*to = json_read(op->mem, a.body, a.body_len, &why);
	return *to != NULL && (*to)->type == JSON_OBJ ? OK : garbled(call->method);
}

/* ---- what a room is ---- */

static const char *
description(const struct operation *op, const struct broadcast *b)
{
	struct buf text = { .mem = op->mem };
	struct json_writer j = { .out = &text };

	jw_open(&j, NULL);
	jw_text(&j, "dragoman", broadcast_mark(op->conf, op->mem));
	jw_text(&j, "source_language", b->source_language);
	jw_raw(&j, "target_languages", b->target_languages);
	jw_close(&j);
	return buf_text(&text);
}

static enum err
describe(const struct operation *op, const char *name, const char *metadata)
{
	const struct call call = { "UpdateRoomMetadata", "roomAdmin", name };
	struct buf body = { .mem = op->mem };
	struct json_writer j = { .out = &body };
	const struct json *room;

	jw_open(&j, NULL);
	jw_text(&j, "room", name);
	jw_text(&j, "metadata", metadata);
	jw_close(&j);
	return ask(op, &call, &body, &room);
}

static enum err
make_room(const struct operation *op, const char *name, const char *metadata,
    const struct json **to)
{
	const struct call call = { "CreateRoom", "roomCreate", NULL };
	struct buf body = { .mem = op->mem };
	struct json_writer j = { .out = &body };

	jw_open(&j, NULL);
	jw_text(&j, "name", name);
	jw_int(&j, "empty_timeout", STAYS_S);
	jw_int(&j, "departure_timeout", STAYS_S);
	jw_text(&j, "metadata", metadata);
	jw_close(&j);
	return ask(op, &call, &body, to);
}

static bool
says(const struct json *room, const char *member, const char *text)
{
	const char *said = json_get_text(room, member);

	return said != NULL && strcmp(said, text) == 0;
}

static enum err
create_room(const struct conf *c, struct arena *mem, const struct broadcast *b)
{
	const struct operation op = begin(c, mem);
	const char *metadata = description(&op, b);
	const struct json *room;
	enum err e = make_room(&op, b->name, metadata, &room);

	if (e == OK && !says(room, "name", b->name))
		return garbled("CreateRoom");
	/* A room that is there already is answered as it stands. */
	if (e == OK && !says(room, "metadata", metadata))
		e = describe(&op, b->name, metadata);
	return e == ERR_NOT_FOUND ? ERR_TIMEOUT : e;
}

static enum err
change_room(const struct conf *c, struct arena *mem, const struct broadcast *b)
{
	const struct operation op = begin(c, mem);

	return describe(&op, b->name, description(&op, b));
}

static enum err
destroy_room(const struct conf *c, struct arena *mem, const char *name)
{
	const struct call call = { "DeleteRoom", "roomCreate", NULL };
	const struct operation op = begin(c, mem);
	struct buf body = { .mem = mem };
	struct json_writer j = { .out = &body };
	const struct json *nothing;
	enum err e;

	jw_open(&j, NULL);
	jw_text(&j, "room", name);
	jw_close(&j);
	e = ask(&op, &call, &body, &nothing);
	return e == ERR_NOT_FOUND ? OK : e;
}

/* ---- all of them ---- */

/* Adds the room if it is ours; false: it is none. */
static bool
see_room(const struct operation *op, const struct json *room, const char *mark,
    struct list *to)
{
	const char *name = json_get_text(room, "name");
	const char *text = json_get_text(room, "metadata"), *why;
	const struct json *about, *targets;
	struct broadcast_seen *all = to->items;

	if (name == NULL)
		return false;
	about = text != NULL ? json_read(op->mem, text, strlen(text), &why) : NULL;
	if (!says(about, "dragoman", mark))
		return true;
	targets = json_get(about, "target_languages");
	all[to->n++] = (struct broadcast_seen){ name, true,
		texts_read(op->mem, targets ? json_text(op->mem, targets) : NULL) };
	return true;
}

static int
by_name(const void *a, const void *b)
{
	const struct broadcast_seen *x = a, *y = b;

	return strcmp(x->name, y->name);
}

static enum err
ask_rooms(const struct operation *op, const struct json **to)
{
	static const struct call call = { "ListRooms", "roomList", NULL };
	static const struct json none = { .type = JSON_LIST };
	struct buf body = { .mem = op->mem };
	const struct json *all;
	enum err e;

	buf_str(&body, "{}");
	if ((e = ask(op, &call, &body, &all)) != OK)
		return e == ERR_NOT_FOUND ? ERR_TIMEOUT : e;
	*to = json_get(all, "rooms");
	if (*to == NULL && all->n == 0) /* protobuf may leave out what is empty */
		*to = &none;
	return *to != NULL && (*to)->type == JSON_LIST ? OK : garbled(call.method);
}

static enum err
list_rooms(const struct conf *c, struct arena *mem, struct list *to)
{
	const struct operation op = begin(c, mem);
	const char *mark = broadcast_mark(c, mem);
	const struct json *rooms, *room;
	enum err e;

	*to = (struct list){ 0 };
	if ((e = ask_rooms(&op, &rooms)) != OK)
		return e;
	to->items = arena_alloc(mem, (rooms->n + 1) * sizeof(struct broadcast_seen));
	for (room = rooms->kids; room != NULL; room = room->next)
		if (!see_room(&op, room, mark, to))
			return garbled("ListRooms");
	qsort(to->items, to->n, sizeof(struct broadcast_seen), by_name);
	return OK;
}

/* ---- settings ---- */

/* "SCHEME://...", or with an s behind the scheme. */
static bool
is_address(const char *url, const char *scheme)
{
	size_t n = strlen(scheme);

	if (strncmp(url, scheme, n) != 0 || strpbrk(url, "?# ") != NULL)
		return false;
	url += n + (url[n] == 's');
	return strncmp(url, "://", 3) == 0 && url[3] != '\0' && url[3] != '/';
}

/* Whether conf.c made the first key, of which no LiveKit can know. */
static bool
is_home_made(const struct conf *c)
{
	unsigned char key[SHA256_BYTES];
	const char *secret = strchr(c->session_jwt_keys, ':');
	struct arena *mem = arena_new();
	const char *made;
	bool same;

	conf_key(c, "stream token", key);
	made = base64url(mem, key, sizeof(key));
	same = secret != NULL && strcmp(secret + 1, made) == 0;
	arena_free(mem);
	return same;
}

static const char *
lacks(const struct conf *c)
{
	if (!is_address(c->livekit_url, "ws"))
		return "livekit.url must be a ws or wss address.";
	if (*c->livekit_api_url != '\0' && !is_address(c->livekit_api_url, "http"))
		return "livekit.api_url must be an http or https address.";
	if (is_home_made(c))
		return "session.jwt_keys must name LiveKit's API key and its secret.";
	return NULL;
}

static const char *
public_url(const struct conf *c, struct arena *mem)
{
	(void)mem;
	return c->livekit_url;
}

static const char *const protocols[] = { "webrtc_push", NULL };

const struct broadcast_driver broadcast_livekit = {
	.name = "livekit",
	.inputs = protocols,
	.outputs = protocols,
	.unbuilt =
	    "There is no bridge into its rooms, so nobody would translate there.",
	.lacks = lacks,
	.webrtc = true,
	.webrtc_url = public_url,
	.create = create_room,
	.change = change_room,
	.destroy = destroy_room,
	.list = list_rooms,
};
