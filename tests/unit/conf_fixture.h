/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TESTS_UNIT_CONF_FIXTURE_H
#define TESTS_UNIT_CONF_FIXTURE_H

/* Settings written by a test, in its own folder. */
#include "base/conf.h"
#include "tests/unit/unit.h"

static struct arena *mem;
static const char *dir, *file;
static struct conf c;

static inline const char *
below(const char *path)
{
	return arena_printf(mem, "%s/%s", dir, path);
}

static inline void
setup(void)
{
	(void)fixture;
	mem = arena_new();
	dir = unit_folder(mem);
	file = arena_printf(mem, "%s/etc/dragoman.conf", dir);
	for (const char *const *d = HEADS("etc", "var", "var/state"); *d != NULL; d++)
		mkdir(arena_printf(mem, "%s/%s", dir, *d), 0700);
	setenv("DRAGOMAN_CONF", file, 1);
}

static inline void
teardown(void)
{
	unsetenv("DRAGOMAN_PLAN_VOICES");
	unsetenv("DRAGOMAN_SERVER_BASE_URL");
	unit_folder_drop(dir);
	arena_free(mem);
}

static inline enum err
read_conf(const char *text)
{
	unit_write(file, text);
	return conf_read(mem, &c);
}

#endif
