/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "service/credential_issue.h"

#include <string.h>

#include "base/base64.h"
#include "base/clock.h"
#include "base/id.h"
#include "base/log.h"
#include "store/accounts.h"
#include "store/ledger.h"

/* clang-format off */
const struct field	 issued_fields[] = FIELDS(
	{ "user_id",       F_TEXT, MEMBER(issued, user_id),       .flags = F_OUT | F_OPT },
	{ "api_key",       F_TEXT, MEMBER(issued, api_key),       .flags = F_OUT },
	{ "client_id",     F_TEXT, MEMBER(issued, client_id),     .flags = F_OUT },
	{ "client_secret", F_TEXT, MEMBER(issued, client_secret), .flags = F_OUT }
);
/* clang-format on */

const char *
credential_secret(struct arena *mem)
{
	unsigned char b[32];

	random_bytes(b, sizeof(b));
	return base64url(mem, b, sizeof(b));
}

/* dgm_<random>_<CRC-32>: mistyped keys are found without the database. */
static const char *
make_key(struct arena *mem)
{
	const char *body = arena_printf(mem, "dgm_%s", credential_secret(mem));

	return arena_printf(mem, "%s_%08x", body, crc(body, strlen(body)));
}

static enum err
add(struct db *db, struct arena *mem, const char *account, struct credential *c,
    const char *secret)
{
	c->id = id_new(mem);
	c->created_us = now_us();
	c->used_us = c->revoked_us = NULL_INT;
	return credential_add(db, account, c, hash_hex(mem, secret, strlen(secret)));
}

enum err
credential_issue_key(struct db *db, struct arena *mem, const char *account,
    struct credential *c, const char **api_key)
{
	*api_key = make_key(mem);
	c->kind = "key";
	if (c->label == NULL)
		c->label = arena_dup(mem, *api_key, 8);
	return add(db, mem, account, c, *api_key);
}

enum err
credential_issue_link(struct db *db, struct arena *mem, const char *account,
    const char *scopes, const char **secret)
{
	struct member owner = { .id = NULL };
	struct credential c = { .kind = "link",
		.label = "sign-in link",
		.scopes = scopes,
		.expires_us = now_us() + LINK_S * S_US };
	enum err e = member_owner(db, mem, account, &owner);

	if (e != OK && e != ERR_NOT_FOUND)
		return e;
	c.member = owner.id;
	*secret = credential_secret(mem);
	return add(db, mem, account, &c, *secret);
}

enum err
credential_issue_invitation(
    struct db *db, struct arena *mem, const struct member *m, const char **secret)
{
	struct credential c = { .kind = "invite",
		.label = "invitation",
		.scopes = member_scopes(m->role),
		.member = m->id,
		.expires_us = now_us() + INVITE_S * S_US };
	enum err e = invitations_revoke(db, m->account, m->id);

	*secret = credential_secret(mem);
	return e != OK ? e : add(db, mem, m->account, &c, *secret);
}

enum err
credential_issue_sign_in(
    struct db *db, struct arena *mem, const struct member *m, struct credential *c)
{
	*c = (struct credential){ .kind = "invite",
		.label = "passkey",
		.scopes = member_scopes(m->role),
		.member = m->id,
		.expires_us = now_us() + S_US };
	return add(db, mem, m->account, c, credential_secret(mem));
}

enum err
credential_issue_credentials(struct db *db, struct arena *mem, const char *account,
    const struct issue_want *w, struct issued *to)
{
	struct credential c = { .expires_us = NULL_INT, .label = w->label };
	enum err e;

	to->client_secret = credential_secret(mem);
	c.scopes = w->scopes != NULL ? w->scopes : "*";
	if ((e = credential_issue_key(db, mem, account, &c, &to->api_key)) != OK)
		return e;
	c.kind = "pair";
	e = add(db, mem, account, &c, to->client_secret);
	to->client_id = c.id;
	return e;
}

static enum err
grant_start(struct db *db, struct arena *mem, const char *account, int64_t credits)
{
	if (credits > LEDGER_ENTRY_MOST / MICRO) {
		log_error("plan.starting_credits is over %lld",
		    (long long)(LEDGER_ENTRY_MOST / MICRO));
		return ERR_REFUSED;
	}
	return ledger_add(db, mem, account, "grant", credits * MICRO,
	    arena_printf(mem, "start:%s", account));
}

static enum err
add_owner(struct db *db, struct arena *mem, const struct account *a)
{
	struct member m = { .account = a->id,
		.name = a->name,
		.role = ROLE_OWNER,
		.status = "active" };

	return member_add(db, mem, &m);
}

enum err
credential_issue_account(struct db *db, struct arena *mem, const struct conf *conf,
    const char *name, const struct issue_want *w, struct issued *to)
{
	struct account a = { .id = id_new(mem),
		.name = name,
		.status = "active",
		.created_us = now_us() };
	enum err e;

	to->user_id = a.id;
	if ((e = account_add(db, &a)) != OK || (e = add_owner(db, mem, &a)) != OK ||
	    (w != NULL &&
		(e = credential_issue_credentials(db, mem, a.id, w, to)) != OK))
		return e;
	return grant_start(db, mem, a.id, conf->plan_starting_credits);
}
