#include "base/token.h"

#include <jwt.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/base64.h"
#include "base/clock.h"
#include "base/hash.h"
#include "base/id.h"
#include "base/json.h"
#include "base/json_writer.h"

#define AUDIENCE "dragoman-api"
#define STREAMS "stream"
#define LEEWAY_S 30
#define STREAM_LEEWAY_S 60
#define LONGEST_S 86400
#define FARTHEST_S INT64_C(1000000000000)

struct secret {
	const char *kid, *key;
};

/* The next of "KID:SECRET KID:SECRET". */
static bool
next_secret(struct arena *mem, const char **list, struct secret *to)
{
	size_t n;
	char *item;

	*list += strspn(*list, " ");
	n = strcspn(*list, " ");
	item = arena_dup(mem, *list, n);
	*list += n;
	to->kid = item;
	if ((item = strchr(item, ':')) == NULL)
		return false;
	*item = '\0';
	to->key = item + 1;
	return true;
}

/* A claim of any type; NULL when it is absent. */
static const struct json *
any_claim(struct arena *mem, jwt_t *jwt, const char *name)
{
	char *text = jwt_get_grants_json(jwt, name);
	const struct json *v = NULL;
	const char *why;

	if (text != NULL)
		v = json_read(mem, text, strlen(text), &why);
	free(text);
	return v;
}

static bool
is_audience(const struct json *aud, const char *us)
{
	if (aud == NULL)
		return false;
	if (aud->type == JSON_LIST) {
		for (aud = aud->kids; aud != NULL; aud = aud->next)
			if (aud->type == JSON_TEXT && strcmp(aud->u.s, us) == 0)
				return true;
		return false;
	}
	return aud->type == JSON_TEXT && strcmp(aud->u.s, us) == 0;
}

/*
 * A NumericDate, with or without a fraction; 0 when absent; false: it is none, or so
 * far away that it cannot be told in microseconds.
 */
static bool
time_claim(struct arena *mem, jwt_t *jwt, const char *name, int64_t *to)
{
	const struct json *v = any_claim(mem, jwt, name);

	*to = 0;
	if (v != NULL && v->type == JSON_INT && v->u.i > -FARTHEST_S &&
	    v->u.i < FARTHEST_S)
		*to = v->u.i;
	else if (v != NULL && v->type == JSON_NUMBER && fabs(v->u.r) < FARTHEST_S)
		*to = (int64_t)v->u.r;
	else
		return v == NULL;
	return true;
}

static bool
in_time(struct arena *mem, jwt_t *jwt, int64_t now_s)
{
	int64_t exp, nbf, iat;

	return time_claim(mem, jwt, "exp", &exp) && time_claim(mem, jwt, "nbf", &nbf) &&
	       time_claim(mem, jwt, "iat", &iat) && exp > now_s - LEEWAY_S &&
	       exp <= now_s + LONGEST_S + LEEWAY_S && nbf <= now_s + LEEWAY_S &&
	       iat <= now_s + LEEWAY_S;
}

static const char *
claim(struct arena *mem, jwt_t *jwt, const char *name)
{
	return arena_str(mem, jwt_get_grant(jwt, name));
}

static bool
claims_hold(struct arena *mem, jwt_t *jwt, const char *issuer, int64_t now_s,
    struct api_token *to)
{
	const char *iss = claim(mem, jwt, "iss");

	to->sub = claim(mem, jwt, "sub");
	to->scope = claim(mem, jwt, "scope");
	if (to->scope == NULL)
		to->scope = "";
	return iss != NULL && strcmp(iss, issuer) == 0 && to->sub != NULL &&
	       is_audience(any_claim(mem, jwt, "aud"), AUDIENCE) &&
	       in_time(mem, jwt, now_s);
}

/* Whether the token is signed by that secret; *to is freed by the caller. */
static bool
open_signed(const char *token, const struct secret *s, jwt_t **to)
{
	const char *kid, *alg;

	if (jwt_decode(to, token, (const unsigned char *)s->key, (int)strlen(s->key)) !=
	    0)
		return false;
	kid = jwt_get_header(*to, "kid");
	alg = jwt_get_header(*to, "alg"); /* libjwt takes it in any case */
	if (alg != NULL && strcmp(alg, "HS256") == 0 &&
	    (kid == NULL || strcmp(kid, s->kid) == 0))
		return true;
	jwt_free(*to);
	return false;
}

static bool
check_with(struct arena *mem, const char *token, const struct secret *s,
    const char *issuer, int64_t now_s, struct api_token *to)
{
	jwt_t *jwt;
	bool good;

	if (!open_signed(token, s, &jwt))
		return false;
	good = claims_hold(mem, jwt, issuer, now_s, to);
	jwt_free(jwt);
	return good;
}

/*
 * Three parts of base64url, none empty.  libjwt 1.10 takes any bytes, and writes
 * behind its memory when a part is empty.
 */
static bool
is_compact(const char *s)
{
	static const char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
				       "abcdefghijklmnopqrstuvwxyz0123456789-_";
	size_t n;

	for (int dots = 0; dots < 3; dots++, s += n + 1) {
		n = strspn(s, alphabet);
		if (n == 0 || n % 4 == 1 || s[n] != (dots < 2 ? '.' : '\0'))
			return false;
	}
	return true;
}

bool
token_check(struct arena *mem, const char *token, const char *secrets,
    const char *issuer, int64_t now_us, struct api_token *to)
{
	struct secret s;

	if (!is_compact(token))
		return false;
	while (next_secret(mem, &secrets, &s))
		if (check_with(mem, token, &s, issuer, now_us / S_US, to))
			return true;
	return false;
}

/*
 * The compact form (RFC 7515, 7.1) of claims in the order of their names, which is
 * that of libjwt: whoever makes a token, its bytes are the same.  Its own way there,
 * by a tree of them, costs as much as all else that a request does.
 */
static const char *
sign(struct arena *mem, const struct secret *s, const struct buf *claims)
{
	struct buf head = { .mem = mem }, b = { .mem = mem };
	struct json_writer j = { .out = &head };
	unsigned char mac[SHA256_BYTES];

	if (*s->key == '\0')
		abort();
	jw_open(&j, NULL);
	jw_text(&j, "alg", "HS256");
	jw_text(&j, "kid", s->kid);
	jw_text(&j, "typ", "JWT");
	jw_close(&j);
	buf_str(&b, base64url(mem, head.p, head.len));
	buf_str(&b, ".");
	buf_str(&b, base64url(mem, claims->p, claims->len));
	hmac(s->key, strlen(s->key), b.p, b.len, mac);
	buf_str(&b, ".");
	buf_str(&b, base64url(mem, mac, sizeof(mac)));
	return buf_text(&b);
}

const char *
token_make(struct arena *mem, const char *secrets, const char *issuer, int64_t now_us,
    int64_t ttl_s, const struct api_token *t)
{
	struct buf b = { .mem = mem };
	struct json_writer j = { .out = &b };
	struct secret s;

	if (!next_secret(mem, &secrets, &s))
		abort();
	jw_open(&j, NULL);
	jw_text(&j, "aud", AUDIENCE);
	jw_int(&j, "exp", now_us / S_US + ttl_s);
	jw_text(&j, "iss", issuer);
	jw_text(&j, "scope", t->scope);
	jw_text(&j, "sub", t->sub);
	jw_close(&j);
	return sign(mem, &s, &b);
}

/* What a media server grants its participant. */
static void
write_grants(struct json_writer *j, const struct stream_token *t)
{
	bool speaks = t->role == STREAM_PUBLISHER;

	jw_open(j, "video");
	jw_bool(j, "canPublish", speaks);
	jw_bool(j, "canPublishData", speaks);
	jw_bool(j, "canSubscribe", !t->silent);
	jw_text(j, "room", t->room);
	jw_bool(j, "roomJoin", true);
	jw_close(j);
}

/* What our own gateway wants to know besides. */
static void
write_own(struct json_writer *j, const struct stream_token *t)
{
	static const char *const roles[] = { "publisher", "subscriber", "listener" };

	jw_open(j, "dgm");
	if (t->role == STREAM_LISTENER) {
		if (t->code_version != 0)
			jw_int(j, "code_version", t->code_version);
		jw_text(j, "event_id", t->event);
		jw_text(j, "language", t->language);
		jw_text(j, "listener_id", t->listener);
	}
	jw_text(j, "role", roles[t->role]);
	jw_close(j);
}

static void
write_scopes(struct json_writer *j, const struct stream_token *t)
{
	jw_list(j, "scope");
	jw_text(j, NULL, "s2s");
	if (t->role == STREAM_PUBLISHER) {
		jw_text(j, NULL, "stt");
		jw_text(j, NULL, "tts");
	}
	jw_close(j);
}

const char *
stream_token_make(
    struct arena *mem, const char *keys, int64_t now_us, const struct stream_token *t)
{
	struct buf b = { .mem = mem };
	struct json_writer j = { .out = &b };
	struct secret s;

	if (!next_secret(mem, &keys, &s))
		abort();
	jw_open(&j, NULL);
	jw_text(&j, "aud", STREAMS);
	write_own(&j, t);
	jw_int(&j, "exp", t->expires_us / S_US);
	jw_text(&j, "iss", s.kid);
	jw_text(&j, "jti", t->seed ? id_derived(mem, t->seed, "jti") : id_new(mem));
	jw_int(&j, "nbf", now_us / S_US);
	jw_text(&j, "role", t->role == STREAM_PUBLISHER ? "publisher" : "subscriber");
	write_scopes(&j, t);
	jw_text(&j, "sid", t->sid);
	jw_text(&j, "sub", t->seed ? id_derived(mem, t->seed, "sub") : id_new(mem));
	write_grants(&j, t);
	jw_close(&j);
	return sign(mem, &s, &b);
}

static bool
grants(const struct json *video, const char *what)
{
	const struct json *v = json_get(video, what);

	return v != NULL && v->type == JSON_BOOL && v->u.b;
}

static bool
read_role(const char *role, enum stream_role *to)
{
	static const char *const roles[] = { [STREAM_PUBLISHER] = "publisher",
		[STREAM_SUBSCRIBER] = "subscriber",
		[STREAM_LISTENER] = "listener" };

	for (int i = 0; role != NULL && i <= STREAM_LISTENER; i++)
		if (strcmp(roles[i], role) == 0) {
			*to = (enum stream_role)i;
			return true;
		}
	return false;
}

/* 0 when it is absent: tokens had none before there was such a number. */
static int64_t
code_version(const struct json *own)
{
	const struct json *v = json_get(own, "code_version");

	return v != NULL && v->type == JSON_INT ? v->u.i : 0;
}

static bool
read_stream(struct arena *mem, jwt_t *jwt, int64_t now_s, struct stream_token *to)
{
	const struct json *video = any_claim(mem, jwt, "video");
	const struct json *own = any_claim(mem, jwt, "dgm");
	int64_t exp, nbf;

	*to = (struct stream_token){ .sid = claim(mem, jwt, "sid"),
		.room = json_get_text(video, "room"),
		.silent = !grants(video, "canSubscribe"),
		.speaks = grants(video, "canPublish"),
		.code_version = code_version(own),
		.event = json_get_text(own, "event_id"),
		.listener = json_get_text(own, "listener_id"),
		.language = json_get_text(own, "language") };
	if (!time_claim(mem, jwt, "exp", &exp) || !time_claim(mem, jwt, "nbf", &nbf))
		return false;
	to->expires_us = exp * S_US;
	return is_audience(any_claim(mem, jwt, "aud"), STREAMS) &&
	       exp > now_s - STREAM_LEEWAY_S && nbf <= now_s + STREAM_LEEWAY_S &&
	       to->sid != NULL && read_role(json_get_text(own, "role"), &to->role);
}

static bool
check_stream(struct arena *mem, const char *token, const struct secret *s,
    int64_t now_s, struct stream_token *to)
{
	const char *iss;
	jwt_t *jwt;
	bool good;

	if (!open_signed(token, s, &jwt))
		return false;
	iss = claim(mem, jwt, "iss");
	good =
	    iss != NULL && strcmp(iss, s->kid) == 0 && read_stream(mem, jwt, now_s, to);
	jwt_free(jwt);
	return good;
}

bool
stream_token_check(struct arena *mem, const char *token, const char *keys,
    int64_t now_us, struct stream_token *to)
{
	struct secret s;

	if (!is_compact(token))
		return false;
	while (next_secret(mem, &keys, &s))
		if (check_stream(mem, token, &s, now_us / S_US, to))
			return true;
	return false;
}
