#ifndef WORK_WORK_H
#define WORK_WORK_H

#include "base/conf.h"
#include "work/queue.h"

/* Nouns: job. */

/* What a job runs with.  mem dies with the job. */
struct work {
	struct db *db;
	struct arena *mem;
	const struct conf *conf;
};

/*
 * How a run ends.  AGAIN: what it was about has changed meanwhile, or there is
 * more of it; it is due at once, behind those that are due already, and this try
 * does not count.  FULL: the disk has no room for what it makes; it is due in half
 * a minute, and no such try counts, however long that lasts.  After all but DONE,
 * why says so in a few words.
 */
enum job_end { JOB_DONE, JOB_RETRY, JOB_AGAIN, JOB_FULL, JOB_DEAD };

/* What ends a run that came to e, which is no success: FULL or RETRY. */
enum job_end job_failed(enum err e);

struct job_kind {
	const char *name;
	/*
	 * Do the work outside any transaction, then db_begin(), write its effect
	 * and answer JOB_DONE: the loop ends the job and commits, both or
	 * neither.  Anything else is rolled back.
	 */
	enum job_end (*run)(struct work *, const struct job *, const char **why);
	/* The tries are used up: what to write beside the job's death, or NULL. */
	enum err (*give_up)(struct work *, const struct job *, const char *why);
	int lease_s; /* longer than a run ever takes */
	int tries;
	/*
	 * Instead of tries and of 15 s that double up to an hour: how long to wait
	 * after so many; false: there is no further one.  Or NULL.
	 */
	bool (*again)(const struct conf *, int64_t tries, int64_t *in_us);
};

/*
 * A run that removes the rows of what the job is about, some in a transaction, so that
 * others have their turn: some() removes up to n, and says whether there are more.
 */
enum job_end job_purge(struct work *, const struct job *,
    enum err (*some)(struct db *, const char *ref, int n, bool *left),
    const char **why);
#define JOB_PURGED 2000 /* rows removed in a transaction */
#define JOB_PURGES 100  /* transactions in a run */

/*
 * Something done every so often, whether or not anybody asked.  However many jobs
 * are due, it waits for one of each kind at most.
 */
struct chore {
	const char *name;
	enum err (*run)(struct work *);
	int every_s;
};

struct worker {
	const char *name;
	const struct job_kind *kinds; /* ends with a NULL name; or NULL */
	const struct chore *chores;   /* the same */
	/* Asked once, before the first job: false, which it logs, ends the program. */
	bool (*is_fit)(struct work *);
	/* Whether it has begun what is no job and has not ended: then it neither waits
	   nor ends, but comes round to its chores.  Or NULL. */
	bool (*is_busy)(void);
};

/*
 * The whole of a worker's main(): take the lock, do what is due, linger and
 * watch for more until cron starts the next one.  --once: do not linger.
 */
int work(const struct worker *, int argc, char **argv);

/*
 * One job, for tests: ERR_NOT_FOUND when none of this kind is due, ERR_FULL when
 * it waits for room.
 */
enum err work_one(struct work *, const struct job_kind *, const char *holder);

#endif
