/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef SERVICE_BACKUP_H
#define SERVICE_BACKUP_H

#include "base/conf.h"
#include "db/db.h"
#include "store/schema.h"

/*
 * A backup of an installation in a folder, made while it is running:
 *
 *	DIR/dragoman.db     the database (SQLite)
 *	DIR/blobs/ab/...    every file that it names, with blob.store = disk
 *	DIR/secret.key      the source of all signing keys
 *
 * No file is removed from before the database is copied until all files are copied. In
 * a folder with an older backup only new files are copied; the older backup stays
 * complete until the new one is.
 */
struct backup_report {
	int64_t files;   /* named by the database and present in the folder */
	int64_t copied;  /* number of these copied now */
	int64_t missing; /* named but missing: they are not in the backup */
	int64_t removed; /* files of an older backup removed */
};
extern const struct field backup_fields[]; /* fields of struct backup_report */

/*
 * True if the last backup in this folder was on another file system and the folder is
 * empty now: its disk is not mounted, or it is a new one.
 */
bool backup_disk_gone(struct arena *, const struct conf *, const char *dir);
/* ERR_UNSUPPORTED: pg_dump copies the database. */
enum err backup_make(struct db *, struct arena *, const struct conf *, const char *dir,
    struct backup_report *) MUST_CHECK;
/*
 * Replace the installation's data with a backup. The caller migrates the schema.
 * ERR_REFUSED: it is not a backup of Dragoman, or of a newer version; nothing was
 * changed. *new_key: the key has changed; running programs must be restarted.
 */
enum err backup_put_back(struct db *, struct arena *, const struct conf *,
    const char *dir, struct backup_report *, bool *new_key) MUST_CHECK;

/* Check that a copy of the database may be restored. ERR_REFUSED: it may not. */
enum err backup_check_copy(
    struct arena *, const struct conf *, const char *path) MUST_CHECK;

/* Count the records of a database; path NULL: the installation's own (all 0 if there
   is none). */
enum err backup_count(struct arena *, const struct conf *, const char *path,
    struct holdings *) MUST_CHECK;

#endif
