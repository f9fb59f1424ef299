#ifndef TESTS_UNIT_VOICE_HOUSE_H
#define TESTS_UNIT_VOICE_HOUSE_H

/* The program of voices in a house.  A test defines UNIT_TEST first. */
#include "tests/unit/unit.h"

#include "tests/unit/voice_rows.h"

#include "cgi-bin/voices.c"

static inline void
voice_house(void)
{
	static const struct sql *const prepared[] = { account_sql, blob_sql, voice_sql,
		making_sql, queue_sql, NULL };

	house_open("voices", voice_routes, prepared);
}

#endif
