#ifndef SERVICE_ACCOUNT_EXPORT_INTERNAL_H
#define SERVICE_ACCOUNT_EXPORT_INTERNAL_H

#include "service/account_export.h"
#include "service/export_folder.h"
#include "store/accounts.h"

/* What account_export*.c share; private to them. */

struct export_run {
	struct db *db;
	const struct conf *conf;
	const char *account, *scopes;
	struct export_folder *folder;
	struct export_report *report;
};

/* A whole file. */
enum err export_text(
    struct export_run *, const char *name, const char *, size_t n) MUST_CHECK;

/* Those of export_files. */
enum err export_account(
    struct export_run *, struct arena *, const struct account *) MUST_CHECK;
enum err export_ledger(struct export_run *) MUST_CHECK;
enum err export_series(struct export_run *, struct arena *, const char *name,
    const char *event) MUST_CHECK;
enum err export_blobs(struct export_run *, struct arena *) MUST_CHECK;

#endif
