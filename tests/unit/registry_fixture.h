/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TESTS_UNIT_REGISTRY_FIXTURE_H
#define TESTS_UNIT_REGISTRY_FIXTURE_H

/* A registry of engines from settings in its own folder. */
#include "speech/registry.h"
#include "tests/unit/unit.h"

static struct arena *mem;
static const char *dir;
static struct registry *reg;
static int64_t now;

static void
setup(void)
{
	(void)fixture;
	mem = arena_new();
	dir = unit_folder(mem);
	for (const char *const *d = HEADS("etc", "var", "var/state"); *d != NULL; d++)
		mkdir(arena_printf(mem, "%s/%s", dir, *d), 0700);
	setenv("DRAGOMAN_CONF", arena_printf(mem, "%s/etc/dragoman.conf", dir), 1);
	reg = NULL;
	now = 1000 * S_US;
}

static void
teardown(void)
{
	registry_drop(reg);
	unit_folder_drop(dir);
	arena_free(mem);
}

/* The settings are freed as soon as the registry is made. */
static enum err
make(const char *settings)
{
	struct arena *its = arena_new();
	struct conf c;
	enum err e;

	unit_write(getenv("DRAGOMAN_CONF"), settings);
	ck_assert_int_eq(conf_read(its, &c), OK);
	registry_drop(reg);
	reg = NULL;
	e = registry_new(&c, &reg);
	arena_free(its);
	return e;
}

static struct registry_want
want(const char *model, const struct registry_engine *after)
{
	return (struct registry_want){ model, after, now };
}

static const char *
id(const struct registry_engine *en)
{
	return en != NULL ? en->at.id : "(none)";
}

#endif
