/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TESTS_UNIT_BACKEND_FIXTURE_H
#define TESTS_UNIT_BACKEND_FIXTURE_H

#include "base/conf.h"

/* A broadcast backend that a test may start, kill and start again. */
struct backend_fixture {
	const char *driver;
	/*
	 * Fills the settings of a running backend. After kill() it starts again at the
	 * same address.
	 */
	void (*start)(struct conf *);
	void (*kill)(void); /* kill -9 */
	void (*stop)(void);
	/* Returns the room names that the backend reports, one per line, sorted. */
	const char *(*names)(void);
};

#endif
