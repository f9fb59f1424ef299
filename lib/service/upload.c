/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "service/upload.h"

#include <string.h>

#include "base/clock.h"
#include "base/id.h"
#include "base/log.h"
#include "blob/blob.h"
#include "store/blobs.h"
#include "store/voices.h"
#include "work/queue.h"

/* A voice whose sample is replaced is pending already and has a job. */
static enum err
queue_work(struct db *db, struct arena *mem, const struct blob *b)
{
	enum err e;

	if (strcmp(b->kind, "voice_sample") != 0)
		return queue_add(db, mem, "blob.check", b->account, b->id);
	if ((e = voice_arrived(db, b->voice)) != OK && e != ERR_NOT_FOUND)
		return e;
	return queue_add(db, mem, "voice.clone", b->account, b->voice);
}

static enum err
write_arrival(struct db *db, struct arena *mem, const struct upload_received *a,
    struct blob *before)
{
	enum err e;

	if ((e = db_begin(db, a->account)) != OK ||
	    (e = blob_get(db, mem, a->blob_id, before)) != OK ||
	    (e = blob_arrived(db, before, a->file, a->bytes, a->sha256, a->capacity)) !=
		OK)
		return e;
	return queue_work(db, mem, before);
}

static void
remove_file(const struct conf *c, struct arena *mem, const char *file)
{
	if (blob_remove(c, mem, file) != OK)
		log_warn("%s is left to the janitor", file);
}

enum err
upload_received_record(struct db *db, struct arena *mem, const struct conf *c,
    const struct upload_received *a)
{
	struct blob before = { 0 }, now = { 0 };
	enum err e = write_arrival(db, mem, a, &before), asked;
	/* These errors are permanent, so the client need not try again: */
	bool final = e == ERR_CONFLICT || e == ERR_LIMIT || e == ERR_NOT_FOUND;
	bool written = e == OK, recorded;

	if (written)
		e = db_commit(db);
	if (e != OK) {
		/*
		 * A commit that failed may still have been written. The row shows it,
		 * but with SQLite perhaps only after the next crash.
		 */
		db_rollback(db);
		asked = blob_get(db, mem, a->blob_id, &now);
		recorded = now.file != NULL && strcmp(now.file, a->file) == 0;
		if (!recorded && !written && (asked == OK || asked == ERR_NOT_FOUND) &&
		    (a->ours || final))
			remove_file(c, mem, a->file);
		if (!recorded)
			return e;
	}
	if (before.file != NULL && strcmp(before.file, a->file) != 0)
		remove_file(c, mem, before.file);
	return OK;
}

/* ---- forms ---- */

enum err
pending_upload_room(const struct conf *conf, const struct caller *caller, size_t n)
{
	return blob_room(conf, (int64_t)n * caller->plan.upload_min_bytes);
}

enum err
pending_upload_allowed(
    struct db *db, const struct caller *caller, size_t n, bool *allowed)
{
	const struct plan *plan = &caller->plan;
	int64_t stored, more = (int64_t)n * plan->upload_min_bytes;
	enum err e = account_stored(db, caller->account, &stored);

	*allowed = plan->storage_bytes == 0 || stored + more <= plan->storage_bytes;
	return e;
}

enum err
pending_upload_add(struct db *db, struct arena *mem, const struct conf *conf,
    const struct caller *caller, struct blob *b, struct upload_form *to)
{
	const char *item_id = to->item_id != NULL ? to->item_id : id_new(mem);

	b->account = caller->account;
	b->state = "awaiting";
	b->min_bytes = caller->plan.upload_min_bytes;
	b->max_bytes = caller->plan.upload_max_bytes;
	b->bytes = b->stored_us = NULL_INT;
	b->created_us = now_us();
	*to = upload_form_make(mem, conf,
	    &(struct upload_want){
		b->account, b->id, item_id, b->mime_type, b->min_bytes, b->max_bytes },
	    b->created_us);
	return blob_add(db, b);
}
