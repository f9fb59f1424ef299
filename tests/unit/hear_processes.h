/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TESTS_UNIT_HEAR_PROCESSES_H
#define TESTS_UNIT_HEAR_PROCESSES_H

#include <ctype.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"

/* Nouns: hear. */

/* The children of this process that run the program, and how many. */
static int
hear_processes(struct arena *mem, pid_t *to, int most)
{
	DIR *d = opendir("/proc");
	struct dirent *de;
	int n = 0;

	while ((de = readdir(d)) != NULL) {
		const char *stat = arena_printf(mem, "/proc/%s/stat", de->d_name);
		int parent = 0;
		char name[64] = "", state = 0;
		FILE *f =
		    isdigit((unsigned char)de->d_name[0]) ? fopen(stat, "r") : NULL;

		if (f == NULL)
			continue;
		if (fscanf(f, "%*d (%63[^)]) %c %d", name, &state, &parent) == 3 &&
		    parent == getpid() && state != 'Z' &&
		    strcmp(name, "dragoman-hear") == 0 && n < most)
			to[n++] = (pid_t)atoi(de->d_name);
		fclose(f);
	}
	closedir(d);
	return n;
}

#endif
