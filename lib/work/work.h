/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef WORK_WORK_H
#define WORK_WORK_H

#include "base/conf.h"
#include "work/queue.h"

/* Nouns: job. */

/* The environment of a job or chore. mem is reset after it. */
struct work {
	struct db *db;
	struct arena *mem;
	const struct conf *conf;
	int64_t again_us; /* a chore may set it: run it again then, in monotonic_us() */
};

/*
 * How a run ends.  AGAIN: the object changed meanwhile, or more remains to be done; the
 * job is due at once, after the jobs already due, and this try does not count.  FULL:
 * the disk is full; the job is due in half a minute, and no such try counts.  After any
 * result but DONE, *why is the reason in a few words.
 */
enum job_end { JOB_DONE, JOB_RETRY, JOB_AGAIN, JOB_FULL, JOB_DEAD };

/* The result of a run that failed with e: FULL or RETRY. */
enum job_end job_failed(enum err e);

struct job_kind {
	const char *name;
	/*
	 * Do the work outside any transaction, then call db_begin(), write the effect
	 * and return JOB_DONE: the loop deletes the job and commits both together.
	 * With any other result the transaction is rolled back.
	 */
	enum job_end (*run)(struct work *, const struct job *, const char **why);
	/*
	 * Called after the last try, in the transaction that marks the job as dead; or
	 * NULL.
	 */
	enum err (*give_up)(struct work *, const struct job *, const char *why);
	int lease_s; /* longer than any run */
	int tries;
	/* Replaces tries and the default waits (15 s, doubled up to an hour): set the
	   wait after so many tries.  False: no further try.  Or NULL. */
	bool (*again)(const struct conf *, int64_t tries, int64_t *in_us);
};

/*
 * A run that deletes the rows of the job's object, some in each transaction, so that
 * others get the write lock: some() deletes up to n rows and sets *left if more remain.
 */
enum job_end job_purge(struct work *, const struct job *,
    enum err (*some)(struct db *, const char *ref, int n, bool *left),
    const char **why);
#define JOB_PURGED 2000 /* rows deleted in a transaction */
#define JOB_PURGES 100  /* transactions in a run */

/*
 * A periodic task.  However many jobs are due, it waits for at most one of each kind.
 * With idle_s it runs only that often while the database does not change.
 */
struct chore {
	const char *name;
	enum err (*run)(struct work *);
	int every_s;
	int idle_s;
};

struct worker {
	const char *name;
	const struct job_kind *kinds; /* ends with a NULL name; or NULL */
	const struct chore *chores;   /* ends with a NULL name; or NULL */
	/* Called once before the first job.  False ends the program; the function logs
	   why.  Or NULL. */
	bool (*is_fit)(struct work *);
	/* True while it does work that is not a job: then the loop does not end.  Or
	   NULL. */
	bool (*is_busy)(void);
	/* A descriptor; the chores run again when it is readable.  Or NULL. */
	int (*wakeup)(void);
};

/* The main() of a worker: take the lock, do what is due, then watch for more work until
   cron starts the next one. --once: do not watch. */
int work(const struct worker *, int argc, char **argv);

/* Do one job, for tests.  ERR_NOT_FOUND: none of this kind is due.  ERR_FULL: it waits
   for disk space. */
enum err work_one(struct work *, const struct job_kind *, const char *holder);

#endif
