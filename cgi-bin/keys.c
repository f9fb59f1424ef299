/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * /auth, /saas/key, /saas/member: the credentials and the people of an account. A key,
 * a sign-in link or an invitation is exchanged for an API token, which names its
 * credential and becomes void when that is revoked. A browser that stays signed in has
 * a refresh token, too.
 */
#include <string.h>

#include "base/clock.h"
#include "base/hash.h"
#include "base/qr.h"
#include "base/text.h"
#include "base/token.h"
#include "service/credential_issue.h"
#include "service/sign_in.h"
#include "store/idempotent_responses.h"
#include "store/members.h"
#include "web/ratelimit.h"
#include "web/web.h"

#define TTL_S 28800
#define BROWSER_BYTES 200 /* bytes stored of User-Agent */
/* keys of an account at most, with those revoked within a month */
#define KEYS_MOST 1000

/* ---- input and output ---- */

struct token_in {
	const char *link, *invite, *scope;
	int64_t ttl_s;
	bool remember;
};

struct refresh_in {
	const char *token;
};

struct token_out {
	const char *token, *scope;
	int64_t expires_us;
	const char *refresh_token; /* or NULL */
};

struct member_in {
	const char *name, *role;
};

struct invitation {
	const char *link, *qr_svg;
	int64_t expires_us;
};

struct invited {
	struct member member;
	struct invitation invitation;
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
	struct member member; /* id NULL: the credential is no member's */
};

static const char *
scope_check(const char *s)
{
	return scope_known(s) ? NULL : "is no scope";
}

/* clang-format off */
static const struct field	 token_in_fields[] = FIELDS(
	{ "link",  F_TEXT, MEMBER(token_in, link),  1, 128,     F_IN, .help = "The part of a sign-in link after `#link=`, instead of a credential." },
	{ "invite", F_TEXT, MEMBER(token_in, invite), 1, 128,   F_IN, .help = "The part of an invitation after `#invite=`, instead of a credential." },
	{ "remember", F_BOOL, MEMBER(token_in, remember), .flags = F_IN, .help = "With `link` or `invite`: the browser stays signed in. The answer has a `refresh_token` and a cookie." },
	{ "scope", F_TEXT, MEMBER(token_in, scope), 0, 1024,    F_IN, .help = "Scopes separated by blanks, a subset of the credential's; absent: all of them." },
	{ "ttl_s", F_INT,  MEMBER(token_in, ttl_s), 60, 86400,  F_IN, .help = "Seconds that the token is valid; default 28,800. It expires with its key at the latest." }
);
static const struct field	 token_out_fields[] = FIELDS(
	{ "token",      F_TEXT, MEMBER(token_out, token),      .flags = F_OUT },
	{ "expires_at", F_TIME, MEMBER(token_out, expires_us), .flags = F_OUT },
	{ "scope",      F_TEXT, MEMBER(token_out, scope),      .flags = F_OUT, .help = "Its scopes, separated by blanks." },
	{ "refresh_token", F_TEXT, MEMBER(token_out, refresh_token), .flags = F_OUT | F_OPT, .help = "For POST /auth/refresh within 30 days, once, by the same browser." }
);
static const struct field	 refresh_in_fields[] = FIELDS(
	{ "refresh_token", F_TEXT, MEMBER(refresh_in, token), 1, 128, F_IN | F_REQUIRED }
);
static const struct field	 member_in_fields[] = FIELDS(
	{ "name", F_TEXT, MEMBER(member_in, name), 1, 64, F_IN | F_REQUIRED },
	{ "role", F_ENUM, MEMBER(member_in, role), 0, 0,  F_IN | F_REQUIRED, .names = member_roles }
);
#define INVITATION(type, m)                                                            \
	{ "link",            F_TEXT, MEMBER(type, m link),       .flags = F_OUT, .help = "Signs in a browser once; shown only here." }, \
	{ "qr_svg",          F_TEXT, MEMBER(type, m qr_svg),     .flags = F_OUT }, \
	{ "link_expires_at", F_TIME, MEMBER(type, m expires_us), .flags = F_OUT }
static const struct field	 invitation_fields[] = FIELDS(INVITATION(invitation, ));
static const struct field	 invited_fields[] = FIELDS(
	{ "member_id",      F_TEXT, MEMBER(invited, member.id),         .flags = F_OUT },
	{ "name",           F_TEXT, MEMBER(invited, member.name),       .flags = F_OUT },
	{ "role",           F_TEXT, MEMBER(invited, member.role),       .flags = F_OUT },
	{ "status",         F_TEXT, MEMBER(invited, member.status),     .flags = F_OUT },
	{ "utc_created_at", F_TIME, MEMBER(invited, member.created_us), .flags = F_OUT },
	{ "last_seen_at",   F_TIME, MEMBER(invited, member.seen_us),    .flags = F_OUT | F_NULLABLE },
	INVITATION(invited, invitation.)
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
static const struct field	 me_member_fields[] = FIELDS(
	{ "member_id", F_TEXT, MEMBER(member, id),   .flags = F_OUT },
	{ "name",      F_TEXT, MEMBER(member, name), .flags = F_OUT },
	{ "role",      F_TEXT, MEMBER(member, role), .flags = F_OUT }
);
static const struct field	 me_fields[] = FIELDS(
	{ "user_id",    F_TEXT, MEMBER(me, id),         .flags = F_OUT },
	{ "name",       F_TEXT, MEMBER(me, name),       .flags = F_OUT },
	{ "scopes",     F_LIST, MEMBER(me, scopes),     .flags = F_OUT, .help = "The scopes of the request's credential; `*`: all." },
	{ "plan",       F_OBJ,  MEMBER(me, plan),       .flags = F_OUT, .of = plan_fields },
	{ "credential", F_OBJ,  MEMBER(me, credential), .flags = F_OUT, .of = me_credential_fields },
	{ "member",     F_OBJ,  MEMBER(me, member),     .flags = F_OUT | F_OPT, .of = me_member_fields }
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
 * Issue a token of that credential. It is valid for ttl_s, but not longer than the
 * credential; until_us NULL_INT: the credential does not expire. refresh: a token that
 * is sent with it, or NULL.
 */
static struct reply
issue_token(struct request *rq, struct api_token *t, int64_t ttl_s, int64_t until_us,
    const char *refresh)
{
	int64_t now = now_us();
	struct token_out to = { .scope = t->scope, .refresh_token = refresh };

	if (until_us != NULL_INT && ttl_s > (until_us - now) / S_US)
		ttl_s = (until_us - now) / S_US;
	if (ttl_s < 1)
		return auth_needed(rq, "The credential has less than a second left.");
	to.expires_us = now - now % S_US + ttl_s * S_US;
	to.token = token_make(
	    rq->mem, rq->conf->token_secrets, rq->conf->token_issuer, now, ttl_s, t);
	return reply_one(rq, 201, token_out_fields, &to, 0);
}

static int64_t
asked_s(const struct token_in *in)
{
	return in->ttl_s != NULL_INT ? in->ttl_s : TTL_S;
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
	return e == OK ? issue_token(rq, &t, asked_s(in), c.expires_us, NULL)
		       : problem_err(rq, e);
}

/* ---- sign-ins ---- */

#define COOKIE "dragoman"
#define COOKIE_CHARS 43

/* A cookie with this prefix is sent to its host alone, and over https alone. */
static const char *
cookie_name(const struct request *rq)
{
	return strncmp(rq->conf->server_base_url, "https:", 6) == 0 ? "__Host-" COOKIE
								    : COOKIE;
}

/* The value of the browser's cookie, or NULL. */
static const char *
cookie_sent(struct request *rq)
{
	static const char base64url[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
					"abcdefghijklmnopqrstuvwxyz0123456789-_";
	const char *s = rq->param(rq, "HTTP_COOKIE"), *name = cookie_name(rq);
	size_t n = strlen(name);

	for (; s != NULL && *s != '\0'; s += strcspn(s, ";")) {
		s += strspn(s, "; ");
		if (strncmp(s, name, n) == 0 && s[n] == '=' &&
		    strspn(s + n + 1, base64url) == COOKIE_CHARS)
			return arena_dup(rq->mem, s + n + 1, COOKIE_CHARS);
	}
	return NULL;
}

static void
send_cookie(struct request *rq, const char *value)
{
	header(rq, "Set-Cookie",
	    "%s=%s; Path=/; Max-Age=%d; HttpOnly; SameSite=Strict%s", cookie_name(rq),
	    value, SIGN_IN_S, cookie_name(rq)[0] == '_' ? "; Secure" : "");
}

/* The first characters of User-Agent, or NULL. */
static const char *
browser_of(struct request *rq)
{
	const char *s = rq->param(rq, "HTTP_USER_AGENT");

	if (s == NULL || *s == '\0')
		return NULL;
	s = arena_dup(rq->mem, s, strnlen(s, BROWSER_BYTES));
	return text_valid(s, strlen(s)) ? s : NULL;
}

/* Let the browser stay signed in. Returns its refresh token. */
static const char *
remember(struct request *rq, struct sign_in *s)
{
	const char *cookie = cookie_sent(rq);

	if (cookie == NULL)
		cookie = credential_secret(rq->mem);
	s->cookie_hash = hash_hex(rq->mem, cookie, strlen(cookie));
	send_cookie(rq, cookie);
	return sign_in_refresh_token(rq->mem, s);
}

/* The member of a link has signed in. */
static enum err
activate(struct request *rq, const char *account, const char *id)
{
	struct member m;
	enum err e;

	if (id == NULL)
		return OK;
	e = member_get(rq->db, rq->mem, account, id, &m);
	if (e != OK || strcmp(m.status, "active") == 0)
		return e;
	m.status = "active";
	return member_put(rq->db, &m);
}

/*
 * The link is looked up without a lock, so guessing costs no more than any other
 * request.
 */
static struct reply
token_of_link(struct request *rq, const char *secret)
{
	const struct token_in *in = rq->in;
	const char *hash = hash_hex(rq->mem, secret, strlen(secret)), *refresh = NULL;
	int64_t ttl_s = in->remember ? SIGN_IN_TOKEN_S : asked_s(in);
	struct sign_in s = { .refreshed_us = NULL_INT };
	struct credential c;
	struct api_token t;
	struct reply no;
	enum err e;

	if ((e = credential_link(rq->db, rq->mem, hash, &c, &t.sub)) == ERR_NOT_FOUND)
		return auth_unknown(rq);
	t.key = s.id = c.id;
	if (e == OK &&
	    (t.scope = grantable(
		 rq, in->scope != NULL ? in->scope : c.scopes, c.scopes, &no)) == NULL)
		return no;
	s.browser = browser_of(rq);
	s.expires_us = now_us() + (ttl_s + 1) * S_US;
	if (e == OK && in->remember)
		refresh = remember(rq, &s);
	if (e != OK || (e = db_begin(rq->db)) != OK ||
	    (e = credential_exchange(rq->db, &s)) != OK ||
	    (e = activate(rq, t.sub, c.member)) != OK)
		return e == ERR_CONFLICT
			   ? problem(rq, P_LINK_USED, "The link was used before.")
			   : problem_err(rq, e);
	return issue_token(rq, &t, ttl_s, NULL_INT, refresh);
}

static struct reply
refresh_token(struct request *rq)
{
	const struct refresh_in *in = rq->in;
	const char *cookie = cookie_sent(rq), *next;
	struct sign_in s;
	enum err e = sign_in_use(rq->db, rq->mem, in->token, cookie, &s, &next);

	if (e == ERR_NOT_FOUND)
		return auth_unknown(rq);
	if (e == ERR_REFUSED) {
		limits_forget_callers(rq->conf->state_dir);
		return auth_needed(
		    rq, "The refresh token was used twice; the sign-in has ended.");
	}
	if (e != OK)
		return problem_err(rq, e);
	send_cookie(rq, cookie);
	return issue_token(rq,
	    &(struct api_token){ .sub = s.account, .key = s.id, .scope = s.scopes },
	    SIGN_IN_TOKEN_S, s.expires_us, next);
}

/* Set *id to the member of the caller's credential; NULL: it is no member's. */
static enum err
member_of(struct request *rq, const char **id)
{
	const struct caller *who = rq->who;
	struct credential c = { .id = NULL };
	enum err e = OK;

	if (who->credential[0] != '\0')
		e = credential_get(rq->db, rq->mem, who->account, who->credential, &c);
	*id = c.member;
	return e;
}

static struct reply
list_sign_ins(struct request *rq)
{
	struct sign_in *s;
	const char *member;
	struct list l;
	enum err e = member_of(rq, &member);

	if (e == OK && scope_has(rq->who->scopes, "members:read"))
		member = NULL;
	else if (e == OK && member == NULL)
		return auth_no_scope(rq, "members:read");
	if (e != OK ||
	    (e = sign_in_list(rq->db, rq->mem, rq->who->account, member, &l)) != OK)
		return problem_err(rq, e);
	s = l.items;
	for (size_t i = 0; i < l.n; i++)
		s[i].current = strcmp(s[i].id, rq->who->credential) == 0;
	return reply_listed(rq, sign_in_fields, &l, sizeof(*s), NULL, NULL);
}

/* Commit before the caches are cleared, see drop_key(). */
static struct reply
ended(struct request *rq, enum err e)
{
	if (e != OK || (e = db_commit(rq->db)) != OK)
		return problem_err(rq, e);
	limits_forget_callers(rq->conf->state_dir);
	return reply_null(rq, 200);
}

/* End a sign-in; id NULL: all of the caller's, or of the account if a key asks. */
static struct reply
sign_out(struct request *rq, const char *id)
{
	bool any = scope_has(rq->who->scopes, "members:write");
	const char *member;
	int64_t n = 0;
	enum err e = member_of(rq, &member);

	if (e == OK && member == NULL && !any)
		return auth_no_scope(rq, "members:write");
	if (e == OK)
		e = sign_in_revoke(rq->db, rq->who->account,
		    any && id != NULL ? NULL : member, id, &n);
	if (e == OK && id != NULL && n == 0)
		e = ERR_NOT_FOUND;
	return ended(rq, e);
}

static struct reply
drop_sign_in(struct request *rq)
{
	return sign_out(rq, rq->args[0]);
}

static struct reply
drop_sign_ins(struct request *rq)
{
	return sign_out(rq, NULL);
}

static struct reply
make_token(struct request *rq)
{
	const struct token_in *in = rq->in;

	if (in->link != NULL || in->invite != NULL)
		return token_of_link(rq, in->link != NULL ? in->link : in->invite);
	return token_of_key(rq);
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
	if (c.member != NULL &&
	    (e = member_get(rq->db, rq->mem, who->account, c.member, &me.member)) !=
		OK &&
	    e != ERR_NOT_FOUND)
		return problem_err(rq, e);
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

/* ---- members ---- */

static enum err
find_member(struct request *rq)
{
	struct member *m = rq->it = arena_alloc(rq->mem, sizeof(*m));

	return member_get(rq->db, rq->mem, rq->who->account, rq->args[0], m);
}

/* Check that the caller has all scopes of a role. */
static bool
may_give(struct request *rq, const char *role, struct reply *no)
{
	return grantable(rq, member_scopes(role), rq->who->scopes, no) != NULL;
}

static enum err
invite(struct request *rq, const struct member *m, struct invitation *to)
{
	const char *secret;
	enum err e = credential_issue_invitation(rq->db, rq->mem, m, &secret);

	to->expires_us = now_us() + INVITE_S * S_US;
	to->link = arena_printf(
	    rq->mem, "%s/console/#invite=%s", rq->conf->server_base_url, secret);
	to->qr_svg = qr_svg(rq->mem, to->link);
	return e;
}

static struct reply
add_member(struct request *rq)
{
	const struct member_in *in = rq->in;
	struct invited to = { .member = { .account = rq->who->account,
				  .name = in->name,
				  .role = in->role,
				  .status = "invited" } };
	struct reply no;
	enum err e;

	if (!may_give(rq, in->role, &no))
		return no;
	if ((e = db_begin(rq->db)) != OK ||
	    (e = member_add(rq->db, rq->mem, &to.member)) != OK ||
	    (e = invite(rq, &to.member, &to.invitation)) != OK)
		return problem_err(rq, e);
	return reply_one(rq, 201, invited_fields, &to, 0);
}

static struct reply
list_members(struct request *rq)
{
	const struct page *p = rq->query;
	const struct list_cursor from = { page_ascending(p), p->after_us, p->after_id,
		page_limit(p) + 1 };
	struct list l;
	enum err e = member_list(rq->db, rq->mem, rq->who->account, &from, &l);

	if (e != OK)
		return problem_err(rq, e);
	return reply_page(rq, member_fields, l, ITEM(member, created_us, id));
}

static struct reply
renew_invitation(struct request *rq)
{
	struct invitation to;
	struct reply no;
	enum err e;

	if (!may_give(rq, ((struct member *)rq->it)->role, &no))
		return no;
	e = invite(rq, rq->it, &to);
	return e != OK ? problem_err(rq, e)
		       : reply_one(rq, 200, invitation_fields, &to, 0);
}

/* Check that an owner remains without this member. */
static bool
may_lose(struct request *rq, const struct member *m, struct reply *no)
{
	enum err e = OK;

	if (!may_give(rq, m->role, no))
		return false;
	if (strcmp(m->role, ROLE_OWNER) == 0 && strcmp(m->status, "active") == 0)
		e = member_other_owner(rq->db, m->account, m->id);
	if (e == ERR_NOT_FOUND)
		*no = problem(rq, P_LAST_OWNER, "The account has no other owner.");
	else if (e != OK)
		*no = problem_err(rq, e);
	return e == OK;
}

static struct reply
edit_member(struct request *rq)
{
	const struct member_in *in = rq->in;
	struct member *m = rq->it;
	bool other = in->role != NULL && strcmp(in->role, m->role) != 0;
	struct reply no;
	enum err e;

	if (other && (!may_lose(rq, m, &no) || !may_give(rq, in->role, &no)))
		return no;
	m->name = in->name != NULL ? in->name : m->name;
	m->role = in->role != NULL ? in->role : m->role;
	e = member_put(rq->db, m);
	if (e == OK && other)
		e = member_credentials_put(
		    rq->db, m->account, m->id, member_scopes(m->role));
	return e != OK ? problem_err(rq, e) : reply_one(rq, 200, member_fields, m, 0);
}

static struct reply
drop_member(struct request *rq)
{
	const struct member *m = rq->it;
	struct reply no;
	int64_t n;
	enum err e;

	if (!may_lose(rq, m, &no))
		return no;
	if ((e = sign_in_revoke(rq->db, m->account, m->id, NULL, &n)) == OK)
		e = member_drop(rq->db, m->account, m->id);
	return ended(rq, e);
}

/* clang-format off */
#define MEMBER_ "/saas/member/{member_id}"

const struct route	 key_routes[] = {
	{ "POST", "/auth/token", make_token, NULL, JSON_BODY | PUBLIC | MAY_KNOW,
	  BODY(token_in_fields, struct token_in), .rules = token_rules,
	  .summary = "Exchange a key or a sign-in link for a token", .shape = A_ONE, .status = 201,
	  .out = token_out_fields, .also = "401 403 409" },
	{ "POST", "/auth/refresh", refresh_token, NULL, JSON_BODY | PUBLIC,
	  BODY(refresh_in_fields, struct refresh_in),
	  .summary = "Exchange a refresh token for a token", .shape = A_ONE, .status = 201,
	  .out = token_out_fields, .also = "401" },
	{ "GET", "/auth/sign-ins", list_sign_ins, ANY_SCOPE,
	  .summary = "List signed-in browsers", .shape = A_LIST, .out = sign_in_fields, .also = "403" },
	{ "DELETE", "/auth/sign-ins", drop_sign_ins, ANY_SCOPE, LOCKED,
	  .summary = "Sign out all browsers", .shape = A_NULL, .also = "403" },
	{ "DELETE", "/auth/sign-ins/{sign_in_id}", drop_sign_in, ANY_SCOPE, LOCKED,
	  .summary = "Sign out a browser", .shape = A_NULL, .also = "403 404" },
	{ "GET", "/auth/me", get_me, ANY_SCOPE,
	  .summary = "Read the account, scopes and plan of the caller", .shape = A_ONE, .out = me_fields },
	{ "POST", "/saas/key", add_key, "keys:write", JSON_BODY | IDEMPOTENT,
	  BODY(key_in_fields, struct key_in), .rules = key_rules,
	  .summary = "Make a key", .shape = A_ONE, .status = 201, .out = made_fields },
	{ "GET", "/saas/keys", list_keys, "keys:read", QUERY(page_fields, struct page), .token = "token",
	  .summary = "List keys", .shape = A_PAGE, .out = key_fields },
	{ "DELETE", "/saas/key/{key_id}", drop_key, "keys:write", LOCKED, find_key,
	  .summary = "Revoke a key", .shape = A_NULL, .also = "403 409" },
	{ "POST", "/saas/member", add_member, "members:write", JSON_BODY | IDEMPOTENT,
	  BODY(member_in_fields, struct member_in),
	  .summary = "Invite a member", .shape = A_ONE, .status = 201, .out = invited_fields },
	{ "GET", "/saas/members", list_members, "members:read", QUERY(page_fields, struct page),
	  .token = "token", .summary = "List members", .shape = A_PAGE, .out = member_fields },
	{ "PATCH", MEMBER_, edit_member, "members:write", JSON_BODY | PARTIAL | LOCKED, find_member,
	  BODY(member_in_fields, struct member_in), .summary = "Change a member",
	  .shape = A_ONE, .out = member_fields, .also = "409" },
	{ "DELETE", MEMBER_, drop_member, "members:write", LOCKED, find_member,
	  .summary = "Remove a member", .shape = A_NULL, .also = "409" },
	{ "POST", MEMBER_ "/link", renew_invitation, "members:write", LOCKED, find_member,
	  .summary = "Make a new invitation", .shape = A_ONE, .out = invitation_fields },
	ROUTES_END,
};
/* clang-format on */

PROGRAM("keys", key_routes, account_sql, credential_sql, idempotent_response_sql,
    member_sql)
