/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The main loop of every worker. cron(8) starts a worker each minute.  It waits a
 * little for its predecessor to exit, works until nothing is due, and then sleeps until
 * something is, or the database changes.  A lock file in the folder of the node's id
 * allows one worker of each name per node, so jobs leased by a holder with this
 * worker's name were left by a killed process.
 */
#include "work/work.h"

#include <assert.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/log.h"
#include "base/process.h"

#define HANDOVER_US (8 * S_US) /* longest wait for the predecessor */
#define WATCH_US (S_US / 10)   /* least time between two looks at a changed database */
#define FULL_US (30 * S_US)    /* interval of checks for disk space */
#define LOOK_US (30 * S_US)    /* interval of looks at an unchanged database */
#define FAILED_US S_US         /* the same, after it could not be read */
#define IDLE_US (S_US / 2)     /* a connection to a server is closed then */
#define SEEN_US (60 * S_US)    /* interval of heartbeats */
#define FAILED_SEEN_US (20 * S_US)
#define EARLY_US S_US        /* chores run so much sooner together with others */
#define REMEMBER_S 300       /* rarer chores store their last run */
#define CHORES 24            /* most chores of a worker */
#define PURGE_PAUSE_US 10000 /* pause in which others get the write lock */

struct loop {
	const struct worker *is;
	struct work w;
	const char *holder;
	const char *kinds; /* names of the kinds, as an array of JSON */
	struct {
		int64_t due_us;  /* not sooner */
		int64_t idle_us; /* not later */
		int64_t pulse;   /* the database's at its last run */
	} chores[CHORES];
	int64_t
	    job_us; /* when the next job is due, as it was read at jobs_us, with the */
	int64_t jobs_us, jobs_pulse; /* database's pulse of that time */
	int64_t pulse;               /* the database's before the last look at it */
	int64_t woken_us;
	int64_t seen_us;
	int64_t failures; /* failed jobs since the last heartbeat */
};

static volatile sig_atomic_t stopping;
static int stop_fd; /* readable once it is stopping */

static void
stop(int sig)
{
	(void)sig;
	stopping = 1;
	eventfd_write(stop_fd, 1);
}

static int64_t
later(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

static int64_t
sooner(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

/* 15 s, 30 s, 1 min, ... 1 h, each up to a quarter shorter or longer at random. */
static int64_t
backoff_us(int64_t tries)
{
	int64_t s = tries < 9 ? INT64_C(15) << (tries - 1) : 3600,
		spread = s * S_US / 2;
	uint32_t dice;

	random_bytes(&dice, sizeof(dice));
	return s * S_US - spread / 2 + (int64_t)(dice % (uint64_t)spread);
}

/* Decide whether a failed job is tried again. False: that was the last try. */
static bool
may_retry(struct work *w, const struct job_kind *k, int64_t tries, int64_t *in_us)
{
	if (k->again != NULL)
		return k->again(w->conf, tries, in_us);
	*in_us = backoff_us(tries);
	return tries < k->tries;
}

static const char *
scope_of(const struct job *jb)
{
	return jb->account != NULL ? jb->account : DB_ROWS;
}

static enum err
fail(struct work *w, const struct job_kind *k, const struct job *jb, bool dead,
    const char *why)
{
	int64_t in_us;
	enum err e;

	dead = !may_retry(w, k, jb->tries, &in_us) || dead;
	log_warn("%s %s: try %d %s: %s", jb->kind, jb->ref, (int)jb->tries,
	    dead ? "was the last" : "failed", why);
	if (!dead)
		return queue_retry(w->db, jb, in_us, why);
	if ((e = db_begin(w->db, scope_of(jb))) != OK ||
	    (e = queue_dead(w->db, jb, why)) != OK)
		return e;
	if (k->give_up != NULL && (e = k->give_up(w, jb, why)) != OK)
		return e;
	return db_commit(w->db);
}

static enum err
succeed(struct work *w, const struct job *jb)
{
	enum err e = OK;

	if (!db_writing(w->db))
		e = db_begin(w->db, scope_of(jb));
	if (e != OK || (e = queue_done(w->db, jb)) != OK)
		return e;
	return db_commit(w->db);
}

enum job_end
job_failed(enum err e)
{
	return e == ERR_FULL ? JOB_FULL : JOB_RETRY;
}

enum job_end
job_purge(struct work *w, const struct job *jb,
    enum err (*some)(struct db *, const char *ref, int n, bool *left), const char **why)
{
	bool left = true;
	enum err e = OK;

	for (int i = 0; e == OK && left && i < JOB_PURGES; i++) {
		if (i > 0)
			usleep(PURGE_PAUSE_US);
		if ((e = db_begin(w->db, scope_of(jb))) == OK &&
		    (e = some(w->db, jb->ref, JOB_PURGED, &left)) == OK)
			e = db_commit(w->db);
	}
	*why = e == OK ? "there is more" : err_name(e);
	if (e != OK)
		return job_failed(e);
	return left ? JOB_AGAIN : JOB_DONE;
}

/*
 * Put a job back without counting the try. If even this cannot be written on a full
 * disk, wait here for half of the lease, so that the job's lease does not run out: an
 * expired lease would count.
 */
static enum err
await_room(
    struct work *w, const struct job_kind *k, const struct job *jb, const char *why)
{
	int64_t end = monotonic_us() + k->lease_s * S_US / 2;
	enum err e;

	log_warn("%s %s: waits for room on the disk: %s", jb->kind, jb->ref, why);
	while ((e = queue_wait(w->db, jb, FULL_US, why)) == ERR_FULL && !stopping &&
	       monotonic_us() < end)
		usleep(S_US);
	return e;
}

enum err
work_one(struct work *w, const struct job_kind *k, const char *holder)
{
	const char *why = "no reason was given";
	struct job jb;
	enum job_end end;
	enum err e;

	if ((e = queue_lease(w->db, w->mem, k->name, holder, k->lease_s, &jb)) != OK)
		return e;
	log_id(jb.id);
	end = k->run(w, &jb, &why);
	if (end == JOB_DONE && (e = succeed(w, &jb)) != OK && e != ERR_STALE) {
		end = job_failed(e);
		why = err_name(e);
	}
	if (end != JOB_DONE)
		db_rollback(w->db);
	if (end == JOB_AGAIN)
		e = queue_wait(w->db, &jb, 0, why);
	else if (end == JOB_FULL)
		e = await_room(w, k, &jb, why);
	else if (end != JOB_DONE)
		e = fail(w, k, &jb, end == JOB_DEAD, why);
	db_rollback(w->db);
	if (e == ERR_STALE)
		log_warn("%s %s: its lease expired before it ended", jb.kind, jb.ref);
	log_id(NULL);
	if (end == JOB_FULL && e == OK)
		return ERR_FULL;
	return end == JOB_DONE || end == JOB_AGAIN || e != OK ? e : ERR_REFUSED;
}

/* Do one job of this kind.  False: none is due, the queue cannot be read, or the next
   job would find the disk full too. */
static bool
do_job(struct loop *l, const struct job_kind *k)
{
	enum err e = work_one(&l->w, k, l->holder);

	arena_reset(l->w.mem);
	l->failures += e == ERR_REFUSED;
	if (e == OK || e == ERR_REFUSED || e == ERR_STALE)
		return true;
	if (e != ERR_NOT_FOUND && e != ERR_FULL) /* the failure is logged already */
		log_error("%s: %s", k->name, err_name(e));
	return false;
}

/* The name under which a chore's last run is stored. */
static const char *
chore_name(struct loop *l, const struct chore *c)
{
	return arena_printf(l->w.mem, "%s: %s", l->is->name, c->name);
}

/* The time from which the chore must run. */
static int64_t
chore_due(const struct loop *l, int i)
{
	bool changed = l->chores[i].pulse != l->pulse;

	return changed ? l->chores[i].due_us : l->chores[i].idle_us;
}

static void
plan_chore(struct loop *l, int i)
{
	const struct chore *c = &l->is->chores[i];
	int64_t now = monotonic_us();

	l->chores[i].pulse = l->pulse;
	l->chores[i].due_us = now + c->every_s * S_US;
	l->chores[i].idle_us =
	    sooner(now + later(c->every_s, c->idle_s) * S_US, l->w.again_us);
}

static void
do_chore(struct loop *l, int i)
{
	const struct chore *c = &l->is->chores[i];
	enum err e;

	if (monotonic_us() < chore_due(l, i) - sooner(EARLY_US, c->every_s * S_US / 10))
		return;
	l->w.again_us = INT64_MAX;
	e = c->run(&l->w);
	db_rollback(l->w.db);
	arena_reset(l->w.mem);
	if (e != OK) {
		log_error("%s: %s", c->name, err_name(e));
		l->w.again_us = monotonic_us() + FAILED_US;
	}
	plan_chore(l, i);
	if (c->every_s >= REMEMBER_S && chore_done(l->w.db, chore_name(l, c)) != OK)
		log_error("%s: cannot store its last run; it will run again too soon",
		    c->name);
	arena_reset(l->w.mem);
}

/* Plan a rare chore by its last run: cron starting another process does not make it
   due. */
static void
resume_chore(struct loop *l, int i, const struct list *last)
{
	const struct chore *c = &l->is->chores[i];
	const struct chore_row *row = last->items;

	for (size_t k = 0; k < last->n; k++)
		if (strcmp(row[k].name, chore_name(l, c)) == 0)
			l->chores[i].due_us = l->chores[i].idle_us =
			    monotonic_us() + row[k].last_run_us + c->every_s * S_US -
			    now_us();
}

static void
read_last_runs(struct loop *l)
{
	const struct chore *c = l->is->chores;
	struct list last;
	bool is_read = false;

	for (int i = 0; c != NULL && c[i].name != NULL; i++) {
		if (c[i].every_s < REMEMBER_S)
			continue;
		if (!is_read && chore_list(l->w.db, l->w.mem, &last) != OK)
			break;
		is_read = true;
		resume_chore(l, i, &last);
	}
	arena_reset(l->w.mem);
}

/* The time of the next heartbeat, which is sooner if it reports failures. */
static int64_t
seen_due(const struct loop *l)
{
	int64_t us = l->w.conf->worker_stale_s * S_US / 3;

	return l->seen_us + sooner(us, l->failures > 0 ? FAILED_SEEN_US : SEEN_US);
}

static void
write_heartbeat(struct loop *l)
{
	if (l->seen_us != 0 && monotonic_us() < seen_due(l))
		return;
	if (worker_seen(l->w.db, l->w.conf->node, l->is->name, l->failures) == OK)
		l->failures = 0;
	l->seen_us = monotonic_us();
}

/* Read when the next job is due, in monotonic_us(). */
static void
read_next_job(struct loop *l)
{
	int64_t due_us;

	l->job_us = INT64_MAX;
	l->jobs_us = monotonic_us();
	l->jobs_pulse = l->pulse;
	if (queue_next(l->w.db, l->kinds, &due_us) != OK)
		l->job_us = monotonic_us() + FAILED_US;
	else if (due_us != NULL_INT)
		l->job_us = monotonic_us() + due_us - now_us();
}

static bool
do_due_jobs(struct loop *l)
{
	int64_t now = monotonic_us();
	bool more = false;

	if (l->kinds == NULL)
		return false;
	if (l->jobs_pulse != l->pulse || now >= sooner(l->job_us, l->jobs_us + LOOK_US))
		read_next_job(l);
	if (l->job_us > monotonic_us())
		return false;
	l->jobs_us = 0; /* a job changes when the next one is due */
	for (const struct job_kind *k = l->is->kinds; k->name != NULL; k++)
		more |= !stopping && do_job(l, k);
	return more;
}

/* Do all due work in turns, so that many jobs of one kind do not delay the rest. */
static void
do_due_work(struct loop *l)
{
	const struct chore *c = l->is->chores;
	bool more = true;

	while (more && !stopping) {
		l->pulse = db_pulse(l->w.db, INT64_MAX);
		write_heartbeat(l);
		if ((more = do_due_jobs(l)))
			l->pulse--; /* chores see what jobs have changed */
		for (int i = 0; c && c[i].name && !stopping; i++)
			do_chore(l, i);
	}
}

static bool
is_busy(const struct loop *l)
{
	return l->is->is_busy != NULL && l->is->is_busy();
}

/* The time until which nothing is due, unless the database changes. */
static int64_t
next_due(const struct loop *l, int64_t until_us)
{
	const struct chore *c = l->is->chores;
	int64_t now = monotonic_us(), due = sooner(now + LOOK_US, seen_due(l));

	for (int i = 0; c != NULL && c[i].name != NULL; i++)
		due = sooner(due, chore_due(l, i));
	if (l->kinds != NULL) /* a job that is due may be locked */
		due = sooner(due,
		    sooner(l->jobs_us + LOOK_US, later(l->job_us, now + WATCH_US)));
	return is_busy(l) ? due : sooner(due, until_us);
}

/*
 * Wait for a while, in short steps, as another process may need this one's place at the
 * server. Then close the connection. True: the database has changed.
 */
static bool
rest(struct loop *l, const int *fds, int n, int64_t until_us)
{
	int64_t idle_us = monotonic_us() + IDLE_US;
	bool changed = false;

	while (!stopping && !changed && monotonic_us() < sooner(idle_us, until_us)) {
		db_rest(l->w.db, false);
		changed = db_await(l->w.db, l->pulse, fds, n,
		    sooner(monotonic_us() + WATCH_US, until_us));
	}
	if (!changed)
		db_rest(l->w.db, monotonic_us() < until_us);
	return changed;
}

/* Let more changes come, which are looked at together. */
static void
pause_until(int64_t us)
{
	struct pollfd p = { .fd = stop_fd, .events = POLLIN };
	int64_t left_us = us - monotonic_us();

	if (left_us > 0)
		poll(&p, 1, (int)(left_us / 1000));
}

/* Wait until something is due, or the database changes. */
static void
watch(struct loop *l, int64_t until_us)
{
	int fds[] = { stop_fd, l->is->wakeup != NULL ? l->is->wakeup() : -1 };
	int64_t due_us = next_due(l, until_us);
	bool changed = db_is_server(l->w.db) && rest(l, fds, 2, due_us);

	if (!changed && !stopping)
		changed = db_await(l->w.db, l->pulse, fds, 2, due_us);
	if (changed)
		pause_until(l->woken_us + WATCH_US);
	l->woken_us = monotonic_us();
}

/*
 * Wait for the predecessor and take its lock. False: it is still busy and continues to
 * work.
 */
static bool
acquire_lock(struct arena *mem, const char *dir, const char *name)
{
	const char *path = arena_printf(mem, "%s/%s.lock", dir, name);
	int64_t end = monotonic_us() + HANDOVER_US;

	while (
	    file_lock(path, LOCK_EX | LOCK_NB) < 0) { /* held until the process exits */
		if (errno != EWOULDBLOCK)
			log_error("%s: %s", path, strerror(errno));
		if (errno != EWOULDBLOCK || stopping || monotonic_us() > end)
			return false;
		usleep(WATCH_US);
	}
	return true;
}

static void
run_loop(struct loop *l, int64_t until_us)
{
	int64_t left = 0;

	if (l->is->is_fit != NULL && !l->is->is_fit(&l->w))
		return;
	read_last_runs(l);
	if (queue_reclaim(l->w.db, l->holder, &left) == OK && left > 0)
		log_warn("%d jobs of a killed worker are due again", (int)left);
	do {
		do_due_work(l);
		if (!stopping && (monotonic_us() < until_us || is_busy(l)))
			watch(l, until_us);
	} while (!stopping && (monotonic_us() < until_us || is_busy(l)));
}

/* The names of the kinds, for queue_next(); NULL: there are no kinds. */
static const char *
names_of(struct arena *mem, const struct job_kind *k)
{
	struct buf b = { .mem = mem };

	for (; k != NULL && k->name != NULL; k++)
		buf_printf(&b, "%s\"%s\"", b.len > 0 ? "," : "[", k->name);
	return b.len > 0 ? buf_printf(&b, "]"), buf_text(&b) : NULL;
}

int
work(const struct worker *is, int argc, char **argv)
{
	struct arena *mem = arena_new();
	struct loop l = { .is = is, .w.mem = arena_new() };
	bool once = argc > 1 && strcmp(argv[1], "--once") == 0;
	struct sigaction on_term = { .sa_handler = stop };
	struct conf conf;

	for (int i = 0; is->chores != NULL && is->chores[i].name != NULL; i++)
		assert(i < CHORES);
	log_program(is->name);
	process_protect_memory();
	stop_fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
	sigaction(SIGTERM, &on_term, NULL);
	sigaction(SIGINT, &on_term, NULL);
	if (conf_read(mem, &conf) != OK || !process_may_write(conf.state_dir))
		return EXIT_FAILURE;
	if (!acquire_lock(mem, conf.state_dir, is->name))
		return EXIT_SUCCESS;
	db_share(&conf);
	if (db_open(&l.w.db, conf.db_url, (int)conf.db_busy_ms, false) != OK)
		return EXIT_FAILURE;
	db_seal(l.w.db, &conf);
	l.w.conf = &conf;
	l.holder = arena_printf(mem, "%s/%s", conf.node, is->name);
	l.kinds = names_of(mem, is->kinds);
	run_loop(&l, monotonic_us() + (once ? 0 : conf.worker_linger_s * S_US));
	db_close(l.w.db);
	arena_free(l.w.mem);
	arena_free(mem);
	return EXIT_SUCCESS;
}
