/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/token.h"

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

static const char *const roles[] = { [STREAM_PUBLISHER] = "publisher",
	[STREAM_SUBSCRIBER] = "subscriber",
	[STREAM_LISTENER] = "listener" };

struct secret {
	const char *kid, *key;
};

/* Read the next secret of "KID:SECRET KID:SECRET". */
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
 * Read a NumericDate, with or without a fraction; 0 if absent. False: invalid, or
 * beyond the range of microseconds.
 */
static bool
time_claim(const struct json *claims, const char *name, int64_t *to)
{
	const struct json *v = json_get(claims, name);

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
in_time(const struct json *claims, int64_t now_s, int64_t *exp_us)
{
	int64_t exp, nbf, iat;

	if (!time_claim(claims, "exp", &exp))
		return false;
	*exp_us = exp * S_US;
	return time_claim(claims, "nbf", &nbf) && time_claim(claims, "iat", &iat) &&
	       exp > now_s - LEEWAY_S && exp <= now_s + LONGEST_S + LEEWAY_S &&
	       nbf <= now_s + LEEWAY_S && iat <= now_s + LEEWAY_S;
}

static bool
claims_hold(
    const struct json *claims, const char *issuer, int64_t now_s, struct api_token *to)
{
	const char *iss = json_get_text(claims, "iss");

	to->sub = json_get_text(claims, "sub");
	to->scope = json_get_text(claims, "scope");
	to->key = json_get_text(claims, "key_id");
	if (to->scope == NULL)
		to->scope = "";
	return iss != NULL && strcmp(iss, issuer) == 0 && to->sub != NULL &&
	       (to->key != NULL || json_get(claims, "key_id") == NULL) &&
	       is_audience(json_get(claims, "aud"), AUDIENCE) &&
	       in_time(claims, now_s, &to->exp_us);
}

/* Returns the third part of a token, which signs the n bytes before its dot. */
static const char *
signature(struct arena *mem, const struct secret *s, const char *p, size_t n)
{
	unsigned char mac[SHA256_BYTES];

	hmac(s->key, strlen(s->key), p, n, mac);
	return base64url(mem, mac, sizeof(mac));
}

/* Decode a part up to its dot; NULL: not an object. */
static const struct json *
read_part(struct arena *mem, const char *part)
{
	const struct json *v = NULL;
	const char *why;
	size_t n;
	unsigned char *text = base64_read(mem, part, strcspn(part, "."), &n);

	if (text != NULL)
		v = json_read_last(mem, (const char *)text, n, JSON_DEPTH, &why);
	return v != NULL && v->type == JSON_OBJ && !json_holds_nul(v) ? v : NULL;
}

/* Returns the claims of a token; NULL: this secret did not sign it. */
static const struct json *
open_signed(struct arena *mem, const char *token, const struct secret *s)
{
	const char *dot = strchr(token, '.');
	const char *last = dot != NULL ? strchr(dot + 1, '.') : NULL;
	const char *good, *alg, *kid, *typ;
	const struct json *head;

	if (last == NULL || *s->key == '\0' || strpbrk(token, "+/=") != NULL)
		return NULL;
	good = signature(mem, s, token, (size_t)(last - token));
	if (strlen(last + 1) != strlen(good) ||
	    !same_bytes(last + 1, good, strlen(good)) ||
	    (head = read_part(mem, token)) == NULL)
		return NULL;
	alg = json_get_text(head, "alg");
	kid = json_get_text(head, "kid");
	typ = json_get_text(head, "typ");
	if (alg == NULL || strcmp(alg, "HS256") != 0 ||
	    (kid != NULL && strcmp(kid, s->kid) != 0) ||
	    (typ != NULL && strcasecmp(typ, "JWT") != 0))
		return NULL;
	return read_part(mem, dot + 1);
}

bool
token_check(struct arena *mem, const char *token, const char *secrets,
    const char *issuer, int64_t now_us, struct api_token *to)
{
	const struct json *claims;
	struct secret s;

	while (next_secret(mem, &secrets, &s))
		if ((claims = open_signed(mem, token, &s)) != NULL &&
		    claims_hold(claims, issuer, now_us / S_US, to))
			return true;
	return false;
}

/* Returns the compact form (RFC 7515, 7.1) of claims. */
static const char *
sign(struct arena *mem, const struct secret *s, const struct buf *claims)
{
	struct buf head = { .mem = mem }, b = { .mem = mem };
	struct json_writer j = { .out = &head };

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
	return arena_printf(mem, "%s.%s", buf_text(&b), signature(mem, s, b.p, b.len));
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
	if (t->key != NULL)
		jw_text(&j, "key_id", t->key);
	jw_text(&j, "scope", t->scope);
	jw_text(&j, "sub", t->sub);
	jw_close(&j);
	return sign(mem, &s, &b);
}

/* Write the grants of a participant at a media server. */
static void
write_json_get_bool(struct json_writer *j, const struct stream_token *t)
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

/* Write further claims for our own gateway. */
static void
write_own(struct json_writer *j, const struct stream_token *t)
{
	jw_open(j, "dgm");
	if (t->role == STREAM_LISTENER) {
		if (t->code_version != 0)
			jw_int(j, "code_version", t->code_version);
		jw_text(j, "event_id", t->event);
		if (t->bystander != NULL)
			jw_text(j, "kind", t->bystander);
		jw_text(j, "language", t->language);
		jw_text(j, "listener_id", t->listener);
	}
	jw_text(j, "role", roles[t->role]);
	if (t->role == STREAM_PUBLISHER && t->speaker_version != 0)
		jw_int(j, "speaker_version", t->speaker_version);
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
	write_json_get_bool(&j, t);
	jw_close(&j);
	return sign(mem, &s, &b);
}

static bool
grants_or(const struct json *video, const char *grant, bool absent)
{
	return json_get(video, grant) != NULL ? json_get_bool(video, grant) : absent;
}

/* True if the list of sources is absent or names the microphone. */
static bool
grants_microphone(const struct json *video)
{
	const struct json *v = json_get(video, "canPublishSources");

	return v == NULL || v->type != JSON_LIST || is_audience(v, "microphone");
}

/* Read the participant's claims, which LiveKit's clients need. */
static void
read_participant(struct arena *mem, const struct json *claims, const struct json *video,
    struct stream_token *to)
{
	const struct json *attributes = json_get(claims, "attributes");
	struct buf b = { .mem = mem };

	to->joins = json_get_bool(video, "roomJoin");
	to->sends_data = grants_or(video, "canPublishData", to->speaks);
	to->microphone = grants_microphone(video);
	to->hidden = json_get_bool(video, "hidden");
	to->identity = json_get_text(claims, "sub");
	to->name = json_get_text(claims, "name");
	to->metadata = json_get_text(claims, "metadata");
	if (attributes == NULL)
		return;
	jw_json(&(struct json_writer){ .out = &b }, NULL, attributes);
	to->attributes = buf_text(&b);
}

static bool
is_of_livekit(const struct json *claims)
{
	return json_get(claims, "aud") == NULL && json_get(claims, "sid") == NULL &&
	       json_get(claims, "dgm") == NULL;
}

/*
 * Read the members that only our own tokens have. A token of LiveKit's form is never a
 * listener's.
 */
static bool
read_own(const struct json *claims, struct stream_token *to)
{
	const char *role = json_get_text(json_get(claims, "dgm"), "role");

	if (is_of_livekit(claims)) {
		to->role = to->speaks ? STREAM_PUBLISHER : STREAM_SUBSCRIBER;
		return true;
	}
	if (to->sid == NULL || !is_audience(json_get(claims, "aud"), STREAMS))
		return false;
	for (int i = 0; role != NULL && i <= STREAM_LISTENER; i++)
		if (strcmp(roles[i], role) == 0) {
			to->role = (enum stream_role)i;
			return true;
		}
	return false;
}

static bool
read_stream(struct arena *mem, const struct json *claims, const char *issuer,
    int64_t now_s, struct stream_token *to)
{
	const struct json *video = json_get(claims, "video");
	const struct json *own = json_get(claims, "dgm");
	const char *iss = json_get_text(claims, "iss");
	bool absent = is_of_livekit(claims);
	int64_t exp, nbf;

	*to = (struct stream_token){ .sid = json_get_text(claims, "sid"),
		.room = json_get_text(video, "room"),
		.silent = !grants_or(video, "canSubscribe", absent),
		.speaks = grants_or(video, "canPublish", absent),
		/* Older tokens do not have this number. */
		.code_version = json_get_int(own, "code_version", 0),
		.speaker_version = json_get_int(own, "speaker_version", 0),
		.event = json_get_text(own, "event_id"),
		.bystander = json_get_text(own, "kind"),
		.listener = json_get_text(own, "listener_id"),
		.language = json_get_text(own, "language") };
	read_participant(mem, claims, video, to);
	if (!time_claim(claims, "exp", &exp) || !time_claim(claims, "nbf", &nbf))
		return false;
	to->expires_us = exp * S_US;
	return iss != NULL && strcmp(iss, issuer) == 0 &&
	       exp > now_s - STREAM_LEEWAY_S && nbf <= now_s + STREAM_LEEWAY_S &&
	       read_own(claims, to);
}

bool
stream_token_check(struct arena *mem, const char *token, const char *keys,
    int64_t now_us, struct stream_token *to)
{
	const struct json *claims;
	struct secret s;

	while (next_secret(mem, &keys, &s))
		if ((claims = open_signed(mem, token, &s)) != NULL &&
		    read_stream(mem, claims, s.kid, now_us / S_US, to))
			return true;
	return false;
}

/* ---- scopes ---- */

const char *const known_scopes[] = { "*", "balance:read", "channels:read",
	"channels:run", "channels:write", "events:read", "events:run", "events:write",
	"glossaries:read", "glossaries:write", "keys:read", "keys:write",
	"members:read", "members:write", "sessions:read", "sessions:write",
	"uploads:write", "voices:read", "voices:write", "webhooks:read",
	"webhooks:write", "s2s", "stt", "tts", NULL };

bool
scope_known(const char *scope)
{
	int i = 0;

	while (known_scopes[i] != NULL && strcmp(known_scopes[i], scope) != 0)
		i++;
	return known_scopes[i] != NULL;
}

const char *
scope_unknown(struct arena *mem, const char *list)
{
	const char *one;
	size_t n;

	for (; *(list += strspn(list, " ")) != '\0'; list += n) {
		n = strcspn(list, " ");
		one = arena_dup(mem, list, n);
		if (!scope_known(one))
			return one;
	}
	return NULL;
}
