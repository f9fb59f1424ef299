#ifndef WORK_QUEUE_H
#define WORK_QUEUE_H

#include "db/db.h"

/* Nouns: chore, worker. */

struct job {
	const char *id;
	const char *kind;
	const char *account; /* on whose behalf, or NULL */
	const char *ref;     /* id of what it is about */
	const char *key;     /* proof that the lease is ours */
	int64_t tries;       /* this one included */
};

extern const struct sql queue_sql[];

/*
 * Queue a job, inside the transaction that makes it necessary.  While a job of
 * the same kind and ref is waiting or running, no second one is queued.
 */
enum err queue_add(struct db *, struct arena *, const char *kind, const char *account,
    const char *ref) MUST_CHECK;
/* The same, due then and not before. */
enum err queue_add_at(struct db *, struct arena *, const char *kind,
    const char *account, const char *ref, int64_t due_us) MUST_CHECK;
/*
 * Lease the job of that kind and ref for work that is done here and now, due or
 * not; it is queued if there is none, and its tries are counted anew.  The
 * caller ends it like a worker; one that dies leaves it due.  The
 * kind, account and ref are the caller's in *jb.  ERR_CONFLICT: it runs elsewhere.
 */
enum err queue_claim(struct db *, struct arena *, const char *holder, int lease_s,
    struct job *jb) MUST_CHECK;
/*
 * Forget what is to be done, or being done, of that kind and ref; *until_us: when
 * the lease of the one at work ends, 0 if none is.
 */
enum err queue_drop(
    struct db *, const char *kind, const char *ref, int64_t *until_us) MUST_CHECK;
/* The job of that kind and ref is due now, if it waits. */
enum err queue_hasten(struct db *, const char *kind, const char *ref) MUST_CHECK;
/* The same, due then, not now. */
enum err queue_put_off(
    struct db *, const char *kind, const char *ref, int64_t due_us) MUST_CHECK;
/* How many jobs of that kind wait or run. */
enum err queue_count(struct db *, const char *kind, int64_t *) MUST_CHECK;
/*
 * What they waited for is back: those of this kind that failed and are due later
 * than within_us from now are due before that, spread as their waits were, and
 * their tries are counted anew.
 */
enum err queue_wake(struct db *, const char *kind, int64_t within_us) MUST_CHECK;
/* Lease the job that has been due longest.  ERR_NOT_FOUND: none is due. */
enum err queue_lease(struct db *, struct arena *, const char *kind, const char *holder,
    int lease_s, struct job *) MUST_CHECK;
/* These four answer ERR_STALE when the lease ran out and another one has it. */
enum err queue_done(struct db *, const struct job *) MUST_CHECK;
enum err queue_retry(
    struct db *, const struct job *, int64_t in_us, const char *why) MUST_CHECK;
/* The same, and the try does not count. */
enum err queue_wait(
    struct db *, const struct job *, int64_t in_us, const char *why) MUST_CHECK;
enum err queue_dead(struct db *, const struct job *, const char *why) MUST_CHECK;
/* What this holder leased and never ended is due again: it was killed. */
enum err queue_reclaim(struct db *, const char *holder, int64_t *n) MUST_CHECK;

/* Forget dead jobs that were made before then. */
enum err queue_bury(struct db *, int64_t before_us) MUST_CHECK;

/* A sign of life of a node's worker, and how many tries failed since the last one. */
enum err worker_seen(
    struct db *, const char *node, const char *name, int64_t failures) MUST_CHECK;
/* The worker's last sign of life no longer counts. */
enum err worker_gone(struct db *, const char *node, const char *name) MUST_CHECK;

/* A rare chore was done now; when it was done last, NULL_INT: never. */
enum err chore_done(struct db *, const char *name) MUST_CHECK;
/* It is as if it had never been done. */
enum err chore_forget(struct db *, const char *name) MUST_CHECK;
enum err chore_last(struct db *, const char *name, int64_t *us) MUST_CHECK;

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

/* How to show and read the three rows above. */
extern const struct field worker_fields[], queue_fields[], dead_fields[];

/* For /health, /metrics and `dragoman status`: lists of the structs above. */
/* Workers: those of one node. */
enum err worker_list(
    struct db *, struct arena *, const char *node, struct list *) MUST_CHECK;
enum err queue_counts(struct db *, struct arena *, struct list *) MUST_CHECK;
enum err queue_deads(struct db *, struct arena *, struct list *) MUST_CHECK; /* 50 */

#endif
