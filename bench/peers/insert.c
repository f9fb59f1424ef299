/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bench/peers/insert.h"

#include <sqlite3.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* Memory that the writers share. */
struct run {
	atomic_int ready; /* writers */
	atomic_bool go, stop;
	atomic_llong done;   /* rows */
	atomic_llong cpu_ns; /* processor time, set once they have stopped */
};

struct writer {
	sqlite3 *h;
	sqlite3_stmt *begin, *insert, *commit;
	const char *account;
};

static int64_t
read_clock(clockid_t id)
{
	struct timespec t;

	clock_gettime(id, &t);
	return t.tv_sec * INT64_C(1000000) + t.tv_nsec / 1000;
}

static int
wait_a_little(void *arg, int looks)
{
	(void)arg;
	usleep(250);
	return looks < 20000;
}

static void
must(struct writer *w, bool ok)
{
	if (ok)
		return;
	fprintf(stderr, "insert: %s\n", sqlite3_errmsg(w->h));
	_exit(1);
}

static sqlite3_stmt *
prepare(struct writer *w, const char *text)
{
	sqlite3_stmt *st;

	must(w, sqlite3_prepare_v2(w->h, text, -1, &st, NULL) == SQLITE_OK);
	return st;
}

static void
open_writer(struct writer *w, const char *db)
{
	int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX;

	must(w, sqlite3_open_v2(db, &w->h, flags, NULL) == SQLITE_OK);
	sqlite3_busy_handler(w->h, wait_a_little, NULL);
	must(w, sqlite3_exec(w->h, "PRAGMA synchronous=FULL; PRAGMA foreign_keys=ON;",
		    NULL, NULL, NULL) == SQLITE_OK);
	w->begin = prepare(w, "BEGIN IMMEDIATE");
	w->commit = prepare(w, "COMMIT");
	w->insert = prepare(w,
	    "INSERT INTO glossaries (id, account, created_us, updated_us, name, "
	    "enabled,"
	    " type, source_lang, target_lang)"
	    " VALUES (?1, ?2, ?3, ?3, 'Medical terms', 1, 'translation', 'en', 'de')");
	must(w, sqlite3_bind_text(w->insert, 2, w->account, -1, SQLITE_STATIC) ==
		    SQLITE_OK);
}

static void
step(struct writer *w, sqlite3_stmt *st)
{
	must(w, sqlite3_step(st) == SQLITE_DONE);
	sqlite3_reset(st);
}

static void
insert(struct writer *w)
{
	unsigned int r[4] = { 0 };
	char id[37];

	must(w, getrandom(r, sizeof(r), 0) == sizeof(r));
	snprintf(id, sizeof(id), "%08x-%04x-4%03x-a%03x-%04x%08x", r[0], r[1] >> 16,
	    r[1] & 0xfff, r[2] >> 20, r[2] & 0xffff, r[3]);
	sqlite3_bind_text(w->insert, 1, id, 36, SQLITE_STATIC);
	sqlite3_bind_int64(w->insert, 3, read_clock(CLOCK_REALTIME));
	step(w, w->begin);
	step(w, w->insert);
	step(w, w->commit);
}

static int64_t
cpu_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}

/* Write rows, in a process of its own. */
static void
write_rows(struct run *p, const char *db, const char *account)
{
	struct writer w = { .account = account };
	int64_t since_ns;

	open_writer(&w, db);
	insert(&w);
	p->ready++;
	while (!p->go)
		usleep(100);
	since_ns = cpu_ns();
	for (; !p->stop; p->done++)
		insert(&w);
	p->cpu_ns += cpu_ns() - since_ns;
	_exit(0);
}

/* Wait until all processes are ready; false: one has died. */
static bool
gather(const struct run *p, int writers)
{
	while (p->ready < writers) {
		if (waitpid(-1, NULL, WNOHANG) > 0)
			return false;
		usleep(1000);
	}
	return true;
}

struct inserted
insert_rows(const char *db, const char *account, int writers, int64_t for_us)
{
	struct run *p = mmap(NULL, sizeof(*p), PROT_READ | PROT_WRITE,
	    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	struct inserted in = { 0 };
	int64_t start_us;

	if (p == MAP_FAILED)
		return in;
	for (int i = 0; i < writers; i++)
		if (fork() == 0)
			write_rows(p, db, account);
	if (gather(p, writers)) {
		start_us = read_clock(CLOCK_MONOTONIC);
		p->go = true;
		usleep((useconds_t)for_us);
		in.rate = (double)p->done * 1e6 /
			  (double)(read_clock(CLOCK_MONOTONIC) - start_us);
	}
	p->go = p->stop = true;
	while (wait(NULL) > 0)
		continue;
	if (p->done > 0)
		in.cpu_us = (double)p->cpu_ns / 1000 / (double)p->done;
	munmap(p, sizeof(*p));
	return in;
}
