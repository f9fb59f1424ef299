/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * usage: search DATABASE <cases
 *
 * Measures searches, from the call to the records of a page. Input has a line for each
 * case, with tabs between: case, account, words, status, "events" or "voices"; words
 * and status may be "-". The first line with the case "migrate" makes the schema from
 * the folder in the second column.
 *
 * Prints a line for each case: milliseconds of processor time, with that of the
 * database's server on this machine, that half and 99 % of the requests of the first
 * page took at most; those of the further pages, followed for 5 s, and the longest; the
 * number of these pages, with "+" if there are more, and of the records found.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "order.h"
#include "store/events.h"
#include "store/schema.h"
#include "store/voices.h"

#define CALLS 200
#define PAGE 20
#define PAGES_MOST 100000
#define ENOUGH_US (5 * S_US) /* fewer calls of slow cases */

struct search {
	const char *account, *words, *status;
	bool voices;
	/* where the next page begins */
	bool ended;
	int64_t at;
	const char *id;
};

struct times {
	uint32_t us[PAGES_MOST];
	size_t n;
};

static struct db *db;
static struct arena *mem;
static char server[64]; /* file with the processor time of the server's process */

/* Returns the processor time so far, of this process and the one that serves it. */
static int64_t
used_us(void)
{
	struct timespec own;
	long long ns = 0;
	FILE *f = server[0] != '\0' ? fopen(server, "r") : NULL;

	if (f != NULL && fscanf(f, "%lld", &ns) != 1)
		ns = 0;
	if (f != NULL)
		fclose(f);
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &own);
	return own.tv_sec * S_US + (own.tv_nsec + ns) / 1000;
}

static enum err
find_server(void)
{
	static const struct sql pid = { "pid", "SELECT pg_backend_pid()" };
	int64_t n;
	enum err e;

	if (!db_is_server(db))
		return OK;
	if ((e = db_number(db, &pid, ARGS(), &n)) == OK)
		snprintf(server, sizeof(server), "/proc/%lld/schedstat", (long long)n);
	return e;
}

static enum err
list_events(struct search *s, size_t *found)
{
	struct event_query q = { s->at, PAGE, s->status, s->words };
	struct event_page page;
	enum err e = event_list(db, mem, s->account, &q, &page);

	if (e != OK)
		return e;
	*found = page.events.n;
	if (page.events.n == PAGE)
		page.rest = ((struct event *)page.events.items)[PAGE - 1].seq;
	s->ended = page.rest == INT64_MIN;
	s->at = page.rest;
	return OK;
}

static enum err
list_voices(struct search *s, size_t *found)
{
	struct voice_query q = { .from = { false, s->at, s->id, PAGE },
		.search = s->words,
		.favorite = NULL_INT };
	struct voice_page page;
	const struct voice *last;
	enum err e = voice_list(db, mem, s->account, &q, &page);
	static char id[64];

	if (e != OK)
		return e;
	*found = page.voices.n;
	if (page.voices.n == PAGE) {
		last = (struct voice *)page.voices.items + PAGE - 1;
		page.rest_us = last->created_us;
		page.rest_id = last->id;
	}
	if ((s->ended = page.rest_us == NULL_INT))
		return OK;
	s->at = page.rest_us;
	snprintf(id, sizeof(id), "%s", page.rest_id);
	s->id = id;
	return OK;
}

/* Read a page and go on to the next one; returns the number of records. */
static size_t
read_page(struct search *s, struct times *t)
{
	int64_t start_us = used_us();
	size_t found;

	if ((s->voices ? list_voices : list_events)(s, &found) != OK) {
		fprintf(stderr, "search: the database refuses\n");
		exit(1);
	}
	t->us[t->n++] = (uint32_t)(used_us() - start_us);
	arena_reset(mem);
	return found;
}

static double
part_ms(const struct times *t, size_t percent)
{
	return t->n == 0 ? 0 : t->us[(t->n * percent - 1) / 100] / 1e3;
}

static void
measure(const char *name, const struct search *asked)
{
	static struct times first, later;
	int64_t start_us = monotonic_us();
	struct search s;
	size_t found;

	first.n = later.n = 0;
	do {
		s = *asked;
		found = read_page(&s, &first);
	} while (
	    first.n < CALLS && (first.n < 3 || monotonic_us() < start_us + ENOUGH_US));
	start_us = monotonic_us();
	while (
	    !s.ended && later.n < PAGES_MOST && monotonic_us() < start_us + ENOUGH_US)
		found += read_page(&s, &later);
	qsort(first.us, first.n, sizeof(first.us[0]), by_time);
	qsort(later.us, later.n, sizeof(later.us[0]), by_time);
	printf("%-44s %8.2f %8.2f %9.2f %8.2f %8.2f %5zu%s %7zu\n", name,
	    part_ms(&first, 50), part_ms(&first, 99), part_ms(&later, 50),
	    part_ms(&later, 99), part_ms(&later, 100), later.n + 1, s.ended ? " " : "+",
	    found);
	fflush(stdout);
}

/* The next column; NULL for "-". */
static const char *
column(char **rest)
{
	const char *s = strsep(rest, "\t\n");

	return s == NULL || strcmp(s, "-") == 0 ? NULL : s;
}

int
main(int argc, char **argv)
{
	char line[1024];

	mem = arena_new();
	if (argc != 2 || db_open(&db, argv[1], 600000, true) != OK ||
	    find_server() != OK)
		return 2;
	while (fgets(line, sizeof(line), stdin) != NULL) {
		char *rest = line;
		const char *name = column(&rest);
		struct search s = { .at = NULL_INT, .account = column(&rest) };
		int applied;

		if (strcmp(name, "migrate") == 0) {
			if (schema_migrate(db, mem, s.account, &applied) != OK)
				return 1;
			continue;
		}
		s.words = column(&rest);
		s.status = column(&rest);
		s.voices = strcmp(column(&rest), "voices") == 0;
		measure(name, &s);
	}
	db_close(db);
	arena_free(mem);
	return 0;
}
