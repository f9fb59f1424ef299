/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Prints the parts of manuals and pages that are made from tables.  tests/golden/run
 * puts them between the lines "made: PART" and "made: end" of the files, or compares.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "models/catalogue.h"
#include "print.h"
#include "service/workers.h"
#include "speech/engine.h"

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

static void
engine_kinds_manual(void)
{
	for (const struct engine_kind *k = engine_kinds; k->name != NULL; k++)
		printf(".It Cm %s\n%s\n", k->name, k->help);
}

/* The table of models: each licence is linked to its text. */
static void
models_table(void)
{
	struct arena *mem = arena_new();
	struct catalogue all;
	const char *why;

	if (catalogue_read(mem, "share/models/catalogue", &all, &why) != OK)
		print_fail("the catalogue", why);
	fputs("| name | for | languages | MB | memory, MB | tried | licence "
	      "|\n|---|---|---|--:|--:|---|---|\n",
	    stdout);
	for (const struct model_row *r = all.rows; r < all.rows + all.n; r++) {
		if (strcmp(r->purpose, "bundle") == 0)
			continue;
		printf("| `%s` | %s | %s | %lld |", r->name, r->purpose, r->languages,
		    (long long)r->size_mb);
		if (r->memory_mb > 0)
			printf(" %lld", (long long)r->memory_mb);
		printf(" | %s | [%s](%s) |\n", r->tried ? "yes" : "", r->licence,
		    r->licence_url);
	}
	arena_free(mem);
}

static const struct print_part parts[] = {
	{ "engine-kinds", engine_kinds_manual },
	{ "models", models_table },
	{ "workers-names", workers_names },
	{ "workers-manual", workers_manual },
	{ "workers-guide", workers_guide },
	{ NULL },
};

void
print_fail(const char *what, const char *name)
{
	fprintf(stderr, "print: %s: %s\n", what, name);
	exit(EXIT_FAILURE);
}

int
main(int argc, char **argv)
{
	const struct print_part *const all[] = { parts, print_sockets };
	const char *name = argc == 2 ? argv[1] : "";

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		for (const struct print_part *p = all[i]; p->name != NULL; p++)
			if (strcmp(name, p->name) == 0) {
				p->print();
				return EXIT_SUCCESS;
			}
	print_fail("there is no such part", name);
}
