/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Authentication and rate limits.  One valid credential is enough; several valid ones
 * must belong to one account, and their scopes are combined.  An invalid one beside a
 * valid one is ignored, but counts as a guess of its address.  A credential is checked
 * before anything is counted, so the guesses of an address only slow down further
 * guesses.
 */
#include <string.h>
#include <strings.h>

#include "base/clock.h"
#include "base/hash.h"
#include "base/id.h"
#include "base/log.h"
#include "base/token.h"
#include "web/credential_cache.h"
#include "web/policy.h"
#include "web/ratelimit.h"

#define KEY_PREFIX "dgm_"
#define KEY_LENGTH 56 /* dgm_, 43 of base64url, _, 8 hex digits */

bool
scope_has(const char *scopes, const char *needed)
{
	size_t all = strlen(needed), n;
	size_t stem = strcspn(needed, ":");
	bool less =
	    strcmp(needed + stem, ":read") == 0 || strcmp(needed + stem, ":run") == 0;

	for (const char *s = scopes; *s != '\0'; s += n) {
		s += strspn(s, " ");
		n = strcspn(s, " ");
		if ((n == 1 && *s == '*') || (n == all && strncmp(s, needed, n) == 0))
			return true;
		if (less && n == stem + 6 && strncmp(s, needed, stem) == 0 &&
		    strncmp(s + stem, ":write", 6) == 0)
			return true;
	}
	return false;
}

/* what: the kind of limit, such as "requests" */
static struct reply
too_many(struct request *rq, const struct limit *l, int64_t max, const char *what)
{
	struct reply no = problem(
	    rq, P_RATE_LIMITED, "Over %lld %s in 60 seconds.", (long long)max, what);

	header(rq, "Retry-After", "%lld", (long long)l->reset_s);
	return no;
}

static void
add_limit_headers(
    struct request *rq, const char *name, const struct limit *l, int64_t max)
{
	struct buf *b = &rq->common;

	buf_str(b, "RateLimit-Policy: \"");
	buf_str(b, name);
	buf_str(b, "\";q=");
	buf_int(b, max);
	buf_str(b, ";w=60\r\nRateLimit: \"");
	buf_str(b, name);
	buf_str(b, "\";r=");
	buf_int(b, l->left);
	buf_str(b, ";t=");
	buf_int(b, l->reset_s);
	buf_str(b, "\r\n");
}

/* Count this request, and add headers with the rest of the limit. */
static struct limit
count(struct request *rq, const char *name, const char *who, int64_t max)
{
	struct limit l = { 0 };

	if (max > 0) {
		l = limit_count(rq->app->limits, name[0], who, max, now_us());
		add_limit_headers(rq, name, &l, max);
	}
	return l;
}

static bool
within(struct request *rq, const struct limit *l, int64_t max, struct reply *no)
{
	if (l->over)
		*no = too_many(rq, l, max, "requests");
	return !l->over;
}

bool
auth_public(struct request *rq, struct reply *no)
{
	int64_t max = rq->conf->rate_public_per_min;
	struct limit l = count(rq, "public", rq->network, max);

	return within(rq, &l, max, no);
}

struct reply
auth_guessed(struct request *rq, const struct limit *l, int64_t max)
{
	return too_many(rq, l, max, "wrong guesses");
}

bool
auth_guess(
    struct request *rq, char kind, const char *key, int64_t max, struct reply *no)
{
	struct limit l = limit_count(rq->app->limits, kind, key, max, now_us());

	if (l.over)
		*no = auth_guessed(rq, &l, max);
	return !l.over;
}

static bool
looks_like_key(const char *s)
{
	char sum[9];
	size_t n = strlen(s);

	if (n != KEY_LENGTH || strncmp(s, KEY_PREFIX, 4) != 0 || s[n - 9] != '_')
		return false;
	snprintf(sum, sizeof(sum), "%08x", crc(s, n - 9));
	return strcmp(sum, s + n - 8) == 0;
}

/*
 * The scopes of a token that its credential still has: those of a member change with
 * the role.
 */
static const char *
both(struct request *rq, const char *token, const char *credential)
{
	struct buf b = { .mem = rq->mem };
	const char *one;
	size_t n;

	if (strcmp(credential, "*") == 0 || strcmp(token, credential) == 0)
		return token;
	if (strcmp(token, "*") == 0)
		return credential;
	for (; *(token += strspn(token, " ")) != '\0'; token += n) {
		n = strcspn(token, " ");
		one = arena_dup(rq->mem, token, n);
		if (scope_has(credential, one))
			buf_printf(&b, "%s%s", b.len > 0 ? " " : "", one);
	}
	return buf_text(&b);
}

static enum err
by_token(struct request *rq, const char *token, struct caller *to)
{
	struct api_token t;
	enum err e;

	if (!token_check(rq->mem, token, rq->conf->token_secrets,
		rq->conf->token_issuer, now_us(), &t) ||
	    (t.sub = id_read(rq->mem, t.sub)) == NULL)
		return ERR_NOT_FOUND;
	if (t.key != NULL)
		e = caller_by_id(rq->db, rq->mem, rq->conf, t.key, t.sub, to);
	else
		e = caller_by_account(rq->db, rq->mem, rq->conf, t.sub, to);
	to->scopes = t.key != NULL && e == OK ? both(rq, t.scope, to->scopes) : t.scope;
	to->token_us = t.exp_us;
	return e;
}

static enum err
by_key(struct request *rq, const char *key, struct caller *to)
{
	struct credential_cache *cache = rq->app->credentials;
	uint64_t generation = limits_generation(rq->app->limits);
	const char *hash = hash_hex(rq->mem, key, strlen(key));
	int64_t now = monotonic_us();
	enum err e;

	if (cache != NULL && credential_cache_find(cache, generation, hash, now, to))
		return OK;
	e = caller_by_key(rq->db, rq->mem, rq->conf, hash, to);
	if (e == OK && cache != NULL)
		credential_cache_put(cache, generation, hash, now, to);
	return e;
}

static enum err
by_bearer(struct request *rq, const char *value, struct caller *to)
{
	if (strncasecmp(value, "Bearer ", 7) != 0)
		return ERR_NOT_FOUND;
	value += 7 + strspn(value + 7, " ");
	if (looks_like_key(value))
		return by_key(rq, value, to);
	return by_token(rq, value, to);
}

static enum err
by_pair(struct request *rq, const char *id, const char *secret, struct caller *to)
{
	const char *hash, *given;
	enum err e;

	if (id == NULL || secret == NULL || (id = id_read(rq->mem, id)) == NULL)
		return ERR_NOT_FOUND;
	if ((e = caller_by_client(rq->db, rq->mem, rq->conf, id, to, &hash)) != OK)
		return e;
	given = hash_hex(rq->mem, secret, strlen(secret));
	return same_bytes(hash, given, 2 * SHA256_BYTES) ? OK : ERR_NOT_FOUND;
}

/* Store the use, at most once a minute on this host: the write lock may be busy for
   longer. */
static void
note_use(struct request *rq, const struct caller *c)
{
	if (c->hour_us != 0 && c->credential[0] != '\0' &&
	    !limit_count(rq->app->limits, 'u', c->credential, 1, now_us()).over &&
	    caller_used(rq->db, c) != OK)
		log_info("cannot store the use of %s now", c->credential);
}

/* Add a credential to the caller. */
static enum err
join(struct request *rq, struct caller *who, const struct caller *more)
{
	note_use(rq, more);
	if (who->account == NULL) {
		*who = *more;
		return OK;
	}
	if (strcmp(who->account, more->account) != 0)
		return ERR_REFUSED;
	who->joined = true;
	if (who->credential[0] == '\0')
		who->credential = more->credential;
	who->scopes = arena_printf(rq->mem, "%s %s", who->scopes, more->scopes);
	return OK;
}

/* The value of a header; NULL: missing or empty. */
static const char *
value_of(struct request *rq, const char *name)
{
	const char *s = rq->param(rq, name);

	return s != NULL && s[strspn(s, " \t")] != '\0' ? s : NULL;
}

bool
auth_tried(struct request *rq)
{
	return auth_sent(rq) != NULL || value_of(rq, "HTTP_CLIENTID") != NULL ||
	       value_of(rq, "HTTP_CLIENTSECRET") != NULL;
}

const char *
auth_sent(struct request *rq)
{
	const char *s = value_of(rq, "HTTP_AUTHORIZATION");

	return s != NULL ? s : value_of(rq, "REDIRECT_HTTP_AUTHORIZATION");
}

/* Find the caller.  OK with who->account NULL: no valid credential was sent.  *failed
   is the number of invalid ones.  ERR_REFUSED: valid credentials of two accounts. */
static enum err
identify(struct request *rq, struct caller *who, int *failed)
{
	const char *bearer = auth_sent(rq);
	const char *id = value_of(rq, "HTTP_CLIENTID");
	const char *secret = value_of(rq, "HTTP_CLIENTSECRET");
	struct caller more = { 0 };
	enum err e = OK;

	if (bearer != NULL && (e = by_bearer(rq, bearer, &more)) == OK)
		e = join(rq, who, &more);
	*failed = e == ERR_NOT_FOUND;
	if ((e != OK && e != ERR_NOT_FOUND) || (id == NULL && secret == NULL))
		return e == ERR_NOT_FOUND ? OK : e;
	if ((e = by_pair(rq, id, secret, &more)) == OK)
		return join(rq, who, &more);
	*failed += e == ERR_NOT_FOUND;
	return e == ERR_NOT_FOUND ? OK : e;
}

#define REALM "Bearer realm=\"dragoman\""

struct reply
auth_unknown(struct request *rq)
{
	int64_t max = rq->conf->rate_auth_failures_per_min;
	struct reply no;

	if (!auth_guess(rq, 'f', rq->network, max, &no))
		return no;
	no = problem(
	    rq, P_UNAUTHORIZED, "The credential is unknown or no longer valid.");
	header(rq, "WWW-Authenticate", REALM ", error=\"invalid_token\"");
	return no;
}

struct reply
auth_needed(struct request *rq, const char *why)
{
	struct reply no = problem(rq, P_UNAUTHORIZED, "%s", why);

	header(rq, "WWW-Authenticate", REALM);
	return no;
}

static bool
authenticate(struct request *rq, struct reply *no)
{
	struct caller *who = arena_alloc(rq->mem, sizeof(*who));
	int failed;
	enum err e = identify(rq, who, &failed);

	if (e == OK && who->account != NULL) {
		if (failed > 0) /* counts the guess; the answer does not change */
			auth_guess(rq, 'f', rq->network,
			    rq->conf->rate_auth_failures_per_min, no);
		rq->who = who;
		return true;
	}
	if (e == ERR_REFUSED || (e == OK && failed > 0))
		*no = auth_unknown(rq);
	else if (e != OK)
		*no = problem_err(rq, e);
	else
		*no = auth_needed(rq, "This route needs a credential.");
	return false;
}

struct reply
auth_no_scope(struct request *rq, const char *scope)
{
	struct reply no =
	    problem(rq, P_NO_SCOPE, "This credential lacks the scope %s.", scope);

	header(rq, "WWW-Authenticate",
	    REALM ", error=\"insufficient_scope\", scope=\"%s\"", scope);
	return no;
}

static bool
authorize(struct request *rq, const char *scope, struct reply *no)
{
	if (strcmp(scope, ANY_SCOPE) == 0 || scope_has(rq->who->scopes, scope))
		return true;
	*no = auth_no_scope(rq, scope);
	return false;
}

bool
auth_pass(struct request *rq, const char *scope, struct reply *no)
{
	struct limit l;
	int64_t max;

	if (!authenticate(rq, no))
		return false;
	max = rq->who->plan.requests_per_min;
	l = count(rq, "account", rq->who->account, max);
	return authorize(rq, scope, no) && within(rq, &l, max, no);
}

bool
auth_covers(struct request *rq, const char *had, const char *asked, struct reply *no)
{
	const char *one;
	size_t n;

	for (; *(asked += strspn(asked, " ")) != '\0'; asked += n) {
		n = strcspn(asked, " ");
		one = arena_dup(rq->mem, asked, n);
		if (!scope_has(had, one)) {
			*no = auth_no_scope(rq, one);
			return false;
		}
	}
	return true;
}

struct reply
auth_ended(struct request *rq, enum err e)
{
	if (e != OK || (e = db_commit(rq->db)) != OK)
		return problem_err(rq, e);
	limits_forget_callers(rq->conf->state_dir);
	return reply_null(rq, 200);
}
