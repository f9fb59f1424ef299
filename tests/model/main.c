/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Clients with random requests compare the service with a small model. Meanwhile its
 * workers are killed with -9, later also the FastCGI programs.
 *
 *	E2E_INSTANCE=$(tests/instance up ...) build/tests/model SECONDS SEED
 *
 * tests/model/run does this.
 */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../e2e/killing.h"
#include "play.h"
#include "service/workers.h"

#define ROUND_S 6

static const char *const programs[] = { "uploads", "blobs", "voices", "glossaries",
	"events", "listeners", "requests", "channels", "sessions", "balance" };

static pid_t pids[CLIENTS];
static int kills[2];

/* ---- the accounts ---- */

static void
plan(const struct account *a, struct team *t)
{
	static const struct {
		const char *option;
		int limit;
	} values[QUOTAS] = { { "--voices", 9 }, { "--glossaries", 12 },
		{ "--parallel_sessions", 6 } };

	for (int i = 0; i < QUOTAS; i++) {
		account_plan(a, values[i].option, text("%d", values[i].limit));
		t->places[i].limit = values[i].limit;
	}
	account_plan(a, "--event_languages", text("%d", LANGUAGES));
}

static void
begin(struct run *run, struct account *accounts)
{
	for (int i = 0; i < ACCOUNTS; i++) {
		struct account *a = &accounts[i];
		struct team *t = &run->team[i];
		struct answer g, e;

		*a = account_new(text("model %d", i));
		plan(a, t);
		g = ASK(.path = "/saas/glossary", .as = a,
		    .json = "{\"data\":{\"name\":\"Counter 0\",\"glossary_type\":"
			    "\"asr_hot\",\"source_lang\":\"en\"}}");
		e = ASK(.path = "/saas/v2/event", .as = a,
		    .json = "{\"data\":{\"title\":\"Common\",\"event_type\":\"online\","
			    "\"utc_start_dt\":\"2036-01-01T08:00:00Z\","
			    "\"utc_end_dt\":\"2036-12-31T08:00:00Z\"}}");
		EXPECT(g, 200);
		EXPECT(e, 201);
		t->places[GLOSSARIES].low = t->places[GLOSSARIES].high = 1;
		snprintf(t->counter, sizeof(t->counter), "%s",
		    text_at(g.json, "data.glossary_id"));
		snprintf(
		    t->forum, sizeof(t->forum), "%s", text_at(e.json, "data.event_id"));
	}
}

/* ---- rounds ---- */

static void
be_client(struct run *run, const struct account *as, int number)
{
	static struct client c;

	c.run = run;
	c.number = number;
	c.team = &run->team[number / CLIENTS_EACH];
	c.as = *as;
	c.dice = run->seed * 1000 + (uint64_t)number;
	c.read = json_array();
	for (int round = 1;; round++) {
		while (run->round < round)
			nap(0.005);
		play(&c);
		tell(&c);
		run->paused++;
	}
}

static void
start_clients(struct run *run, const struct account *accounts)
{
	fflush(NULL);
	for (int i = 0; i < CLIENTS; i++)
		if ((pids[i] = fork()) == 0)
			be_client(run, &accounts[i / CLIENTS_EACH], i);
}

static void
end_clients(void)
{
	for (int i = 0; i < CLIENTS; i++) {
		kill(pids[i], SIGKILL);
		waitpid(pids[i], NULL, 0);
	}
}

/* A client that found a disagreement has printed it and ended. */
static bool
all_alive(void)
{
	int status;

	return waitpid(-1, &status, WNOHANG) <= 0;
}

/* Any of those that are started again at once. */
static const char *
some_worker(void)
{
	int n = 0;

	while (worker_programs[n].name != NULL)
		n++;
	for (;;) {
		const struct worker_program *w =
		    &worker_programs[(size_t)random_between(0, n - 0.01)];

		if (w->mode == WORKER_EACH_MINUTE)
			return w->name;
	}
}

/* Kill a worker, or all processes of a program. */
static void
kill_one(const struct run *run)
{
	bool program = run->deadly && random_between(0, 1) < 0.7;

	if (program)
		kills[1] += program_signal(
				programs[(size_t)random_between(0, 9.99)], SIGKILL) > 0;
	else
		kills[0] += worker_signal(some_worker(), SIGKILL) > 0;
	nap_between(0.02, run->deadly ? 0.15 : 0.4);
}

static bool
play_round(struct run *run, double s)
{
	double patience = s + 60;

	run->paused = 0;
	run->until = seconds() + s;
	run->round++;
	patience += seconds();
	while (run->paused < CLIENTS) {
		if (seconds() < run->until)
			kill_one(run);
		else
			nap(0.01);
		if (!all_alive())
			return false;
		ck_assert_msg(seconds() < patience, "the clients do not pause");
	}
	return true;
}

/* Check in a child process, so that its memory is freed. */
static bool
checked(struct run *run, const struct account *accounts, int credits)
{
	pid_t pid = fork();
	int status;

	if (pid == 0) {
		check_everything(run, accounts, credits);
		_exit(EXIT_SUCCESS);
	}
	return waitpid(pid, &status, 0) == pid && status == 0;
}

static bool
play_all(struct run *run, const struct account *accounts, double s)
{
	double start = seconds(), end = start + s;
	int credits = 1000;

	while (seconds() < end) {
		run->deadly = seconds() > start + s / 3;
		if (!play_round(run, ROUND_S < s ? ROUND_S : s) ||
		    !checked(run, accounts, credits))
			return false;
		for (int i = 0; i < ACCOUNTS; i++)
			DRAGOMAN(
			    "account", "credit", accounts[i].user_id, "--credits", "7");
		credits += 7;
	}
	return true;
}

static void
report(const struct run *run, double s)
{
	printf(
	    "model: SEED=%llu: %ld requests of %d clients in %.0f s, %d quiet points; "
	    "%ld refused, %ld stale, %ld repeated; %d workers and %d programs killed,"
	    " %ld answers lost; %d steps of the counter, %d doubtful\n",
	    (unsigned long long)run->seed, (long)run->asked, CLIENTS, s,
	    (int)run->round, (long)run->refused, (long)run->stale, (long)run->replayed,
	    kills[0], kills[1], (long)run->lost,
	    run->team[0].counted + run->team[1].counted,
	    run->team[0].doubtful + run->team[1].doubtful);
}

int
main(int argc, char **argv)
{
	struct account accounts[ACCOUNTS];
	struct run *run = mmap(NULL, sizeof(*run), PROT_READ | PROT_WRITE,
	    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	double start = seconds();
	bool good;

	if (argc != 3 || run == MAP_FAILED) {
		fputs("usage: model SECONDS SEED\n", stderr);
		return 2;
	}
	run->seed = strtoull(argv[2], NULL, 10);
	begin(run, accounts);
	start_clients(run, accounts);
	atexit(end_clients);
	good = play_all(run, accounts, atof(argv[1]));
	report(run, seconds() - start);
	return good ? EXIT_SUCCESS : EXIT_FAILURE;
}
