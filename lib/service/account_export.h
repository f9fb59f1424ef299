#ifndef SERVICE_ACCOUNT_EXPORT_H
#define SERVICE_ACCOUNT_EXPORT_H

#include "base/conf.h"
#include "db/db.h"

/*
 * Everything of an account as files.  Records are those of the interface: its routes
 * are asked, page by page, with a token of the account.  What no route has is read from
 * the store: the account, its ledger, its files.
 */
struct export_route {
	const char *file;    /* "events/X/stats.json"; * stands for the id */
	const char *program; /* that is asked; NULL: the store is read */
	const char *target;  /* likewise */
	enum {
		EXPORT_LIST, /* all pages of records, as a JSON array */
		EXPORT_ONE,  /* a record */
		EXPORT_FILE, /* bytes; 404: there are none */
		/* A table of all languages, and of each its lines and its captions, in
		   the same folder. */
		EXPORT_TRANSCRIPT,
		/* Who listened to an event, all of it: the route has a day of it. */
		EXPORT_SERIES
	} as;
	const char *of;     /* asked for each record of that file; NULL: once, */
	const char *id;     /* by its member of this name, */
	const char *unless; /* but of those where this one is not null */
};

extern const struct export_route export_routes[]; /* up to one without a file */
extern const char *const export_files[]; /* those that are read from the store */

struct export_report {
	int64_t files;
	int64_t missing; /* files that the store of blobs does not have */
};
extern const struct field export_fields[]; /* of struct export_report */

/*
 * Into dir, which must not be there, or be empty; see service/export_folder.h.
 * ERR_NOT_FOUND: there is no such account; ERR_REFUSED: it is not active, so that its
 * routes cannot be asked; ERR_CONFLICT: of dir.  Else what failed was logged.
 */
enum err account_export(struct db *, struct arena *, const struct conf *,
    const char *account, const char *dir, struct export_report *) MUST_CHECK;

#endif
