/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * usage: lease DATABASE KIND
 *
 * Measures how fast a worker leases a job and returns it, compared with a transaction
 * that only writes a row, and prints the result as load.c does. Both alternate every
 * fraction of a second, in one process, because a kind of job has one worker.
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/arena.h"
#include "base/clock.h"
#include "db/db.h"
#include "order.h"
#include "work/queue.h"

#define ROUNDS 5
#define SLICE_US 300000
#define TIMES_MAX (1 << 16)

struct turn {
	struct db *db;
	struct arena *mem;
	const char *kind;
};

static enum err
lease(struct turn *t)
{
	struct job jb = { 0 };
	enum err e = queue_lease(t->db, t->mem, t->kind, "bench", 60, &jb);

	return e != OK ? e : queue_wait(t->db, &jb, 0, "measured");
}

/* Run as many transactions as a lease and its end need. */
static enum err
write_twice(struct turn *t)
{
	enum err e = chore_done(t->db, "bench");

	return e != OK ? e : chore_done(t->db, "bench");
}

static double
measure(struct turn *t, enum err (*work)(struct turn *), uint32_t us[], size_t *n)
{
	int64_t start_us = monotonic_us(), since_us = start_us, now = start_us;
	size_t first = *n;

	while (now < start_us + SLICE_US && *n < TIMES_MAX) {
		if (work(t) != OK) {
			fprintf(stderr, "lease: the database refuses\n");
			exit(1);
		}
		arena_reset(t->mem);
		now = monotonic_us();
		us[(*n)++] = (uint32_t)(now - since_us);
		since_us = now;
	}
	return (double)(*n - first) * 1e6 / (double)(now - start_us);
}

int
main(int argc, char **argv)
{
	static uint32_t us[TIMES_MAX], floor_us[TIMES_MAX];
	struct turn t = { .mem = arena_new() };
	double ratio[ROUNDS], rate, floor_rate, sum = 0, floor_sum = 0;
	size_t n = 0, floor_n = 0;

	if (argc != 3 || db_open(&t.db, argv[1], 5000, false) != OK ||
	    queue_add(t.db, t.mem, argv[2], NULL, "the one that is due") != OK)
		return 2;
	t.kind = argv[2];
	for (int i = 0; i < ROUNDS; i++) {
		sum += rate = measure(&t, lease, us, &n);
		floor_sum += floor_rate = measure(&t, write_twice, floor_us, &floor_n);
		ratio[i] = rate / floor_rate;
	}
	qsort(ratio, ROUNDS, sizeof(*ratio), by_size);
	qsort(us, n, sizeof(*us), by_time);
	printf("lease a job (durable)\t%.1f\t%.0f\t%.4f\t%u\t%u\t0\t-\n", sum / ROUNDS,
	    floor_sum / ROUNDS, ratio[ROUNDS / 2], us[n / 2], us[n * 99 / 100]);
	return 0;
}
