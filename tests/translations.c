/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * usage: translations FROM TO <TEXTS
 *
 * Translates each line as a stream does, by the first engine of speech.mt that has the
 * pair, and prints the translations; then, on standard error, the engine, milliseconds
 * of the clock and of its process's processor time for a line, and the MB of memory
 * that the process had at most: the figures of its process are right if speech.mt has
 * one engine.  The engine is started before the time is taken.
 */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/child_clock.h"
#include "base/clock.h"
#include "pipeline/faithful.h"
#include "speech/registry.h"

#define LINE_BYTES 8192

/* The process of the engine, started by one of our threads; 0: none. */
static pid_t
find_child(struct arena *mem)
{
	DIR *tasks = opendir("/proc/self/task");
	struct dirent *d;
	int pid = 0;
	FILE *f;

	while (pid == 0 && tasks != NULL && (d = readdir(tasks)) != NULL) {
		f = fopen(
		    arena_printf(mem, "/proc/self/task/%s/children", d->d_name), "re");
		if (f != NULL && fscanf(f, "%d", &pid) != 1)
			pid = 0;
		if (f != NULL)
			fclose(f);
	}
	if (tasks != NULL)
		closedir(tasks);
	return pid;
}

static long
peak_mb(struct arena *mem, pid_t pid)
{
	FILE *f = fopen(arena_printf(mem, "/proc/%d/status", (int)pid), "re");
	char line[256];
	long kb = 0;

	while (f != NULL && fgets(line, sizeof(line), f) != NULL)
		if (strncmp(line, "VmHWM:", 6) == 0)
			kb = strtol(line + 6, NULL, 10);
	if (f != NULL)
		fclose(f);
	return kb / 1000;
}

static const char *
translate(struct arena *mem, const struct registry_engine *en, const char *from,
    const char *to, const char *text)
{
	const struct mt_text t = { .text = text, .from = from, .to = to };
	static const struct list no_speakers;
	struct faithful f = { .speakers = &no_speakers };
	const char *out;
	enum err e = faithful_translate(en->mt, &en->at, mem, &t, &out, &f);

	return e == OK ? out : arena_printf(mem, "(%s)", err_name(e));
}

static void
translate_all(struct arena *mem, const struct registry_engine *en, const char *from,
    const char *to)
{
	int64_t clock_us = 0, cpu_us = 0, began_us;
	char line[LINE_BYTES];
	pid_t pid = 0;
	int n = 0;

	for (; fgets(line, sizeof(line), stdin) != NULL; n++) {
		line[strcspn(line, "\n")] = '\0';
		if (n == 0) {
			translate(mem, en, from, to, line);
			pid = find_child(mem);
			cpu_us = -child_clock_used_us(pid);
		}
		began_us = monotonic_us();
		puts(translate(mem, en, from, to, line));
		clock_us += monotonic_us() - began_us;
	}
	cpu_us += child_clock_used_us(pid);
	fprintf(stderr, "%s %.0f %.0f %ld\n", en->at.id, (double)clock_us / 1000 / n,
	    (double)cpu_us / 1000 / n, peak_mb(mem, pid));
}

int
main(int argc, char **argv)
{
	struct arena *mem = arena_new();
	struct registry_want want = { .now_us = monotonic_us() };
	const struct registry_engine *en;
	struct registry *r;
	struct conf conf;

	if (argc != 3 || conf_read(mem, &conf) != OK || registry_new(&conf, &r) != OK)
		return EXIT_FAILURE;
	registry_discover(r);
	if ((en = registry_mt(r, argv[1], argv[2], &want)) == NULL) {
		fprintf(stderr, "translations: no engine has this pair\n");
		return EXIT_FAILURE;
	}
	translate_all(mem, en, argv[1], argv[2]);
	registry_drop(r);
	arena_free(mem);
	return EXIT_SUCCESS;
}
