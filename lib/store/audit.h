/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef STORE_AUDIT_H
#define STORE_AUDIT_H

#include "db/db.h"
#include "store/cursor.h"

/* Changes that people made to an account, by their sign-ins or by keys. */
struct audit_line {
	int64_t at_us;
	const char *id, *account;
	struct audit_actor {
		const char *id, *name;
	} member,
	    key; /* the one that made the change; the other's id is NULL; read only */
	const char *action, *kind;
	const char *subject; /* id of the record that was changed, or NULL */
	const char *summary; /* or NULL */
};

#define AUDIT_DAYS 90 /* days for which it is kept */

extern const struct field audit_fields[];
extern const struct sql audit_sql[];

/* Store a change in the caller's transaction, made with that credential; "": with none
   of those stored. Sets its id and time. */
enum err audit_add(struct db *, struct arena *, const char *credential,
    struct audit_line *) MUST_CHECK;
enum err audit_list(struct db *, struct arena *, const char *account,
    const struct list_cursor *, struct list *) MUST_CHECK;
/* Delete at most `most` changes up to before_us; *n is their number. */
enum err audit_expire(struct db *, int64_t before_us, int most, int64_t *n) MUST_CHECK;

#endif
