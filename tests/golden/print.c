/*
 * Prints the parts of manuals and pages that are made from tables.  tests/golden/run
 * puts them between the lines "made: PART" and "made: end" of the files, or compares.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "service/workers.h"

/* ---- workers ---- */

static void
workers_names(void)
{
	for (const struct worker_program *w = worker_programs; w->name != NULL; w++)
		printf(".Nm %s%s\n", w->name, w[1].name != NULL ? " ," : "");
}

static void
workers_manual(void)
{
	fputs(".Bl -tag -width Ds\n", stdout);
	for (const struct worker_program *w = worker_programs; w->name != NULL; w++) {
		printf(".It Nm %s\n%s\n", w->name, w->does);
		if (w->mode == WORKER_STAYS)
			fputs("It stays for good: one that finds another at work ends "
			      "at once,\nso it is back within a minute after "
			      "whatever ended it.\n",
			    stdout);
		if (w->settings != NULL)
			printf("Its settings: section\n.Cm %s\nof\n.Xr dragoman.conf 5 "
			       ".\n",
			    w->settings);
	}
	fputs(".El\n", stdout);
}

static void
workers_guide(void)
{
	fputs("| worker | | when it is silent |\n|---|---|---|\n", stdout);
	for (const struct worker_program *w = worker_programs; w->name != NULL; w++)
		printf("| `%s` | %s | %s |\n", w->name, w->does, w->silent);
}

static const struct part {
	const char *name;
	void (*print)(void);
} parts[] = {
	{ "workers-names", workers_names },
	{ "workers-manual", workers_manual },
	{ "workers-guide", workers_guide },
};

int
main(int argc, char **argv)
{
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		if (argc == 2 && strcmp(argv[1], parts[i].name) == 0) {
			parts[i].print();
			return EXIT_SUCCESS;
		}
	fprintf(stderr, "print: there is no part %s\n", argc == 2 ? argv[1] : "");
	return EXIT_FAILURE;
}
