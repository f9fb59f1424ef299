/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Figures, counts and errors of stream-load. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "base/clock.h"
#include "stream-load.h"

#define NAMES 64
/* samples stored for a figure; further ones are only counted */
#define SAMPLES (1 << 20)
#define WRONGS 20 /* errors that are printed */

static struct {
	const char *name;
	int64_t *us;
	size_t n, room;
} figures[NAMES];

static struct {
	const char *name;
	int64_t n;
} counts[NAMES];

static int
by_time(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

void
figure_always(const char *name, int64_t us)
{
	size_t i = 0;

	while (figures[i].name != NULL && strcmp(figures[i].name, name) != 0)
		if (++i == NAMES)
			abort();
	figures[i].name = name;
	if (figures[i].n == SAMPLES)
		return;
	if (figures[i].n == figures[i].room) {
		figures[i].room = 2 * figures[i].room + 64;
		figures[i].us =
		    realloc(figures[i].us, figures[i].room * sizeof(*figures[i].us));
		if (figures[i].us == NULL)
			abort();
	}
	figures[i].us[figures[i].n++] = us;
}

void
figure(const struct load *l, const char *name, int64_t us)
{
	if (l->measuring)
		figure_always(name, us);
}

void
count(const char *name, int64_t more)
{
	size_t i = 0;

	while (counts[i].name != NULL && strcmp(counts[i].name, name) != 0)
		if (++i == NAMES)
			abort();
	counts[i].name = name;
	counts[i].n += more;
}

int64_t
counted(const char *name)
{
	for (size_t i = 0; i < NAMES && counts[i].name != NULL; i++)
		if (strcmp(counts[i].name, name) == 0)
			return counts[i].n;
	return 0;
}

void
wrong(const struct client *c, const char *format, ...)
{
	va_list ap;

	count("wrong", 1);
	if (counted("wrong") > WRONGS)
		return;
	printf("wrong\t%s %d: ", c->kind->name, c->number);
	va_start(ap, format);
	vprintf(format, ap);
	va_end(ap);
	printf("\n");
	fflush(stdout);
}

void
meter(int64_t least_us, int64_t most_us)
{
	count("s2s seconds at least", (least_us + S_US - 1) / S_US);
	count("s2s seconds at most", (most_us + S_US - 1) / S_US);
}

/* Prints name, number, and milliseconds: median, 95th percentile, maximum. */
void
tell_figures(void)
{
	for (size_t i = 0; i < NAMES && figures[i].name != NULL; i++) {
		int64_t *us = figures[i].us;
		size_t n = figures[i].n;

		qsort(us, n, sizeof(*us), by_time);
		printf("figure\t%s\t%zu\t%.1f\t%.1f\t%.1f\n", figures[i].name, n,
		    us[(n - 1) / 2] / 1e3, us[(n - 1) * 95 / 100] / 1e3,
		    us[n - 1] / 1e3);
	}
}

void
tell_counts(const char *head)
{
	printf("%s", head);
	for (size_t i = 0; i < NAMES && counts[i].name != NULL; i++)
		printf("\t%s=%lld", counts[i].name, (long long)counts[i].n);
	printf("\n");
	fflush(stdout);
}

void
allow_files(void)
{
	struct rlimit l;

	if (getrlimit(RLIMIT_NOFILE, &l) == 0) {
		l.rlim_cur = l.rlim_max;
		setrlimit(RLIMIT_NOFILE, &l);
	}
}
