/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * usage: search DATABASE <cases
 *
 * Measures searches for events, from the call to the records of a page. Input has a
 * line for each case, with tabs between: case, account, words, status or "-". The first
 * line with the case "migrate" makes the schema from the folder in the second column.
 *
 * Prints a line for each case: milliseconds that half and 99 % of the requests took at
 * most, and the longest while its pages are followed for 5 s; the number of these pages
 * and of the events found.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "order.h"
#include "store/events.h"
#include "store/schema.h"

#define CALLS 200
#define ENOUGH_US (5 * S_US) /* fewer calls of slow cases */

static struct db *db;
static struct arena *mem;

static uint32_t
search(const char *account, struct event_query *q, struct event_page *page)
{
	int64_t start_us = monotonic_us();

	if (event_list(db, mem, account, q, page) != OK) {
		fprintf(stderr, "search: the database refuses\n");
		exit(1);
	}
	return (uint32_t)(monotonic_us() - start_us);
}

/* Follow the search to its end, if that takes no longer; returns the number of
 * requests. */
static int
follow(const char *account, struct event_query q, size_t *found, uint32_t *longest_us)
{
	int64_t until_us = monotonic_us() + ENOUGH_US;
	struct event_page page = { .rest = 0 };
	int pages = 0;

	for (*found = 0; page.rest != INT64_MIN && monotonic_us() < until_us; pages++) {
		uint32_t us = search(account, &q, &page);

		*longest_us = us > *longest_us ? us : *longest_us;
		*found += page.events.n;
		q.before = page.rest;
		arena_reset(mem);
	}
	return pages;
}

static void
measure(const char *name, const char *account, const struct event_query *asked)
{
	static uint32_t us[CALLS];
	int64_t start_us = monotonic_us();
	struct event_query q = *asked;
	struct event_page page;
	uint32_t longest_us = 0;
	size_t n = 0, found;
	int pages;

	while (n < CALLS && (n < 3 || monotonic_us() < start_us + ENOUGH_US)) {
		us[n++] = search(account, &q, &page);
		arena_reset(mem);
	}
	qsort(us, n, sizeof(us[0]), by_time);
	pages = follow(account, q, &found, &longest_us);
	printf("%-44s %9.2f %9.2f %9.2f %6d %7zu\n", name, us[n / 2] / 1e3,
	    us[(n * 99 - 1) / 100] / 1e3, longest_us / 1e3, pages, found);
	fflush(stdout);
}

int
main(int argc, char **argv)
{
	char line[1024];

	mem = arena_new();
	if (argc != 2 || db_open(&db, argv[1], 600000, false) != OK)
		return 2;
	while (fgets(line, sizeof(line), stdin) != NULL) {
		char *rest = line, *name = strsep(&rest, "\t\n");
		char *account = strsep(&rest, "\t\n"), *words = strsep(&rest, "\t\n");
		char *status = strsep(&rest, "\t\n");
		struct event_query q = { .before = NULL_INT, .limit = 20, .q = words };
		int applied;

		if (strcmp(name, "migrate") == 0) {
			if (schema_migrate(db, mem, account, &applied) != OK)
				return 1;
			continue;
		}
		q.status = status != NULL && strcmp(status, "-") != 0 ? status : NULL;
		measure(name, account, &q);
	}
	db_close(db);
	arena_free(mem);
	return 0;
}
