/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * /auth and /saas/key: the credentials of an account. A key or a sign-in link is
 * exchanged for an API token, which is all that a browser stores. The token names its
 * credential and becomes void when that is revoked.
 */
#include <string.h>

#include "base/clock.h"
#include "base/token.h"
#include "service/credential_issue.h"
#include "store/idempotent_responses.h"
#include "web/ratelimit.h"
#include "web/web.h"

#define TTL_S 28800
/* keys of an account at most, with those revoked within a month */
#define KEYS_MOST 1000

/* ---- input and output ---- */

struct token_in {
	const char *link, *scope;
	int64_t ttl_s;
};

struct token_out {
	const char *token, *scope;
	int64_t expires_us;
};

struct key_in {
	const char *name;
	struct list scopes; /* list of const char * */
	int64_t expires_us;
};

struct made {
	struct credential key;
	const char *api_key;
};

struct me {
	const char *id, *name;
	struct list scopes;
	struct plan plan;
	struct me_credential {
		const char *kind, *name;
		int64_t expires_us;
	} credential;
};

static const char *
scope_check(const char *s)
{
	return scope_known(s) ? NULL : "is no scope";
}

/* clang-format off */
static const struct field	 token_in_fields[] = FIELDS(
	{ "link",  F_TEXT, MEMBER(token_in, link),  1, 128,     F_IN, .help = "The part of a sign-in link after `#link=`, instead of a credential." },
	{ "scope", F_TEXT, MEMBER(token_in, scope), 0, 1024,    F_IN, .help = "Scopes separated by blanks, a subset of the credential's; absent: all of them." },
	{ "ttl_s", F_INT,  MEMBER(token_in, ttl_s), 60, 86400,  F_IN, .help = "Seconds that the token is valid; default 28,800. It expires with its key at the latest." }
);
static const struct field	 token_out_fields[] = FIELDS(
	{ "token",      F_TEXT, MEMBER(token_out, token),      .flags = F_OUT },
	{ "expires_at", F_TIME, MEMBER(token_out, expires_us), .flags = F_OUT },
	{ "scope",      F_TEXT, MEMBER(token_out, scope),      .flags = F_OUT, .help = "Its scopes, separated by blanks." }
);
static const struct field	 scope_item[] = { { "", F_TEXT, 0, 1, 40, F_IN, scope_check } };
static const struct field	 key_in_fields[] = FIELDS(
	{ "name",       F_TEXT, MEMBER(key_in, name), 1, 64,  F_IN | F_REQUIRED },
	{ "scopes",     F_LIST, MEMBER(key_in, scopes), 1, 32, F_IN | F_REQUIRED, .of = scope_item,
	                .size = sizeof(const char *), .help = "Its scopes, a subset of those of the caller's credential." },
	{ "expires_at", F_TIME, MEMBER(key_in, expires_us), .flags = F_IN, .help = "When it expires; absent: it is valid until it is revoked." }
);
static const struct field	 made_fields[] = FIELDS(
	{ "key_id",       F_TEXT, MEMBER(made, key.id),         .flags = F_OUT },
	{ "kind",         F_TEXT, MEMBER(made, key.kind),       .flags = F_OUT },
	{ "name",         F_TEXT, MEMBER(made, key.label),      .flags = F_OUT },
	{ "scopes",       F_LIST, MEMBER(made, key.scope_list), .flags = F_OUT },
	{ "created_at",   F_TIME, MEMBER(made, key.created_us), .flags = F_OUT },
	{ "last_used_at", F_TIME, MEMBER(made, key.used_us),    .flags = F_OUT | F_NULLABLE },
	{ "expires_at",   F_TIME, MEMBER(made, key.expires_us), .flags = F_OUT | F_NULLABLE },
	{ "api_key",      F_TEXT, MEMBER(made, api_key),        .flags = F_OUT, .help = "The key itself, shown only once." }
);
static const struct field	 me_credential_fields[] = FIELDS(
	{ "kind",       F_TEXT, MEMBER(me_credential, kind),       .flags = F_OUT, .help = "`key`, `pair` or `token`." },
	{ "name",       F_TEXT, MEMBER(me_credential, name),       .flags = F_OUT | F_NULLABLE, .help = "Its name; of a token, that of the key it was made with; null: the operator made the token." },
	{ "expires_at", F_TIME, MEMBER(me_credential, expires_us), .flags = F_OUT | F_NULLABLE }
);
static const struct field	 me_fields[] = FIELDS(
	{ "user_id",    F_TEXT, MEMBER(me, id),         .flags = F_OUT },
	{ "name",       F_TEXT, MEMBER(me, name),       .flags = F_OUT },
	{ "scopes",     F_LIST, MEMBER(me, scopes),     .flags = F_OUT, .help = "The scopes of the request's credential; `*`: all." },
	{ "plan",       F_OBJ,  MEMBER(me, plan),       .flags = F_OUT, .of = plan_fields },
	{ "credential", F_OBJ,  MEMBER(me, credential), .flags = F_OUT, .of = me_credential_fields }
);
static const struct field	 page_fields[] = FIELDS(PAGE_FIELDS);
/* clang-format on */

/* ---- tokens ---- */

/* Check that `had` contains each scope of `asked`. NULL: *no is the refusal. */
static const char *
grantable(struct request *rq, const char *asked, const char *had, struct reply *no)
{
	struct credential c = { .scopes = asked };

	credential_fill_view(rq->mem, &c);
	for (size_t i = 0; i < c.scope_list.n; i++) {
		const char *one = ((const char **)c.scope_list.items)[i];

		if (!scope_has(had, one)) {
			*no = auth_no_scope(rq, one);
			return NULL;
		}
	}
	return asked;
}

/*
 * Issue a token of that credential. It is valid for as long as asked, but not longer
 * than the credential; until_us NULL_INT: the credential does not expire.
 */
static struct reply
issue_token(struct request *rq, struct api_token *t, int64_t until_us)
{
	const struct token_in *in = rq->in;
	int64_t now = now_us(), ttl_s = in->ttl_s != NULL_INT ? in->ttl_s : TTL_S;
	struct token_out to = { .scope = t->scope };

	if (until_us != NULL_INT && ttl_s > (until_us - now) / S_US)
		ttl_s = (until_us - now) / S_US;
	if (ttl_s < 1)
		return auth_needed(rq, "The credential has less than a second left.");
	to.expires_us = now - now % S_US + ttl_s * S_US;
	to.token = token_make(
	    rq->mem, rq->conf->token_secrets, rq->conf->token_issuer, now, ttl_s, t);
	return reply_one(rq, 201, token_out_fields, &to, 0);
}

static struct reply
token_of_key(struct request *rq)
{
	const struct token_in *in = rq->in;
	struct credential c;
	struct api_token t;
	struct reply no;
	enum err e;

	if (rq->who == NULL)
		return auth_needed(rq, "A credential or a link is needed.");
	if (rq->who->token_us != 0)
		return auth_needed(
		    rq, "A token cannot create another one: send a key.");
	if (rq->who->joined)
		return auth_needed(
		    rq, "A token belongs to one credential: send only one.");
	t = (struct api_token){ .sub = rq->who->account, .key = rq->who->credential };
	t.scope = grantable(
	    rq, in->scope != NULL ? in->scope : rq->who->scopes, rq->who->scopes, &no);
	if (t.scope == NULL)
		return no;
	e = credential_get(rq->db, rq->mem, t.sub, t.key, &c);
	return e == OK ? issue_token(rq, &t, c.expires_us) : problem_err(rq, e);
}

/*
 * The link is looked up without a lock, so guessing costs no more than any other
 * request.
 */
static struct reply
token_of_link(struct request *rq)
{
	const struct token_in *in = rq->in;
	const char *hash = hash_hex(rq->mem, in->link, strlen(in->link));
	int64_t ttl_s = in->ttl_s != NULL_INT ? in->ttl_s : TTL_S;
	struct credential c;
	struct api_token t;
	struct reply no;
	enum err e;

	if ((e = credential_link(rq->db, rq->mem, hash, &c, &t.sub)) == ERR_NOT_FOUND)
		return auth_unknown(rq);
	t.key = c.id;
	if (e == OK &&
	    (t.scope = grantable(
		 rq, in->scope != NULL ? in->scope : c.scopes, c.scopes, &no)) == NULL)
		return no;
	if (e != OK || (e = db_begin(rq->db)) != OK ||
	    (e = credential_exchange(rq->db, c.id, now_us() + (ttl_s + 1) * S_US)) !=
		OK)
		return e == ERR_CONFLICT
			   ? problem(rq, P_LINK_USED, "The link was used before.")
			   : problem_err(rq, e);
	return issue_token(rq, &t, NULL_INT);
}

static struct reply
make_token(struct request *rq)
{
	const struct token_in *in = rq->in;

	return in->link != NULL ? token_of_link(rq) : token_of_key(rq);
}

static struct fault *
token_rules(struct request *rq)
{
	const struct token_in *in = rq->in;
	const char *wrong =
	    in->scope != NULL ? scope_unknown(rq->mem, in->scope) : NULL;

	return wrong != NULL ? fault_add(rq->mem, NULL, "/data/scope",
				   "scope must contain only known scopes.")
			     : NULL;
}

static struct list
scopes_of(struct request *rq, const char *scopes)
{
	struct credential c = { .scopes = scopes };

	credential_fill_view(rq->mem, &c);
	return c.scope_list;
}

static struct reply
get_me(struct request *rq)
{
	const struct caller *who = rq->who;
	struct credential c = { .expires_us = NULL_INT };
	struct me me = { .id = who->account,
		.scopes = scopes_of(rq, who->scopes),
		.plan = who->plan };
	struct account a;
	enum err e = account_get(rq->db, rq->mem, who->account, &a);

	if (e == OK && who->credential[0] != '\0')
		e = credential_get(rq->db, rq->mem, who->account, who->credential, &c);
	if (e != OK)
		return problem_err(rq, e);
	me.name = a.name;
	me.credential = (struct me_credential){ c.kind, c.label, c.expires_us };
	if (who->token_us != 0) {
		me.credential.kind = "token";
		me.credential.expires_us = who->token_us;
	}
	return reply_one(rq, 200, me_fields, &me, 0);
}

/* ---- keys ---- */

static struct fault *
key_rules(struct request *rq)
{
	const struct key_in *in = rq->in;

	if (in->expires_us == NULL_INT || in->expires_us > now_us())
		return NULL;
	return fault_add(
	    rq->mem, NULL, "/data/expires_at", "expires_at must be in the future.");
}

static const char *
joined(struct request *rq, const struct list *scopes)
{
	struct buf b = { .mem = rq->mem };

	for (size_t i = 0; i < scopes->n; i++)
		buf_printf(&b, "%s%s", i > 0 ? " " : "",
		    ((const char *const *)scopes->items)[i]);
	return buf_text(&b);
}

static struct reply
add_key(struct request *rq)
{
	const struct key_in *in = rq->in;
	struct made m = { .key = { .label = in->name, .expires_us = in->expires_us } };
	struct reply no;
	int64_t n;
	enum err e;

	m.key.scopes = grantable(rq, joined(rq, &in->scopes), rq->who->scopes, &no);
	if (m.key.scopes == NULL)
		return no;
	if ((e = db_begin(rq->db)) != OK ||
	    (e = credential_count(rq->db, rq->who->account, &n)) != OK)
		return problem_err(rq, e);
	if (n >= KEYS_MOST)
		return problem(rq, P_KEY_LIMIT,
		    "An account may have %d keys, including those revoked this month.",
		    KEYS_MOST);
	e = credential_issue_key(rq->db, rq->mem, rq->who->account, &m.key, &m.api_key);
	if (e != OK)
		return problem_err(rq, e);
	credential_fill_view(rq->mem, &m.key);
	return reply_one(rq, 201, made_fields, &m, 0);
}

static struct reply
list_keys(struct request *rq)
{
	const struct page *p = rq->query;
	const struct list_cursor from = { page_ascending(p), p->after_us, p->after_id,
		page_limit(p) + 1 };
	struct list l;
	enum err e = credential_keys(rq->db, rq->mem, rq->who->account, &from, &l);

	if (e != OK)
		return problem_err(rq, e);
	return reply_page(rq, key_fields, l, ITEM(credential, created_us, id));
}

static enum err
find_key(struct request *rq)
{
	struct credential *c = rq->it = arena_alloc(rq->mem, sizeof(*c));

	return credential_key(rq->db, rq->mem, rq->who->account, rq->args[0], c);
}

/*
 * The caller must hold all scopes of the key that it revokes.
 *
 * Commit before the caches are cleared. Otherwise another process could cache the key
 * as valid again.
 */
static struct reply
drop_key(struct request *rq)
{
	const struct credential *c = rq->it;
	struct reply no;
	enum err e = OK;

	if (grantable(rq, c->scopes, rq->who->scopes, &no) == NULL)
		return no;
	if (scope_has(c->scopes, "*") &&
	    (c->expires_us == NULL_INT || c->expires_us > now_us()))
		e = credential_other_full(rq->db, rq->who->account, c->id);
	if (e == ERR_NOT_FOUND)
		return problem(
		    rq, P_LAST_KEY, "No other key of the account has every scope.");
	if (e != OK || (e = credential_revoke(rq->db, c->id)) != OK ||
	    (e = db_commit(rq->db)) != OK)
		return problem_err(rq, e);
	limits_forget_callers(rq->conf->state_dir);
	return reply_null(rq, 200);
}

/* clang-format off */
const struct route	 key_routes[] = {
	{ "POST", "/auth/token", make_token, NULL, JSON_BODY | PUBLIC | MAY_KNOW,
	  BODY(token_in_fields, struct token_in), .rules = token_rules,
	  .summary = "Exchange a key or a sign-in link for a token", .shape = A_ONE, .status = 201,
	  .out = token_out_fields, .also = "401 403 409" },
	{ "GET", "/auth/me", get_me, ANY_SCOPE,
	  .summary = "Read the account, scopes and plan of the caller", .shape = A_ONE, .out = me_fields },
	{ "POST", "/saas/key", add_key, "keys:write", JSON_BODY | IDEMPOTENT,
	  BODY(key_in_fields, struct key_in), .rules = key_rules,
	  .summary = "Make a key", .shape = A_ONE, .status = 201, .out = made_fields },
	{ "GET", "/saas/keys", list_keys, "keys:read", QUERY(page_fields, struct page), .token = "token",
	  .summary = "List keys", .shape = A_PAGE, .out = key_fields },
	{ "DELETE", "/saas/key/{key_id}", drop_key, "keys:write", LOCKED, find_key,
	  .summary = "Revoke a key", .shape = A_NULL, .also = "403 409" },
	ROUTES_END,
};
/* clang-format on */

PROGRAM("keys", key_routes, account_sql, credential_sql, idempotent_response_sql)
