/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A random day. Several processes make a thousand entries in one database. Each process
 * is killed with -9 and restarted many times, and then repeats its last entry like a
 * client that got no answer. In the end every reference must exist once, and all sums
 * must agree.
 */
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>

#include "tests/unit/ledger_fixture.h"

#define OPERATIONS 1000
#define WORKERS 4
#define ACCOUNTS 3
#define KILLS 40   /* at least */
#define READINGS 3 /* checks after each operation */

enum kind { GRANT, CORRECTION, USAGE, EVENT_USAGE, READING, KINDS };

/* The entries to make, the same for each process. */
struct operation {
	enum kind kind;
	int account;
	/* index of the operation with the same reference: its own, or an earlier one */
	int of;
	int64_t micro; /* signed */
	int64_t streamed_us;
};

/* State that survives a kill. */
struct day {
	struct operation plan[OPERATIONS];
	const char *accounts[ACCOUNTS], *events[ACCOUNTS];
	/* next entry of each process; every WORKERS-th entry is its own */
	int next[WORKERS];
	bool booked[OPERATIONS]; /* acknowledged */
	int again;               /* entries that existed already; atomic */
	/* times that a balance differed from the sum of its entries; atomic */
	int apart;
	int wrong; /* other answers; atomic */
};

static struct day *day;
static pid_t workers[WORKERS];

static uint32_t
dice(uint32_t below)
{
	uint32_t n;

	random_bytes(&n, sizeof(n));
	return n % below;
}

/* ---- the plan ---- */

static struct operation
operation_new(int i)
{
	struct operation o = {
		.kind = dice(KINDS), .account = (int)dice(ACCOUNTS), .of = i
	};

	o.micro = 1 + dice(100000000);
	if (o.kind == USAGE || o.kind == EVENT_USAGE || (o.kind == CORRECTION && i % 2))
		o.micro = -o.micro;
	if (o.kind == EVENT_USAGE)
		o.streamed_us = dice(10000000);
	return o;
}

/* One of five repeats an earlier entry, possibly at the same time as its first try. */
static void
make_plan(void)
{
	for (int i = 0; i < OPERATIONS; i++)
		day->plan[i] = i > 0 && dice(5) == 0
				   ? day->plan[dice(2) ? i - 1 : (int)dice((uint32_t)i)]
				   : operation_new(i);
}

/* ---- a worker ---- */

static enum err
book(const struct operation *o)
{
	const char *account = day->accounts[o->account];
	const char *reference = arena_printf(mem, "day:%d", o->of);
	const struct usage u = { account,
		o->kind == EVENT_USAGE ? day->events[o->account] : NULL, reference,
		-o->micro, o->streamed_us, now_us() };

	if (o->kind == USAGE || o->kind == EVENT_USAGE)
		return ledger_use(db, mem, &u);
	return ledger_add(db, mem, account, o->kind == GRANT ? "grant" : "correction",
	    o->micro, reference);
}

/* Some kills happen before the commit. */
static enum err
book_whole(const struct operation *o)
{
	enum err e = db_begin(db, DB_ALL);

	if (e == OK)
		e = book(o);
	if (e == OK)
		usleep(dice(4000));
	return kept(e);
}

static void
count(int *what)
{
	__atomic_add_fetch(what, 1, __ATOMIC_SEQ_CST);
}

/* Reads the balance as the creation of a session does, and checks it. */
static enum err
read_balance(const struct operation *o)
{
	const char *account = day->accounts[o->account];
	struct ledger_sums sums;
	int64_t micro;
	enum err e;

	if ((e = ledger_balance(db, account, &micro)) != OK ||
	    (e = ledger_check(db, mem, account, &sums)) != OK)
		return e;
	if (!sums.agree)
		count(&day->apart);
	return OK;
}

/* Each process reads after its change, while others write. */
static void
do_one(int i)
{
	const struct operation *o = &day->plan[i];
	enum err e;

	do
		e = o->kind == READING ? OK : book_whole(o);
	while (e == ERR_BUSY);
	if (e == ERR_CONFLICT)
		count(&day->again);
	else if (e != OK)
		count(&day->wrong);
	day->booked[i] = true;
	for (int k = 0; k < READINGS; k++)
		while ((e = read_balance(o)) == ERR_BUSY)
			;
	if (e != OK)
		count(&day->wrong);
}

static void
work(int which, int me)
{
	int *next = &day->next[me];

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	mem = arena_new();
	db = books_connect(which);
	for (; *next < OPERATIONS; *next += WORKERS) {
		do_one(*next);
		arena_reset(mem);
	}
	_exit(0);
}

/* ---- the day ---- */

static void
start(int which, int i)
{
	if ((workers[i] = fork()) == 0)
		work(which, i);
	ck_assert_int_gt(workers[i], 0);
}

/* True if the process was working, and works again. */
static bool
kill_one(int which, int i)
{
	int status;

	if (workers[i] == 0)
		return false;
	kill(workers[i], SIGKILL);
	ck_assert_int_eq(waitpid(workers[i], &status, 0), workers[i]);
	workers[i] = 0;
	if (WIFEXITED(status)) {
		ck_assert_int_eq(WEXITSTATUS(status), 0);
		return false;
	}
	start(which, i);
	return true;
}

static bool
over(void)
{
	for (int i = 0; i < WORKERS; i++)
		if (workers[i] != 0)
			return false;
	return true;
}

/* Returns the number of kills. */
static int
live_through(int which)
{
	int kills = 0;

	for (int i = 0; i < WORKERS; i++) {
		day->next[i] = i;
		start(which, i);
	}
	while (!over()) {
		/* the loop must end */
		usleep(dice(10000) * (uint32_t)(1 + kills / 30));
		kills += kill_one(which, (int)dice(WORKERS));
	}
	return kills;
}

/* ---- the evening ---- */

/* clang-format off */
static const struct sql	 of_reference = { "of_reference",
    "SELECT count(*) FROM ledger WHERE reference = $1", NULL };
static const struct sql	 of_ledger = { "of_ledger",
    "SELECT count(*) FROM ledger WHERE account = $1", NULL };
static const struct sql	 of_event = { "of_event",
    "SELECT used_micro FROM event_stats WHERE event = $1", NULL };
static const struct sql	 of_usage = { "of_usage",
    "SELECT CAST(-sum(amount_micro) AS INTEGER) FROM ledger WHERE kind = 'usage' AND event = $1",
    NULL };
static const struct sql	 of_stream = { "of_stream",
    "SELECT streamed_us FROM event_stats WHERE event = $1", NULL };
/* clang-format on */

static void
expect_every_reference_once(void)
{
	for (int i = 0; i < OPERATIONS; i++) {
		const struct operation *o = &day->plan[i];
		const char *reference = arena_printf(mem, "day:%d", o->of);

		ck_assert_msg(day->booked[i], "operation %d was never done", i);
		ck_assert_msg(
		    books_number(&of_reference, reference) == (o->kind != READING),
		    "%s is not there once", reference);
	}
}

/* Expects the planned entries of an account, each once. */
static void
expect_account(int account)
{
	const char *id = day->accounts[account], *event = day->events[account];
	int64_t micro = 0, used = 0, streamed_us = 0, n = 0;

	for (int i = 0; i < OPERATIONS; i++) {
		const struct operation *o = &day->plan[i];

		if (o->of != i || o->account != account || o->kind == READING)
			continue;
		n++;
		micro += o->micro;
		used -= o->kind == EVENT_USAGE ? o->micro : 0;
		streamed_us += o->streamed_us;
	}
	ck_assert_int_eq(balance_of(id), micro);
	ck_assert(agrees(id));
	ck_assert_int_eq(books_number(&of_ledger, id), n);
	ck_assert_int_eq(books_number(&of_event, event), used);
	ck_assert_int_eq(books_number(&of_usage, event), used);
	ck_assert_int_eq(books_number(&of_stream, event), streamed_us);
}

START_TEST(a_random_day_with_kills_adds_up)
{
	static const char *const names[] = { "SQLite", "PostgreSQL" };
	int64_t then = monotonic_us();
	int kills;

	day = mmap(NULL, sizeof(*day), PROT_READ | PROT_WRITE,
	    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ck_assert_ptr_ne(day, MAP_FAILED);
	books_open(_i);
	for (int i = 0; i < ACCOUNTS; i++) {
		day->accounts[i] = books_account();
		day->events[i] = books_event(day->accounts[i], i + 1);
	}
	make_plan();
	db_close(db); /* connections must not be shared through fork() */
	kills = live_through(_i);
	printf("0%%: %s: %d kills, %d booked again, %.1f s\n", names[_i], kills,
	    day->again, (double)(monotonic_us() - then) / 1e6);
	fflush(stdout);
	db = books_connect(_i);
	ck_assert_int_eq(day->wrong, 0);
	ck_assert_int_eq(day->apart, 0);
	ck_assert_int_ge(kills, KILLS);
	expect_every_reference_once();
	for (int i = 0; i < ACCOUNTS; i++)
		expect_account(i);
	books_close();
}
END_TEST

static Suite *
all_tests(void)
{
	Suite *s = suite_create("ledger-day");
	TCase *t = tcase_create("all");

	tcase_set_timeout(t, 60);
	tcase_add_loop_test(t, a_random_day_with_kills_adds_up, 0, books_count());
	suite_add_tcase(s, t);
	return s;
}

int
main(void)
{
	return books_run(all_tests) != 0;
}
