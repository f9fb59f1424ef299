/*
 * The service from outside, through a real web server.  Suites run side by side,
 * each in a process of its own with accounts of its own.
 *
 *	E2E_INSTANCE=$(tests/instance up ...) build/tests/e2e [SUITE...]
 *	... build/tests/e2e kill-workers
 *
 * tests/e2e/run does this, and makes the recordings that the cases send.
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
} suites[] = {
	{ "uploads",     uploads_suite },
	{ "blobs",       blobs_suite },
	{ "cloning",     cloning_suite },
	{ "voices",      voices_suite },
	{ "samples",     samples_suite },
	{ "missing",     missing_suite },
	{ "lists",       lists_suite },
	{ "foreign",     foreign_suite },
	{ "credentials", credentials_suite },
	{ "policy",      policy_suite },
	{ "system",      system_suite },
	{ "wire",        wire_suite },
	{ "shapes",      shapes_suite },
};
/* clang-format on */

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

/* What a suite's process does; how many cases failed. */
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
wanted(int i, int argc, char **argv)
{
	for (int k = 1; k < argc; k++)
		if (strcmp(argv[k], suites[i].name) == 0)
			return true;
	return argc < 2;
}

static int
run_suites(int argc, char **argv)
{
	FILE *out[ROWS(suites)] = { NULL };
	pid_t pid[ROWS(suites)];
	int status, failed = 0;

	for (int i = 0; i < ROWS(suites); i++)
		if (wanted(i, argc, argv))
			out[i] = start(i, &pid[i]);
	for (int i = 0; i < ROWS(suites); i++) {
		if (out[i] == NULL)
			continue;
		waitpid(pid[i], &status, 0);
		failed += status != 0;
		print(out[i]);
	}
	return failed > 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}

int
main(int argc, char **argv)
{
	instance();
	return run_suites(argc, argv);
}
