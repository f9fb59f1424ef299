/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef STORE_MEMBERS_H
#define STORE_MEMBERS_H

#include "db/db.h"
#include "store/cursor.h"

/* The people of an account. Their credentials are links, invitations and browsers, see
   credentials.h. */
struct member {
	const char *id;
	const char *account;
	const char *name;
	const char *role;   /* a name of member_roles */
	const char *status; /* invited, active */
	int64_t created_us;
	int64_t seen_us; /* hour of the last use; NULL_INT: none */
};

#define ROLE_OWNER "owner"
extern const char *const member_roles[]; /* owner, organiser, desk, viewer */

extern const struct field member_fields[];
extern const struct sql member_sql[];

/* Returns the scopes of a role. */
const char *member_scopes(const char *role);

/* Store a new member; sets its id and created_us. */
enum err member_add(struct db *, struct arena *, struct member *) MUST_CHECK;
enum err member_get(struct db *, struct arena *, const char *account, const char *id,
    struct member *) MUST_CHECK;
/* Read the oldest active owner of an account. */
enum err member_owner(
    struct db *, struct arena *, const char *account, struct member *) MUST_CHECK;
/* Look for an active owner other than this one. ERR_NOT_FOUND: there is none. */
enum err member_other_owner(
    struct db *, const char *account, const char *id) MUST_CHECK;
enum err member_list(struct db *, struct arena *, const char *account,
    const struct list_cursor *, struct list *) MUST_CHECK;
/* Replace name, role and status. */
enum err member_put(struct db *, const struct member *) MUST_CHECK;
enum err member_drop(struct db *, const char *account, const char *id) MUST_CHECK;

#endif
