/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef SERVICE_UPLOAD_H
#define SERVICE_UPLOAD_H

#include "base/conf.h"
#include "blob/upload_form.h"
#include "db/db.h"
#include "store/accounts.h"
#include "store/blobs.h"

/* A file that is in the blob store but not yet in the database. */
struct upload_received {
	const char *blob_id, *account; /* the blob that it belongs to, and its owner */
	const char *file;              /* name in the store */
	int64_t bytes;
	const char *sha256;
	int64_t capacity; /* bytes the account may store; 0: no limit */
	bool ours;        /* we stored it; otherwise a client did, in a bucket */
};

/*
 * Record the arrival in one transaction: the row, the account's bytes, the voice of a
 * voice sample, and the job that processes the file. Then remove the file that it
 * replaces. Returns the errors of blob_arrived(). After an error, a file of ours is
 * removed, unless the commit failed or the database cannot say whether it has the file;
 * the janitor removes those. A client's file is removed only if it can never be
 * accepted.
 */
enum err upload_received_record(struct db *, struct arena *, const struct conf *,
    const struct upload_received *) MUST_CHECK;

/*
 * ERR_FULL: n files of the smallest size would use up the disk's reserve.  Call it
 * before the transaction, which must not wait for a disk.  Nouns: pending_upload.
 */
enum err pending_upload_room(
    const struct conf *, const struct caller *, size_t n) MUST_CHECK;
/* *allowed: the plan has room for n more files of the smallest size. */
enum err pending_upload_allowed(
    struct db *, const struct caller *, size_t n, bool *allowed) MUST_CHECK;

/*
 * Add a blob that awaits its file, and make the form that uploads it.  The caller sets
 * the blob's id, kind, mime_type, filename, display_name, description and voice, and
 * the form's item_id (NULL: a new one).
 */
enum err pending_upload_add(struct db *, struct arena *, const struct conf *,
    const struct caller *, struct blob *, struct upload_form *) MUST_CHECK;

#endif
