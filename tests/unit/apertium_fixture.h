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

#define PROC_BYTES 8192

/* Reads a file of /proc/PID, into "" if there is none; returns its length. */
static inline size_t
read_proc(const char *pid, const char *name, char text[PROC_BYTES])
{
	char path[320];
	size_t n = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%s/%s", pid, name);
	if ((f = fopen(path, "r")) != NULL) {
		n = fread(text, 1, PROC_BYTES - 1, f);
		fclose(f);
	}
	text[n] = '\0';
	return n;
}

static inline bool
is_child(const char *pid)
{
	char stat[PROC_BYTES];
	const char *end;

	read_proc(pid, "stat", stat);
	end = strrchr(stat, ')');
	return end != NULL && atoi(end + 4) == getpid();
}

/* Reads the number after that word in a /proc file of a process. */
static inline long
figure(const char *pid, const char *file, const char *word)
{
	char text[PROC_BYTES];
	const char *at;

	read_proc(pid, file, text);
	at = strstr(text, word);
	return at != NULL ? strtol(at + strlen(word), NULL, 10) : 0;
}

/* Returns the child whose arguments contain this; 0: there is none. */
static inline pid_t
find_stage(const char *what)
{
	DIR *dir = opendir("/proc");
	struct dirent *d;
	char line[PROC_BYTES];
	pid_t found = 0;

	while (found == 0 && (d = readdir(dir)) != NULL)
		if (atoi(d->d_name) > 0 && is_child(d->d_name) &&
		    memmem(line, read_proc(d->d_name, "cmdline", line), what,
			strlen(what)) != NULL)
			found = atoi(d->d_name);
	closedir(dir);
	return found;
}

#endif
