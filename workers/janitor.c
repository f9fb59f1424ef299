/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Removes what has expired: unused forms, voices without a sample, bytes without an
 * owner, stored answers and deliveries, sessions, transcripts, recordings, join codes,
 * listener counts and files of streams. Stores finished recordings.
 */
#include "base/clock.h"
#include "base/log.h"
#include "base/problem.h"
#include "blob/blob.h"
#include "service/account_delete.h"
#include "service/channel_outputs.h"
#include "service/node.h"
#include "service/recording_store.h"
#include "service/webhook_records.h"
#include "store/audit.h"
#include "store/blobs.h"
#include "store/credentials.h"
#include "store/held_lines.h"
#include "store/idempotent_responses.h"
#include "store/join_codes.h"
#include "store/listening.h"
#include "store/nodes.h"
#include "store/sessions.h"
#include "store/transcripts.h"
#include "store/voices.h"
#include "store/webhook_deliveries.h"
#include "web/request_log.h"
#include "work/work.h"

#define BATCH 500                /* rows in a transaction, which must be short */
#define ROUNDS 20                /* batches in a run; the next run does the rest */
#define STEP_US (2 * S_US)       /* time between two steps of deleting an account */
#define GARBAGE_US (10 * S_US)   /* time until files that stay are tried again */
#define CONNECTED_US (10 * S_US) /* a session stays this long after its end */
#define HELD_US (600 * S_US)     /* a held line is too old for a new gateway then */
#define DEAD_DAYS 30             /* dead jobs are shown this long */
#define CREDENTIAL_DAYS 30       /* void credentials are shown this long */
#define RECORDINGS_US (5 * S_US) /* time after which no further folder is begun */
/* days for which counts by the minute stay after an event */
#define LISTENING_DAYS 30

/* Delete rows older than before_us, a batch at a time. */
static enum err
expire(struct work *w, int64_t before_us,
    enum err (*some)(struct db *, int64_t before_us, int most, int64_t *n))
{
	int64_t n = BATCH;
	enum err e = OK;

	while (e == OK && n == BATCH)
		e = some(w->db, before_us, BATCH, &n);
	return e;
}

static enum err
expire_answers(struct work *w)
{
	return expire(w, now_us(), idempotent_response_expire);
}

static enum err
expire_audit(struct work *w)
{
	return expire(w, now_us() - AUDIT_DAYS * 86400 * S_US, audit_expire);
}

static enum err
sweep_requests(struct work *w)
{
	return request_log_sweep(w->db, w->mem, w->conf->state_dir);
}

static enum err
expire_held_lines(struct work *w)
{
	return expire(w, now_us() - HELD_US, held_expire);
}

static enum err
expire_join_codes(struct work *w)
{
	return expire(w, now_us(), join_code_expire);
}

/* The gateway extends a session that has a connection, within seconds. */
static enum err
expire_sessions(struct work *w)
{
	return expire(w, now_us() - CONNECTED_US, session_expire);
}

static enum err
expire_deliveries(struct work *w)
{
	return expire(w, now_us() - w->conf->webhook_keep_days * 86400 * S_US,
	    webhook_delivery_expire);
}

static enum err
forget_dead_jobs(struct work *w)
{
	return queue_bury(w->db, now_us() - DEAD_DAYS * 86400 * S_US);
}

/* The form has expired and the wait is over: delete its blobs. */
static enum err
expire_uploads(struct work *w)
{
	return expire(w, now_us() - w->conf->voice_sample_wait_s * S_US, blob_expire);
}

/* Let a voice expire, with the messages to webhooks. */
static enum err
expire_voice(struct work *w, const struct voice_processing *v)
{
	enum err e;

	if ((e = db_begin(w->db, v->account)) != OK ||
	    (e = voice_failed(w->db, v->id,
		 problem_line(w->mem, P_SAMPLE_MISSING, "No file arrived in time."))) !=
		OK ||
	    (e = webhook_voice(w->db, w->mem, w->conf, v->account, v->id)) != OK ||
	    (e = db_commit(w->db)) != OK)
		db_rollback(w->db);
	return e;
}

static enum err
expire_voices(struct work *w)
{
	int64_t before = now_us() - w->conf->voice_sample_wait_s * S_US;
	struct list late;
	enum err e = voice_late(w->db, w->mem, before, BATCH, &late);

	for (size_t i = 0; i < late.n && e == OK; i++)
		e = expire_voice(w, (struct voice_processing *)late.items + i);
	return e == ERR_NOT_FOUND ? OK : e;
}

/* Delete the bytes first, then the row that names them. */
static enum err
remove_blob(struct work *w, const struct blob *b)
{
	enum err e = b->file != NULL ? blob_remove(w->conf, w->mem, b->file) : OK;

	return e == OK ? blob_forget(w->db, b) : e;
}

/* Skip blobs that cannot be removed now; the next round tries them again. */
static enum err
remove_all(struct work *w, bool rejected)
{
	struct list garbage = { .n = BATCH };
	const char *after = "";
	enum err e = OK;

	for (int i = 0; i < ROUNDS && e == OK && garbage.n == BATCH; i++) {
		e = blob_garbage(w->db, w->mem, rejected, after, BATCH, &garbage);
		if (garbage.n > 0)
			w->again_us = monotonic_us() + GARBAGE_US;
		for (size_t k = 0; e == OK && k < garbage.n; k++) {
			const struct blob *b = (struct blob *)garbage.items + k;

			after = b->id;
			if ((e = remove_blob(w, b)) == ERR_BUSY)
				return OK; /* a backup is running */
			if (e != OK)
				log_warn("blob %s stays for now", b->id);
			e = OK;
		}
	}
	return e;
}

static enum err
remove_garbage(struct work *w)
{
	enum err e = remove_all(w, false);

	return e != OK ? e : remove_all(w, true);
}

static bool
is_stray(void *arg, const char *file)
{
	struct work *w = arg;
	int64_t n;

	return blob_has_file(w->db, file, &n) == OK && n == 0;
}

/* Remove files of programs that were killed between rename and commit. */
static enum err
sweep_files(struct work *w)
{
	int64_t removed = 0;
	enum err e =
	    blob_sweep(w->conf, w->mem, now_us() - 3600 * S_US, is_stray, w, &removed);

	if (removed > 0)
		log_info("%lld stray files removed", (long long)removed);
	return e;
}

static enum err
sweep(struct db *db, int64_t before_us, int most, int64_t *n)
{
	(void)before_us;
	return transcript_sweep(db, most, n);
}

static enum err
expire_transcripts(struct work *w)
{
	int64_t days = w->conf->transcript_keep_days;
	enum err e = OK;

	if (days > 0)
		e = expire(w, now_us() - days * 86400 * S_US, transcript_expire);
	return e == OK ? expire(w, 0, sweep) : e;
}

/* Collect recordings, for at most RECORDINGS_US, so that other chores need not wait. */
static enum err
store_recordings(struct work *w)
{
	int64_t end_us = monotonic_us() + RECORDINGS_US;
	bool taken = true;
	int n, all = 0;
	enum err e = OK;

	while (e == OK && taken && monotonic_us() < end_us) {
		e = recording_collect(w->conf, w->db, w->mem, &taken, &n);
		all += n;
	}
	if (all > 0)
		log_info("files of recordings that were stored: %d", all);
	return e;
}

static enum err
sweep_recordings(struct db *db, int64_t before_us, int most, int64_t *n)
{
	(void)before_us;
	return recording_expire(db, INT64_MIN, most, n);
}

static enum err
expire_recordings(struct work *w)
{
	int64_t days = w->conf->recordings_keep_days;
	enum err e = OK;

	if (days > 0)
		e = expire(w, now_us() - days * 86400 * S_US, recording_expire);
	return e == OK ? expire(w, 0, sweep_recordings) : e;
}

/* Perform one step for each account; the next run, which is soon, does the next one. */
static enum err
delete_accounts(struct work *w)
{
	struct account_thing a = { .id = "" };
	enum err e = OK;
	bool left;

	while (e == OK) {
		e = account_data_next(
		    w->db, w->mem, now_us() - ACCOUNT_DELETE_WAIT_US, a.id, &a);
		if (e == OK &&
		    (e = account_delete_step(w->db, w->mem, w->conf, &a, &left)) ==
			OK &&
		    !left)
			log_info("account %s is deleted", a.id);
		if (e == OK)
			w->again_us = monotonic_us() + STEP_US;
	}
	return e == ERR_NOT_FOUND ? OK : e;
}

/* Delete revoked keys and used links. Operators can see them until then. */
static enum err
forget_credentials(struct work *w)
{
	return expire(w, now_us() - CREDENTIAL_DAYS * 86400 * S_US, credential_forget);
}

/* A node that was silent for a week registers as a new one if it returns. */
static enum err
forget_nodes(struct work *w)
{
	return node_forget(w->db, now_us() - 7 * 86400 * S_US);
}

static enum err
expire_minutes(struct work *w)
{
	int64_t before = now_us() - LISTENING_DAYS * 86400 * S_US, n = 1;
	enum err e = OK;

	for (int i = 0; i < ROUNDS && e == OK && n > 0; i++)
		e = listening_expire(w->db, w->mem, before, BATCH, &n);
	return e;
}

static enum err
expire_streams(struct work *w)
{
	return channel_outputs_expire(w->conf, w->mem);
}

int
main(int argc, char **argv)
{
	static const struct chore chores[] = {
		{ "expire answers", expire_answers, .every_s = 60 },
		{ "expire deliveries", expire_deliveries, .every_s = 60 },
		{ "expire sessions", expire_sessions, .every_s = 20 },
		{ "expire uploads", expire_uploads, .every_s = 20 },
		{ "expire voices", expire_voices, .every_s = 20 },
		{ "remove garbage", remove_garbage, .every_s = 10, .idle_s = 60 },
		{ "sweep files", sweep_files, .every_s = 3600 },
		{ "expire transcripts", expire_transcripts, .every_s = 60 },
		{ "keep recordings", store_recordings, .every_s = 10 },
		{ "expire recordings", expire_recordings, .every_s = 60 },
		{ "forget dead jobs", forget_dead_jobs, .every_s = 3600 },
		{ "forget credentials", forget_credentials, .every_s = 3600 },
		{ "delete accounts", delete_accounts, .every_s = 2, .idle_s = 30 },
		{ "forget nodes", forget_nodes, .every_s = 3600 },
		{ "expire audit", expire_audit, .every_s = 600 },
		{ "sweep requests", sweep_requests, .every_s = 60 },
		{ "expire held lines", expire_held_lines, .every_s = 600 },
		{ "expire join codes", expire_join_codes, .every_s = 600 },
		{ "expire minutes", expire_minutes, .every_s = 600 },
		{ "expire streams", expire_streams, .every_s = 600 },
		{ NULL },
	};
	static const struct worker is = { "janitor", NULL, chores, node_is_fit };

	return work(&is, argc, argv);
}
