#ifndef SERVICE_BACKUP_H
#define SERVICE_BACKUP_H

#include "base/conf.h"
#include "db/db.h"
#include "store/schema.h"

/*
 * An installation in a folder, made while it is at work:
 *
 *	DIR/dragoman.db     the database (SQLite)
 *	DIR/blobs/ab/...    every file that it names, with blob.store = disk
 *	DIR/secret.key      what all signing keys are made from
 *
 * Files are not removed from the time before the database is copied until all of
 * them are there.  A folder that has an older backup becomes a newer one: only what
 * is new is copied, and until that is whole the older one stays whole, too.
 */
struct backup_report {
	int64_t files;   /* that the database names and the folder now has */
	int64_t copied;  /* of these, now */
	int64_t missing; /* named, and nowhere: the backup is none for these */
	int64_t removed; /* of an older backup */
};
extern const struct field backup_fields[]; /* of struct backup_report */

/*
 * The last backup in this folder was on another file system, and the folder has none
 * now: its disk is not mounted, or a new one.
 */
bool backup_disk_gone(struct arena *, const struct conf *, const char *dir);
/* ERR_UNSUPPORTED: pg_dump copies the database. */
enum err backup_make(struct db *, struct arena *, const struct conf *, const char *dir,
    struct backup_report *) MUST_CHECK;
/*
 * Put it in the place of what is there.  The caller brings the schema up to date.
 * ERR_REFUSED: it is no backup of ours, or of a newer program; nothing was changed.
 * *new_key: programs that run have an older key until they are started again.
 */
enum err backup_put_back(struct db *, struct arena *, const struct conf *,
    const char *dir, struct backup_report *, bool *new_key) MUST_CHECK;

/* A copy of the database may be put in its place; else ERR_REFUSED, or why not. */
enum err backup_look(struct arena *, const struct conf *, const char *path) MUST_CHECK;

/* Records of a database; path NULL: the installation's own, 0 where there is none. */
enum err backup_count(struct arena *, const struct conf *, const char *path,
    struct holdings *) MUST_CHECK;

#endif
