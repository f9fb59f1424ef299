/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * /auth: browsers sign in. A key, a sign-in link or an invitation is exchanged for an
 * API token, which names its credential and becomes void when that is revoked. A
 * browser that stays signed in has a refresh token, too.
 */
#include <string.h>

#include "base/clock.h"
#include "base/hash.h"
#include "base/text.h"
#include "base/token.h"
#include "service/credential_issue.h"
#include "service/passkey.h"
#include "service/sign_in.h"
#include "store/members.h"
#include "web/ratelimit.h"
#include "web/web.h"

#define TTL_S 28800
#define BROWSER_BYTES 200 /* bytes stored of User-Agent */

/* ---- input and output ---- */

struct token_in {
	const char *link, *invite, *passkey, *scope;
	int64_t ttl_s;
	bool remember;
};

struct passkey_in {
	const char *name, *passkey;
};

struct passkey_offer {
	const char *kind, *options;
};

struct refresh_in {
	const char *token;
};

struct token_out {
	const char *token, *scope;
	int64_t expires_us;
	const char *refresh_token; /* or NULL */
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

/* clang-format off */
static const struct field	 token_in_fields[] = FIELDS(
	{ "link",  F_TEXT, MEMBER(token_in, link),  1, 128,     F_IN, .help = "The part of a sign-in link after `#link=`, instead of a credential." },
	{ "invite", F_TEXT, MEMBER(token_in, invite), 1, 128,   F_IN, .help = "The part of an invitation after `#invite=`, instead of a credential." },
	{ "passkey", F_JSON, MEMBER(token_in, passkey), 0, 16384, F_IN, .help = "What `navigator.credentials.get()` gave, by its toJSON(), instead of a credential." },
	{ "remember", F_BOOL, MEMBER(token_in, remember), .flags = F_IN, .help = "With `link`, `invite` or `passkey`: the browser stays signed in. The answer has a `refresh_token` and a cookie." },
	{ "scope", F_TEXT, MEMBER(token_in, scope), 0, 1024,    F_IN, .help = "Scopes separated by blanks, a subset of the credential's; absent: all of them." },
	{ "ttl_s", F_INT,  MEMBER(token_in, ttl_s), 60, 86400,  F_IN, .help = "Seconds that the token is valid; default 28,800. It expires with its key at the latest." }
);
static const struct field	 token_out_fields[] = FIELDS(
	{ "token",      F_TEXT, MEMBER(token_out, token),      .flags = F_OUT },
	{ "expires_at", F_TIME, MEMBER(token_out, expires_us), .flags = F_OUT },
	{ "scope",      F_TEXT, MEMBER(token_out, scope),      .flags = F_OUT, .help = "Its scopes, separated by blanks." },
	{ "refresh_token", F_TEXT, MEMBER(token_out, refresh_token), .flags = F_OUT | F_OPT, .help = "For POST /auth/refresh within 30 days, once, by the same browser." }
);
static const struct field	 passkey_in_fields[] = FIELDS(
	{ "name",    F_TEXT, MEMBER(passkey_in, name),    1, 64,    F_IN },
	{ "passkey", F_JSON, MEMBER(passkey_in, passkey), 0, 16384, F_IN | F_REQUIRED, .help = "What `navigator.credentials.create()` gave, by its toJSON()." }
);
static const struct field	 passkey_offer_fields[] = FIELDS(
	{ "kind",       F_TEXT, MEMBER(passkey_offer, kind),    .flags = F_OUT, .help = "`create`: for POST /auth/passkey; `get`: for POST /auth/token." },
	{ "public_key", F_JSON, MEMBER(passkey_offer, options), .flags = F_OUT, .help = "For `PublicKeyCredential.parseCreationOptionsFromJSON()` or `.parseRequestOptionsFromJSON()`." }
);
static const struct field	 refresh_in_fields[] = FIELDS(
	{ "refresh_token", F_TEXT, MEMBER(refresh_in, token), 1, 128, F_IN | F_REQUIRED }
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
/* clang-format on */

/* ---- tokens ---- */

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
	t.scope = in->scope != NULL ? in->scope : rq->who->scopes;
	if (!auth_covers(rq, rq->who->scopes, t.scope, &no))
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

/* The browser that signs in makes the change. */
static const struct caller *
caller_of(struct request *rq, const struct credential *c, const char *account)
{
	struct caller *who = arena_alloc(rq->mem, sizeof(*who));

	*who = (struct caller){ .account = account, .credential = c->id };
	return who;
}

/*
 * Turn the credential of a link, or of a passkey, into that of this browser. The
 * transaction may have begun.
 */
static struct reply
sign_in(struct request *rq, const struct credential *c, const char *account)
{
	const struct token_in *in = rq->in;
	const char *refresh = NULL;
	int64_t ttl_s = in->remember ? SIGN_IN_TOKEN_S : asked_s(in);
	struct sign_in s = { .id = c->id, .refreshed_us = NULL_INT };
	struct api_token t = { .sub = account, .key = c->id };
	struct reply no;
	enum err e = OK;

	t.scope = in->scope != NULL ? in->scope : c->scopes;
	if (!auth_covers(rq, c->scopes, t.scope, &no))
		return no;
	rq->made = c->id;
	rq->who = caller_of(rq, c, account);
	s.browser = browser_of(rq);
	s.expires_us = now_us() + (ttl_s + 1) * S_US;
	if (in->remember)
		refresh = remember(rq, &s);
	if ((!db_writing(rq->db) && (e = db_begin(rq->db, account)) != OK) ||
	    (e = credential_exchange(rq->db, &s)) != OK ||
	    (e = activate(rq, account, c->member)) != OK)
		return e == ERR_CONFLICT
			   ? problem(rq, P_LINK_USED, "The link was used before.")
			   : problem_err(rq, e);
	return issue_token(rq, &t, ttl_s, NULL_INT, refresh);
}

/*
 * The link is looked up without a lock, so guessing costs no more than any other
 * request.
 */
static struct reply
token_of_link(struct request *rq, const char *secret)
{
	const char *hash = hash_hex(rq->mem, secret, strlen(secret)), *account;
	struct credential c;
	enum err e = credential_link(rq->db, rq->mem, hash, &c, &account);

	if (e == ERR_NOT_FOUND)
		return auth_unknown(rq);
	return e != OK ? problem_err(rq, e) : sign_in(rq, &c, account);
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
	return auth_ended(rq, e);
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

/* ---- passkeys ---- */

static bool
has_passkeys(struct request *rq, struct reply *no)
{
	if (passkey_host(rq->mem, rq->conf) != NULL)
		return true;
	*no = problem(rq, P_NOT_FOUND,
	    "Passkeys need an address of this service with https and a name.");
	return false;
}

/* The refusal of a wrong passkey, which counts as a guess. */
static struct reply
wrong_passkey(struct request *rq, const char *why)
{
	struct reply no;

	if (!auth_guess(
		rq, 'f', rq->network, rq->conf->rate_auth_failures_per_min, &no))
		return no;
	return auth_needed(rq, why);
}

static struct reply
used_passkey(struct request *rq)
{
	return problem(rq, P_LINK_USED,
	    "The passkey or its challenge was used before: try again.");
}

/* Store the use of a passkey, and make a credential for the browser. */
static enum err
use_passkey(struct request *rq, const struct passkey *p, struct credential *c)
{
	struct member m;
	enum err e;

	if ((e = db_begin(rq->db, p->account)) != OK ||
	    (e = passkey_used(rq->db, p)) != OK ||
	    (e = member_get(rq->db, rq->mem, p->account, p->member, &m)) != OK)
		return e;
	return credential_issue_sign_in(rq->db, rq->mem, &m, c);
}

static struct reply
token_of_passkey(struct request *rq)
{
	const struct json *sent = json_get(rq->data, "passkey");
	const char *id = json_get_text(sent, "id"), *why;
	struct credential c;
	struct passkey p;
	struct reply no;
	enum err e;

	if (!has_passkeys(rq, &no))
		return no;
	e = id != NULL ? passkey_find(rq->db, rq->mem, id, &p) : ERR_NOT_FOUND;
	if (e == ERR_NOT_FOUND)
		return wrong_passkey(rq, "The passkey is unknown, or was removed.");
	if (e != OK)
		return problem_err(rq, e);
	if (passkey_check(rq->mem, rq->conf, sent, &p, &why) != OK)
		return wrong_passkey(rq, why);
	if ((e = use_passkey(rq, &p, &c)) == ERR_CONFLICT)
		return used_passkey(rq);
	return e != OK ? problem_err(rq, e) : sign_in(rq, &c, p.account);
}

/* Read the member of the caller. False: *no is the refusal. */
static bool
is_member(struct request *rq, struct member *m, struct reply *no)
{
	const char *id;
	enum err e = member_of(rq, &id);

	if (e == OK && id != NULL)
		e = member_get(rq->db, rq->mem, rq->who->account, id, m);
	if (e != OK)
		*no = problem_err(rq, e);
	else if (id == NULL)
		*no = problem(rq, P_NO_SCOPE,
		    "Only members who have signed in have passkeys; a key has none.");
	return e == OK && id != NULL;
}

static struct reply
offer_passkey(struct request *rq)
{
	struct passkey_offer to = { .kind = "get" };
	struct list had;
	struct member m;
	struct reply no;
	enum err e;

	if (!has_passkeys(rq, &no))
		return no;
	if (rq->who == NULL) {
		to.options = passkey_options(rq->mem, rq->conf, NULL, NULL);
		return reply_one(rq, 200, passkey_offer_fields, &to, 0);
	}
	if (!is_member(rq, &m, &no))
		return no;
	if ((e = passkey_list(rq->db, rq->mem, rq->who->account, m.id, &had)) != OK)
		return problem_err(rq, e);
	to.kind = "create";
	to.options = passkey_options(rq->mem, rq->conf, &m, &had);
	return reply_one(rq, 200, passkey_offer_fields, &to, 0);
}

static struct reply
add_passkey(struct request *rq)
{
	const struct passkey_in *in = rq->in;
	struct passkey p = { .name = in->name != NULL ? in->name : "Passkey",
		.account = rq->who->account };
	struct member m;
	struct reply no;
	const char *why;
	enum err e;

	if (!has_passkeys(rq, &no) || !is_member(rq, &m, &no))
		return no;
	p.member = m.id;
	if (passkey_made(
		rq->mem, rq->conf, m.id, json_get(rq->data, "passkey"), &p, &why) != OK)
		return problem_at(rq, P_VALIDATION, "/data/passkey", NULL, "%s", why);
	if ((e = passkey_add(rq->db, rq->mem, &p)) == ERR_CONFLICT)
		return used_passkey(rq);
	if (e == ERR_LIMIT)
		return problem(
		    rq, P_KEY_LIMIT, "A member may have %d passkeys.", PASSKEYS_MOST);
	return e != OK ? problem_err(rq, e) : reply_one(rq, 201, passkey_fields, &p, 0);
}

static struct reply
list_passkeys(struct request *rq)
{
	struct member m;
	struct reply no;
	struct list l;
	enum err e;

	if (!is_member(rq, &m, &no))
		return no;
	e = passkey_list(rq->db, rq->mem, rq->who->account, m.id, &l);
	return e != OK ? problem_err(rq, e)
		       : reply_listed(rq, passkey_fields, &l, sizeof(struct passkey),
			     NULL, NULL);
}

static struct reply
drop_passkey(struct request *rq)
{
	struct member m;
	struct reply no;
	int64_t n;
	enum err e;

	if (!is_member(rq, &m, &no))
		return no;
	e = passkey_drop(rq->db, rq->who->account, m.id, rq->args[0], &n);
	if (e == OK && n == 0)
		e = ERR_NOT_FOUND;
	return e != OK ? problem_err(rq, e) : reply_null(rq, 200);
}

static struct reply
make_token(struct request *rq)
{
	const struct token_in *in = rq->in;

	if (in->link != NULL || in->invite != NULL)
		return token_of_link(rq, in->link != NULL ? in->link : in->invite);
	if (in->passkey != NULL)
		return token_of_passkey(rq);
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

/* clang-format off */
const struct route	 sign_in_routes[] = {
	{ "POST", "/auth/token", make_token, NULL, JSON_BODY | PUBLIC | MAY_KNOW,
	  BODY(token_in_fields, struct token_in), .rules = token_rules,
	  .summary = "Exchange a key or a sign-in link for a token", .shape = A_ONE, .status = 201,
	  .out = token_out_fields, .also = "401 403 409" },
	{ "POST", "/auth/refresh", refresh_token, NULL, JSON_BODY | PUBLIC,
	  BODY(refresh_in_fields, struct refresh_in),
	  .summary = "Exchange a refresh token for a token", .shape = A_ONE, .status = 201,
	  .out = token_out_fields, .also = "401" },
	{ "POST", "/auth/passkey/options", offer_passkey, NULL, PUBLIC | MAY_KNOW,
	  .summary = "Ask for a challenge for a passkey", .shape = A_ONE, .out = passkey_offer_fields,
	  .also = "401 403 404" },
	{ "POST", "/auth/passkey", add_passkey, ANY_SCOPE, JSON_BODY | LOCKED,
	  BODY(passkey_in_fields, struct passkey_in), .summary = "Add a passkey", .shape = A_ONE,
	  .status = 201, .out = passkey_fields, .also = "403 404 409" },
	{ "GET", "/auth/passkeys", list_passkeys, ANY_SCOPE,
	  .summary = "List own passkeys", .shape = A_LIST, .out = passkey_fields, .also = "403" },
	{ "DELETE", "/auth/passkey/{passkey_id}", drop_passkey, ANY_SCOPE, LOCKED,
	  .summary = "Remove a passkey", .shape = A_NULL, .also = "403 404" },
	{ "GET", "/auth/sign-ins", list_sign_ins, ANY_SCOPE,
	  .summary = "List signed-in browsers", .shape = A_LIST, .out = sign_in_fields, .also = "403" },
	{ "DELETE", "/auth/sign-ins", drop_sign_ins, ANY_SCOPE, LOCKED,
	  .summary = "Sign out all browsers", .shape = A_NULL, .also = "403" },
	{ "DELETE", "/auth/sign-ins/{sign_in_id}", drop_sign_in, ANY_SCOPE, LOCKED,
	  .summary = "Sign out a browser", .shape = A_NULL, .also = "403 404" },
	{ "GET", "/auth/me", get_me, ANY_SCOPE,
	  .summary = "Read the account, scopes and plan of the caller", .shape = A_ONE, .out = me_fields },
	ROUTES_END,
};
/* clang-format on */

PROGRAM(
    "sign_ins", sign_in_routes, account_sql, credential_sql, member_sql, passkey_sql)
