/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TESTS_UNIT_CHILDREN_H
#define TESTS_UNIT_CHILDREN_H

#include <dirent.h>
#include <stdio.h>

/* Counts the child processes of this process, started by any thread. */
static inline int
count_children(void)
{
	DIR *dir = opendir("/proc/self/task");
	char path[320], line[4096];
	struct dirent *d;
	int n = 0;
	FILE *f;

	while ((d = readdir(dir)) != NULL) {
		snprintf(path, sizeof(path), "/proc/self/task/%s/children", d->d_name);
		if ((f = fopen(path, "r")) == NULL)
			continue;
		for (size_t k = fread(line, 1, sizeof(line), f); k-- > 0;)
			n += line[k] == ' ';
		fclose(f);
	}
	closedir(dir);
	return n;
}

#endif
