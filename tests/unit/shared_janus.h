/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TESTS_UNIT_SHARED_JANUS_H
#define TESTS_UNIT_SHARED_JANUS_H

/* One Janus for all tests of a program, and a separate installation for each. */
#include "tests/unit/broadcast_fixture.h"

static struct conf shared_conf; /* settings of the Janus that the tests share */

static inline void
open_fixture(void)
{
	shared_conf = blank_conf();
	janus_fixture.start(&shared_conf);
}

/* Settings of a separate installation. */
static inline void
setup(void)
{
	mem = arena_new();
	conf = shared_conf;
	random_bytes(conf.master, sizeof(conf.master));
	driver = &broadcast_janus;
	backend = &janus_fixture;
}

static inline void
teardown(void)
{
	destroy_all();
	arena_free(mem);
}

#endif
