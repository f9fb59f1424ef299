/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Checks that an uploaded file has the type and size that its form declared, and
 * removes it if not. With S3 as the store it also polls for new files, because S3 does
 * not report them.
 */
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/problem.h"
#include "blob/blob.h"
#include "blob/upload_form.h"
#include "media/media.h"
#include "service/node.h"
#include "service/upload.h"
#include "service/webhook_records.h"
#include "store/accounts.h"
#include "store/blobs.h"
#include "store/nodes.h"
#include "store/voices.h"
#include "work/work.h"

#define ROUND 200 /* forms asked about at once */

static enum err
judge(struct work *w, const struct blob *b, bool *fine)
{
	struct media_at at = { arena_printf(
				   w->mem, "%s/dragoman-media", w->conf->bin_dir),
		(int)w->conf->engine_timeout_ms };
	struct media_info info;
	struct blob_file file;
	enum err e;

	if ((e = blob_open(w->conf, w->mem, b->file, &file)) != OK)
		return e;
	e = media_check(&at, w->mem, file.path, b->mime_type, &info);
	*fine = info.verdict == MEDIA_FINE;
	return e;
}

static enum job_end
check(struct work *w, const struct job *jb, const char **why)
{
	struct blob b;
	bool fine = false;
	enum err e = blob_get(w->db, w->mem, jb->ref, &b);

	if (e == ERR_NOT_FOUND || (e == OK && strcmp(b.state, "stored") != 0))
		return JOB_DONE; /* deleted, or checked before */
	if (e == OK)
		e = judge(w, &b, &fine);
	if (e == OK)
		e = db_begin(w->db, b.account);
	if (e == OK)
		e = fine ? blob_checked(w->db, b.id, b.file) : blob_reject(w->db, &b);
	if (e == OK)
		return JOB_DONE;
	*why = err_name(e);
	return e == ERR_STALE ? JOB_AGAIN : job_failed(e); /* a newer file came */
}

/* Remove a file that cannot be checked. */
static enum err
give_up(struct work *w, const struct job *jb, const char *why)
{
	struct blob b;
	enum err e = blob_get(w->db, w->mem, jb->ref, &b);

	(void)why;
	if (e == OK && strcmp(b.state, "stored") == 0)
		e = blob_reject(w->db, &b);
	return e == ERR_NOT_FOUND ? OK : e;
}

/* Refuse a file that exceeds the limits of the form or the account. */
static enum err
refuse(struct work *w, const struct blob *b)
{
	const char *why =
	    problem_line(w->mem, P_SAMPLE_SIZE, "The file's size is not allowed.");
	enum err e;

	if ((e = db_begin(w->db, b->account)) != OK ||
	    (e = blob_refuse_arrival(w->db, b)) != OK)
		return e;
	if (b->voice != NULL && ((e = voice_failed(w->db, b->voice, why)) != OK ||
				    (e = webhook_voice(w->db, w->mem, w->conf,
					 b->account, b->voice)) != OK))
		return e;
	return db_commit(w->db);
}

static enum err
record(
    struct work *w, const struct blob *b, const char *file, const struct blob_facts *f)
{
	struct upload_received a = { b->id, b->account, file, f->bytes, f->sha256, 0,
		false };
	struct caller owner;
	enum err e;

	e = caller_by_account(w->db, w->mem, w->conf, b->account, &owner);
	if (e != OK)
		return e;
	a.capacity = owner.plan.storage_bytes;
	return upload_received_record(w->db, w->mem, w->conf, &a);
}

/* Check whether the file of this form has arrived in the bucket. */
static enum err
find_arrival(struct work *w, const struct blob *b)
{
	const char *file = upload_form_key(w->mem, b->account, b->id);
	struct blob_facts f;
	enum err e = blob_stat(w->conf, w->mem, file, &f);

	if (e != OK)
		return e == ERR_NOT_FOUND ? OK : e;
	if (f.bytes >= b->min_bytes && f.bytes <= b->max_bytes &&
	    (e = record(w, b, file, &f)) != ERR_LIMIT)
		return e;
	db_rollback(w->db);
	return refuse(w, b);
}

/*
 * Check all awaited forms, oldest first. Each round resumes where the last one stopped.
 * A form that fails is tried again in the next pass and does not delay the others.
 */
static enum err
find_arrivals(struct work *w)
{
	static int64_t after_us = NULL_INT;
	static char after[64];
	struct list awaited;
	enum err e;

	if (strcmp(w->conf->blob_store, "s3") != 0)
		return OK;
	e = blob_awaited(
	    w->db, w->mem, after_us != NULL_INT ? after_us : 0, after, ROUND, &awaited);
	for (size_t i = 0; i < awaited.n && e == OK; i++) {
		const struct blob *b = (struct blob *)awaited.items + i;

		after_us = b->created_us;
		snprintf(after, sizeof(after), "%s", b->id);
		e = find_arrival(w, b);
		db_rollback(w->db);
		if (e != OK && e != ERR_BUSY && e != ERR_TIMEOUT) {
			log_warn("blob %s: %s", b->id, err_name(e));
			e = OK;
		}
	}
	if (awaited.n < ROUND)
		after_us = NULL_INT;
	if (awaited.n > 0)
		w->again_us = monotonic_us() + S_US;
	return e;
}

/* Called once by each process, which cron starts every minute. */
static enum err
check_store(struct work *w)
{
	const char *fault = blob_fault(w->conf, w->mem);

	if (fault != NULL)
		log_error("blob.bucket %s at %s: %s", w->conf->blob_bucket,
		    w->conf->blob_endpoint, fault);
	return node_fault(w->db, w->conf->node, fault);
}

int
main(int argc, char **argv)
{
	static const struct job_kind kinds[] = {
		{ "blob.check", check, give_up, .lease_s = 180, .tries = 5 },
		{ NULL },
	};
	static const struct chore chores[] = {
		{ "look for arrivals", find_arrivals, .every_s = 1, .idle_s = 30 },
		{ "look at the store", check_store, .every_s = 240 },
		{ NULL },
	};
	static const struct worker is = { "blob_check", kinds, chores, node_is_fit };

	return work(&is, argc, argv);
}
