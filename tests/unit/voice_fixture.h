/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TESTS_UNIT_VOICE_FIXTURE_H
#define TESTS_UNIT_VOICE_FIXTURE_H

/* The program of voices in a fixture.  A test defines UNIT_TEST first. */
#include "tests/unit/unit.h"

#include "tests/unit/voice_rows.h"

#include "cgi-bin/voices.c"

static inline void
voice_fixture(void)
{
	static const struct sql *const prepared[] = { account_sql, blob_sql, voice_sql,
		voice_processing_sql, queue_sql, NULL };

	fixture_open("voices", voice_routes, prepared);
}

#endif
