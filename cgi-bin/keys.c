/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * /saas/key, /saas/member, /saas/audit: the keys and the people of an account, and the
 * changes that they made.
 */
#include <string.h>

#include "base/clock.h"
#include "base/qr.h"
#include "base/token.h"
#include "service/credential_issue.h"
#include "store/audit.h"
#include "store/idempotent_responses.h"
#include "store/members.h"
#include "store/passkeys.h"
#include "web/request_log.h"
#include "web/web.h"

/* keys of an account at most, with those revoked within a month */
#define KEYS_MOST 1000

/* ---- input and output ---- */

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

static const char *
scope_check(const char *s)
{
	return scope_known(s) ? NULL : "is no scope";
}

/* clang-format off */
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
static const struct field	 page_fields[] = FIELDS(PAGE_FIELDS);
/* clang-format on */

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

	m.key.scopes = joined(rq, &in->scopes);
	if (!auth_covers(rq, rq->who->scopes, m.key.scopes, &no))
		return no;
	if ((e = db_begin(rq->db, rq->who->account)) != OK ||
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

/* The caller must hold all scopes of the key that it revokes. */
static struct reply
drop_key(struct request *rq)
{
	const struct credential *c = rq->it;
	struct reply no, rep;
	enum err e = OK;

	if (!auth_covers(rq, rq->who->scopes, c->scopes, &no))
		return no;
	if (scope_has(c->scopes, "*") &&
	    (c->expires_us == NULL_INT || c->expires_us > now_us()))
		e = credential_other_full(rq->db, rq->who->account, c->id);
	if (e == ERR_NOT_FOUND)
		return problem(
		    rq, P_LAST_KEY, "No other key of the account has every scope.");
	rep = auth_ended(rq, e != OK ? e : credential_revoke(rq->db, c->id));
	if (rep.status < 400)
		request_log_remove(rq->mem, rq->conf->state_dir, c->id);
	return rep;
}

static struct reply
list_requests(struct request *rq)
{
	const struct credential *c = rq->it;
	struct list l;
	enum err e = request_log_read(rq->mem, rq->conf->state_dir, c->id, &l);

	if (e != OK)
		return problem_err(rq, e);
	return reply_listed(
	    rq, request_line_fields, &l, sizeof(struct request_line), NULL, NULL);
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
	return auth_covers(rq, rq->who->scopes, member_scopes(role), no);
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
	if ((e = db_begin(rq->db, rq->who->account)) != OK ||
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
	struct member *m = rq->it, before = *m;
	bool other = in->role != NULL && strcmp(in->role, m->role) != 0;
	struct reply no;
	enum err e;

	if (other && (!may_lose(rq, m, &no) || !may_give(rq, in->role, &no)))
		return no;
	m->name = in->name != NULL ? in->name : m->name;
	m->role = in->role != NULL ? in->role : m->role;
	if (field_same(rq->mem, member_fields, m, &before))
		return reply_one(rq, 200, member_fields, m, 0);
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
	if ((e = sign_in_revoke(rq->db, m->account, m->id, NULL, &n)) == OK &&
	    (e = passkey_drop(rq->db, m->account, m->id, NULL, &n)) == OK)
		e = member_drop(rq->db, m->account, m->id);
	return auth_ended(rq, e);
}

/* ---- audit ---- */

static struct reply
list_audit(struct request *rq)
{
	const struct page *p = rq->query;
	const struct list_cursor from = { page_ascending(p), p->after_us, p->after_id,
		page_limit(p) + 1 };
	struct list l;
	enum err e = audit_list(rq->db, rq->mem, rq->who->account, &from, &l);

	if (e != OK)
		return problem_err(rq, e);
	return reply_page(rq, audit_fields, l, ITEM(audit_line, at_us, id));
}

/* clang-format off */
#define MEMBER_ "/saas/member/{member_id}"

const struct route	 key_routes[] = {
	{ "POST", "/saas/key", add_key, "keys:write", JSON_BODY | IDEMPOTENT,
	  BODY(key_in_fields, struct key_in), .rules = key_rules,
	  .summary = "Make a key", .shape = A_ONE, .status = 201, .out = made_fields },
	{ "GET", "/saas/keys", list_keys, "keys:read", QUERY(page_fields, struct page), .token = "token",
	  .summary = "List keys", .shape = A_PAGE, .out = key_fields },
	{ "DELETE", "/saas/key/{key_id}", drop_key, "keys:write", LOCKED, find_key,
	  .called = MEMBER(credential, label), .summary = "Revoke a key", .shape = A_NULL, .also = "403 409" },
	{ "GET", "/saas/key/{key_id}/requests", list_requests, "keys:read", 0, find_key,
	  .summary = "List the last requests with a key", .shape = A_LIST, .out = request_line_fields },
	{ "POST", "/saas/member", add_member, "members:write", JSON_BODY | IDEMPOTENT,
	  BODY(member_in_fields, struct member_in),
	  .summary = "Invite a member", .shape = A_ONE, .status = 201, .out = invited_fields },
	{ "GET", "/saas/members", list_members, "members:read", QUERY(page_fields, struct page),
	  .token = "token", .summary = "List members", .shape = A_PAGE, .out = member_fields },
	{ "PATCH", MEMBER_, edit_member, "members:write", JSON_BODY | PARTIAL | LOCKED, find_member,
	  BODY(member_in_fields, struct member_in), .summary = "Change a member",
	  .shape = A_ONE, .out = member_fields, .also = "409" },
	{ "DELETE", MEMBER_, drop_member, "members:write", LOCKED, find_member,
	  .called = MEMBER(member, name), .summary = "Remove a member", .shape = A_NULL, .also = "409" },
	{ "POST", MEMBER_ "/link", renew_invitation, "members:write", LOCKED, find_member,
	  .summary = "Make a new invitation", .shape = A_ONE, .out = invitation_fields },
	{ "GET", "/saas/audit", list_audit, "members:read", QUERY(page_fields, struct page),
	  .token = "token", .summary = "List changes that people made", .shape = A_PAGE, .out = audit_fields },
	ROUTES_END,
};
/* clang-format on */

PROGRAM("keys", key_routes, account_sql, audit_sql, credential_sql,
    idempotent_response_sql, member_sql, passkey_sql)
