/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TESTS_UNIT_APERTIUM_FIXTURE_H
#define TESTS_UNIT_APERTIUM_FIXTURE_H

/* Apertium for English and Spanish, and the programs it consists of. */
#include <check.h>
#include <dirent.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "speech/engine.h"
#include "tests/unit/children.h"
#include "tests/unit/suite.h"
#include "tests/unit/warm.h"

static struct arena *mem;
static bool guarded;
static const struct engine_at here = { .id = "apertium",
	.kind = "apertium",
	.model = "eng-spa spa-eng",
	.timeout_ms = 10000 };

static inline void
setup(void)
{
	mem = arena_new();
}

static inline void
teardown(void)
{
	arena_free(mem);
}

/* One term, which the text marks as "|word>target|". */
static inline enum err
translate(const char *from, const char *to, const char *marked, const char **out)
{
	const char *bar = strchr(marked, '|'), *end, *target;
	struct mt_term term;
	struct mt_text t = { .text = marked, .from = from, .to = to };

	if (bar != NULL) {
		target = strchr(bar, '>');
		end = strchr(target, '|');
		term = (struct mt_term){ (size_t)(bar - marked),
			(size_t)(target - bar) - 1,
			arena_dup(mem, target + 1, (size_t)(end - target) - 1) };
		t.text = arena_printf(mem, "%.*s%.*s%s", (int)term.at, marked,
		    (int)term.len, bar + 1, end + 1);
		t.terms = &term;
		t.nterms = 1;
	}
	*out = NULL;
	return mt_translate(&mt_apertium, &here, mem, &t, out, &guarded);
}

static inline const char *
spanish(const char *marked)
{
	const char *out;

	ck_assert_int_eq(translate("en", "es", marked, &out), OK);
	return out;
}

/* Returns the content of a file of /proc/PID; "" if there is none. */
static inline const char *
read_proc(const char *pid, const char *name, size_t *n)
{
	FILE *f = fopen(arena_printf(mem, "/proc/%s/%s", pid, name), "r");
	char *text = arena_alloc(mem, 8192);

	*n = f != NULL ? fread(text, 1, 8191, f) : 0;
	if (f != NULL)
		fclose(f);
	return text;
}

static inline bool
is_child(const char *pid)
{
	size_t n;
	const char *stat = read_proc(pid, "stat", &n), *end = strrchr(stat, ')');

	return end != NULL && atoi(end + 4) == getpid();
}

/* Reads the number after that word in a /proc file of a process. */
static inline long
figure(const char *pid, const char *file, const char *word)
{
	size_t n;
	const char *at = strstr(read_proc(pid, file, &n), word);

	return at != NULL ? strtol(at + strlen(word), NULL, 10) : 0;
}

/* Returns the child whose arguments contain this; 0: there is none. */
static inline pid_t
find_stage(const char *what)
{
	DIR *dir = opendir("/proc");
	struct dirent *d;
	pid_t found = 0;
	size_t n;

	while (found == 0 && (d = readdir(dir)) != NULL) {
		const char *line = read_proc(d->d_name, "cmdline", &n);

		if (atoi(d->d_name) > 0 && is_child(d->d_name) &&
		    memmem(line, n, what, strlen(what)) != NULL)
			found = atoi(d->d_name);
	}
	closedir(dir);
	return found;
}

#endif
