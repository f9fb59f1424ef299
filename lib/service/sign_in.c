/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "service/sign_in.h"

#include <string.h>

#include "base/clock.h"
#include "base/hash.h"
#include "base/id.h"
#include "base/log.h"
#include "service/credential_issue.h"

/* Two tabs may use the same token at once. */
#define TABS_US (30 * S_US)

const char *
sign_in_refresh_token(struct arena *mem, struct sign_in *s)
{
	const char *token = arena_printf(mem, "%s.%s", s->id, credential_secret(mem));

	s->refresh_hash = hash_hex(mem, token, strlen(token));
	s->refreshed_us = now_us();
	s->expires_us = s->refreshed_us + SIGN_IN_S * S_US;
	return token;
}

/* True if the text has this hash; either may be NULL. */
static bool
has_hash(struct arena *mem, const char *text, const char *hash)
{
	return text != NULL && hash != NULL &&
	       same_bytes(hash_hex(mem, text, strlen(text)), hash, 2 * SHA256_BYTES);
}

static enum err
renew(struct db *db, struct arena *mem, struct sign_in *s, const char **next)
{
	const char *was = s->refresh_hash;
	enum err e;

	*next = sign_in_refresh_token(mem, s);
	if ((e = db_begin(db, s->account)) == OK &&
	    (e = sign_in_renew(db, s, was)) == OK)
		return OK;
	db_rollback(db);
	*next = NULL;
	return e == ERR_CONFLICT ? OK : e;
}

static enum err
end(struct db *db, const struct sign_in *s)
{
	int64_t n;
	enum err e;

	log_warn("sign-in %s: a refresh token was used twice; it has ended", s->id);
	if ((e = db_begin(db, s->account)) == OK &&
	    (e = sign_in_revoke(db, s->account, NULL, s->id, &n)) == OK &&
	    (e = db_commit(db)) == OK)
		return ERR_REFUSED;
	db_rollback(db);
	return e;
}

enum err
sign_in_use(struct db *db, struct arena *mem, const char *token, const char *cookie,
    struct sign_in *s, const char **next)
{
	const char *id = id_read(mem, arena_dup(mem, token, strcspn(token, ".")));
	enum err e;

	*next = NULL;
	if (id == NULL)
		return ERR_NOT_FOUND;
	if ((e = sign_in_find(db, mem, id, s)) != OK)
		return e;
	if (!has_hash(mem, cookie, s->cookie_hash))
		return ERR_NOT_FOUND;
	if (has_hash(mem, token, s->refresh_hash))
		return renew(db, mem, s, next);
	return has_hash(mem, token, s->former_hash) &&
		       now_us() < s->refreshed_us + TABS_US
		   ? OK
		   : end(db, s);
}
