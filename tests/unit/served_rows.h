/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TESTS_UNIT_SERVED_ROWS_H
#define TESTS_UNIT_SERVED_ROWS_H

/* Languages of engines that a test writes directly to the database. */
#include "tests/unit/unit.h"

/* Adds a spoken language; the lists are JSON. */
static inline void
put_served(const char *source, const char *targets, const char *text_only)
{
	sql(arena_printf(fixture.mem,
	    "INSERT INTO served_languages (source, heard, targets, text_only, settings)"
	    " VALUES ('%s', 1, '%s', '%s', 'hash')",
	    source, targets, text_only));
}

/*
 * From English to German, French and, only as text, Icelandic; Finnish is not
 * recognized.
 */
static inline void
put_engines(void)
{
	put_served("en", "[\"de\",\"en\",\"fr\",\"is\"]", "[\"is\"]");
	put_served("de", "[\"de\",\"en\"]", "[]");
	put_served("auto", "[\"de\",\"en\",\"fr\",\"is\"]", "[\"is\"]");
	put_served("fi", "[]", "[]");
	sql("UPDATE served_languages SET heard = 0 WHERE source = 'fi'");
}

#endif
