/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Tests the service through a real web server. Suites run in parallel, each in a
 * process of its own with accounts of its own.
 *
 *	E2E_INSTANCE=$(tests/instance up ...) build/tests/e2e [SUITE...]
 *
 * tests/e2e/run does this, and makes the recordings that the cases send. Suites that
 * kill programs run only when they are named.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cases.h"

/* clang-format off */
static const struct {
	const char *name;
	Suite *(*make)(void);
	enum { TOGETHER, FIRST, ON_DEMAND } when;
} suites[] = {
	{ "idle",         idle_suite,         FIRST },
	{ "stream-quotas", stream_quotas_suite, FIRST },
	{ "captions",     captions_suite,     FIRST },
	{ "held-kill",    held_kill_suite,    FIRST },
	{ "ingress",      ingress_suite,      ON_DEMAND },
	{ "streams",      streams_suite,      TOGETHER },
	{ "stream-tasks", stream_tasks_suite, TOGETHER },
	{ "stream-rules", stream_rules_suite, TOGETHER },
	{ "stream-admission", stream_admission_suite, TOGETHER },
	{ "stream-listeners", stream_listeners_suite, TOGETHER },
	{ "stream-channels", stream_channels_suite, TOGETHER },
	{ "stream-limits", stream_limits_suite, TOGETHER },
	{ "webrtc",       webrtc_suite,       TOGETHER },
	{ "whip",         whip_suite,         TOGETHER },
	{ "served",       served_suite,       TOGETHER },
	{ "stt",          stt_suite,          TOGETHER },
	{ "tts",          tts_suite,          TOGETHER },
	{ "live",         live_suite,         TOGETHER },
	{ "transcripts",  transcripts_suite,  TOGETHER },
	{ "moderated",    moderation_suite,   TOGETHER },
	{ "held",         held_suite,         TOGETHER },
	{ "hls",          hls_suite,          TOGETHER },
	{ "missing",      missing_suite,      TOGETHER },
	{ "uploads",      uploads_suite,      TOGETHER },
	{ "broken",       broken_suite,       TOGETHER },
	{ "blobs",        blobs_suite,        TOGETHER },
	{ "cloning",      cloning_suite,      TOGETHER },
	{ "voices",       voices_suite,       TOGETHER },
	{ "samples",      samples_suite,      TOGETHER },
	{ "glossaries",   glossaries_suite,   TOGETHER },
	{ "lists",        lists_suite,        TOGETHER },
	{ "events",       events_suite,       TOGETHER },
	{ "stats",        stats_suite,        TOGETHER },
	{ "listeners",    listeners_suite,    TOGETHER },
	{ "channels",     channels_suite,     TOGETHER },
	{ "sessions",     sessions_suite,     TOGETHER },
	{ "balance",      balance_suite,      TOGETHER },
	{ "keys",         keys_suite,         TOGETHER },
	{ "webhooks",     webhooks_suite,     TOGETHER },
	{ "account",      account_suite,      TOGETHER },
	{ "export",       export_suite,       TOGETHER },
	{ "foreign",      foreign_suite,      TOGETHER },
	{ "secrets",      secrets_suite,      TOGETHER },
	{ "credentials",  credentials_suite,  TOGETHER },
	{ "policy",       policy_suite,       TOGETHER },
	{ "wire",         wire_suite,         TOGETHER },
	{ "system",       system_suite,       TOGETHER },
	{ "shapes",       shapes_suite,       TOGETHER },
	{ "room",         room_suite,         ON_DEMAND },
	{ "rooms",        rooms_suite,        ON_DEMAND },
	{ "nodes",        nodes_suite,        ON_DEMAND },
	{ "cluster",      cluster_suite,      ON_DEMAND },
	{ "engines",      engines_suite,      ON_DEMAND },
	{ "kill-workers", kill_workers_suite, ON_DEMAND },
	{ "kill-uploads", kill_uploads_suite, ON_DEMAND },
};
/* clang-format on */

/* The suites above wait for most of their time. More suites at once than AT_ONCE slow
   each other on two processors. */
#define AT_ONCE 8

struct started {
	FILE *out; /* NULL: the suite was not selected */
	pid_t pid;
	double began;
};

Suite *
suite_of(const char *name, void (*before)(void), TCase **t)
{
	Suite *s = suite_create(name);

	*t = tcase_create(name);
	tcase_set_timeout(*t, PATIENCE_S);
	if (before != NULL)
		tcase_add_unchecked_fixture(*t, before, NULL);
	suite_add_tcase(s, *t);
	return s;
}

/* Runs a suite in its process; returns the number of failed cases. */
static int
run_suite(int i)
{
	SRunner *r = srunner_create(suites[i].make());
	int failed;

	srunner_run_all(r, CK_NORMAL);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed > 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}

static FILE *
start(int i, pid_t *pid)
{
	FILE *out = tmpfile();

	fflush(NULL); /* or the child would print it again */
	if (out == NULL || (*pid = fork()) < 0)
		abort();
	if (*pid > 0)
		return out;
	dup2(fileno(out), STDOUT_FILENO);
	dup2(fileno(out), STDERR_FILENO);
	exit(run_suite(i));
}

static void
print(FILE *out)
{
	char line[4096];

	rewind(out);
	while (fgets(line, sizeof(line), out) != NULL)
		fputs(line, stdout);
	fclose(out);
}

static bool
named(int i, int argc, char **argv)
{
	for (int k = 1; k < argc; k++)
		if (strcmp(argv[k], suites[i].name) == 0)
			return true;
	return false;
}

/* Waits for a running suite; returns 1 if it failed. */
static int
reap(struct started *all, int *running)
{
	int status;
	pid_t pid = waitpid(-1, &status, 0);

	for (int i = 0; i < ROWS(suites); i++)
		if (all[i].out != NULL && all[i].pid == pid) {
			--*running;
			printf("e2e: %s: %.0f s\n", suites[i].name,
			    seconds() - all[i].began);
			return status != 0;
		}
	return 0;
}

/* Returns the number of failures; *ran counts the suites that ran. */
static int
run_suites(int argc, char **argv, int *ran)
{
	struct started all[ROWS(suites)] = { { NULL, 0, 0 } };
	int failed = 0, running = 0;

	for (int i = 0; i < ROWS(suites); i++) {
		if (argc > 1 ? !named(i, argc, argv) : suites[i].when == ON_DEMAND)
			continue;
		++*ran;
		all[i].began = seconds();
		all[i].out = start(i, &all[i].pid);
		running++;
		while (running == (suites[i].when == FIRST ? 1 : AT_ONCE))
			failed += reap(all, &running);
	}
	while (running > 0)
		failed += reap(all, &running);
	for (int i = 0; i < ROWS(suites); i++)
		if (all[i].out != NULL)
			print(all[i].out);
	return failed;
}

int
main(int argc, char **argv)
{
	int ran = 0, failed;

	instance();
	failed = run_suites(argc, argv, &ran);
	if (ran < (argc > 1 ? argc - 1 : 1)) {
		fputs("e2e: there is no such suite\n", stderr);
		return EXIT_FAILURE;
	}
	return failed > 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}
