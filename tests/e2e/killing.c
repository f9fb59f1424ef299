/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds processes of the instance by the files that they have open or mapped. */
#include "killing.h"

#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/conf.h"
#include "base/hash.h"

static bool
has_open(const char *pid, const char *path)
{
	DIR *d = opendir(text("/proc/%s/fd", pid));
	const struct dirent *e;
	char to[512];
	bool has = false;
	ssize_t n;

	while (d != NULL && !has && (e = readdir(d)) != NULL) {
		n = readlinkat(dirfd(d), e->d_name, to, sizeof(to) - 1);
		has =
		    n > 0 && (size_t)n == strlen(path) && !memcmp(to, path, (size_t)n);
	}
	if (d != NULL)
		closedir(d);
	return has;
}

static bool
has_mapped(const char *pid, const char *path)
{
	FILE *f = fopen(text("/proc/%s/maps", pid), "r");
	char line[1024];
	bool has = false;

	while (f != NULL && !has && fgets(line, sizeof(line), f) != NULL)
		has = strstr(line, path) != NULL;
	if (f != NULL)
		fclose(f);
	return has;
}

/* Signals every process of this user that has the file open; returns their number. */
static int
signal_holders(bool (*holds)(const char *, const char *), const char *path, int sig)
{
	DIR *d = opendir("/proc");
	const struct dirent *e;
	int n = 0;

	while (d != NULL && (e = readdir(d)) != NULL)
		if (e->d_name[0] >= '1' && e->d_name[0] <= '9' &&
		    holds(e->d_name, path))
			n += kill(atoi(e->d_name), sig) == 0;
	if (d != NULL)
		closedir(d);
	return n;
}

static const char *
state_file(const char *name)
{
	return text("%s/%s", settings()->state_dir, name);
}

double
random_between(double least, double most)
{
	uint32_t dice;

	random_bytes(&dice, sizeof(dice));
	return least + (most - least) * (double)dice / (double)UINT32_MAX;
}

int
worker_signal(const char *name, int sig)
{
	return signal_holders(has_open, state_file(text("%s.lock", name)), sig);
}

int
program_signal(const char *name, int sig)
{
	return signal_holders(has_mapped, state_file(text("metrics-%s", name)), sig);
}

void
nap_between(double least, double most)
{
	nap(random_between(least, most));
}
