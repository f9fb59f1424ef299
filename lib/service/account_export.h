/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef SERVICE_ACCOUNT_EXPORT_H
#define SERVICE_ACCOUNT_EXPORT_H

#include "base/conf.h"
#include "db/db.h"

/*
 * Exports all data of an account as files. Records are fetched from the routes of the
 * interface, page by page, with a token of the account. Data without a route is read
 * from the store: the account, its ledger, its files.
 */
struct export_route {
	const char *file;    /* "events/X/stats.json"; * stands for the id */
	const char *program; /* CGI program to call; NULL: read the store */
	const char *target;  /* path and query of the call; NULL: read the store */
	enum {
		EXPORT_LIST, /* all pages of records, as a JSON array */
		EXPORT_ONE,  /* a record */
		EXPORT_FILE, /* bytes; 404: no file */
		/*
		 * A table of all languages, and the lines and captions of each
		 * language, in the same folder.
		 */
		EXPORT_TRANSCRIPT,
		/* Listeners of an event over its whole time; the route returns a
		   day. */
		EXPORT_SERIES
	} as;
	const char *of;     /* called for each record of that file; NULL: once, */
	const char *id;     /* member whose value replaces the *, */
	const char *unless; /* unless this member is set */
};

extern const struct export_route export_routes[]; /* ends with a row without a file */
extern const char *const export_files[]; /* files that are read from the store */

struct export_report {
	int64_t files;
	int64_t missing; /* files that are missing in the blob store */
};
extern const struct field export_fields[]; /* fields of struct export_report */

/*
 * Export to dir, which must not exist or must be empty; see service/export_folder.h.
 * ERR_NOT_FOUND: no such account; ERR_REFUSED: it is not active, so its routes cannot
 * be called; ERR_CONFLICT: dir is not empty. Other errors have been logged.
 */
enum err account_export(struct db *, struct arena *, const struct conf *,
    const char *account, const char *dir, struct export_report *) MUST_CHECK;

#endif
