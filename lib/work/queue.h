/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef WORK_QUEUE_H
#define WORK_QUEUE_H

#include "db/db.h"

/* Nouns: chore, worker. */

struct job {
	const char *id;
	const char *kind;
	const char *account; /* the account it runs for, or NULL */
	const char *ref;     /* id of its object */
	const char *key;     /* proof of the lease */
	int64_t tries;       /* including this one */
};

extern const struct sql queue_sql[];

/* Queue a job, in the transaction that makes it necessary.  While a job with the same
   kind and ref waits or runs, no second one is queued. */
enum err queue_add(struct db *, struct arena *, const char *kind, const char *account,
    const char *ref) MUST_CHECK;
/* Queue a job that is due at due_us. */
enum err queue_add_at(struct db *, struct arena *, const char *kind,
    const char *account, const char *ref, int64_t due_us) MUST_CHECK;
/*
 * Lease the job with this kind and ref for work that this process does now, whether it
 * is due or not; it is queued if it does not exist.  Its tries are counted from 1
 * again.  The caller must end it as a worker does; if the caller dies, the job becomes
 * due.  Set kind, account and ref in *jb.  ERR_CONFLICT: the job runs elsewhere.
 */
enum err queue_claim(struct db *, struct arena *, const char *holder, int lease_s,
    struct job *jb) MUST_CHECK;
/* Delete the job with this kind and ref, waiting or running; *until_us: end of the
   lease of a running one, else 0. */
enum err queue_drop(
    struct db *, const char *kind, const char *ref, int64_t *until_us) MUST_CHECK;
/* Make the job with this kind and ref due now if it waits. */
enum err queue_hasten(struct db *, const char *kind, const char *ref) MUST_CHECK;
/* Postpone the job with this kind and ref to due_us if it waits. */
enum err queue_put_off(
    struct db *, const char *kind, const char *ref, int64_t due_us) MUST_CHECK;
/* Count the jobs of a kind that wait or run. */
enum err queue_count(struct db *, const char *kind, int64_t *) MUST_CHECK;
/*
 * The backend is back: make failed jobs of this kind that are due later than within_us
 * from now due within that time, spread as their waits were, and count their tries from
 * 1 again.
 */
enum err queue_wake(struct db *, const char *kind, int64_t within_us) MUST_CHECK;
/* Lease the job that has been due longest.  ERR_NOT_FOUND: no job is due. */
enum err queue_lease(struct db *, struct arena *, const char *kind, const char *holder,
    int lease_s, struct job *) MUST_CHECK;
/* *due_us: when the first job of these kinds is due, or the lease of a running one
   ends; NULL_INT: there is none.  The kinds are an array of JSON. */
enum err queue_next(struct db *, const char *kinds, int64_t *due_us) MUST_CHECK;
/* These four functions return ERR_STALE if the lease has expired and another worker has
   it. */
enum err queue_done(struct db *, const struct job *) MUST_CHECK;
enum err queue_retry(
    struct db *, const struct job *, int64_t in_us, const char *why) MUST_CHECK;
/* As queue_retry(), but the try does not count. */
enum err queue_wait(
    struct db *, const struct job *, int64_t in_us, const char *why) MUST_CHECK;
enum err queue_dead(struct db *, const struct job *, const char *why) MUST_CHECK;
/* Make the jobs of a killed holder due again; *n is their number. */
enum err queue_reclaim(struct db *, const char *holder, int64_t *n) MUST_CHECK;

/* Delete dead jobs that were created before before_us. */
enum err queue_bury(struct db *, int64_t before_us) MUST_CHECK;

/*
 * Write the heartbeat of a node's worker, and how many tries failed since the last one.
 */
enum err worker_seen(
    struct db *, const char *node, const char *name, int64_t failures) MUST_CHECK;
/* Delete the heartbeat of a worker. */
enum err worker_gone(struct db *, const char *node, const char *name) MUST_CHECK;

/* Record that a rare chore was done now; chore_last(): when it was done last, NULL_INT:
   never. */
enum err chore_done(struct db *, const char *name) MUST_CHECK;
/* Forget that a chore was done. */
enum err chore_forget(struct db *, const char *name) MUST_CHECK;
enum err chore_last(struct db *, const char *name, int64_t *us) MUST_CHECK;
struct chore_row {
	const char *name;
	int64_t last_run_us;
};
/* List the last runs of all chores. */
enum err chore_list(struct db *, struct arena *, struct list *) MUST_CHECK;

struct worker_row {
	const char *name;
	int64_t last_run_us;
	int64_t failures;
};

struct queue_row {
	const char *kind;
	const char *state;
	int64_t n;
};

struct dead_row {
	const char *id, *kind, *ref, *error;
	int64_t tries, created_us;
};

/* The fields of the three rows above. */
extern const struct field worker_fields[], queue_fields[], dead_fields[];

/* Lists of the structs above, for /health, /metrics and `dragoman status`. */
/* The workers of one node. */
enum err worker_list(
    struct db *, struct arena *, const char *node, struct list *) MUST_CHECK;
enum err queue_counts(struct db *, struct arena *, struct list *) MUST_CHECK;
enum err queue_deads(
    struct db *, struct arena *, struct list *) MUST_CHECK; /* newest 50 */

#endif
