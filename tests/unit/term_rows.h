/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TESTS_UNIT_TERM_ROWS_H
#define TESTS_UNIT_TERM_ROWS_H

#include "base/csv.h"
#include "store/glossaries.h"
#include "tests/unit/unit.h"

/* Writes terms as CSV, which shows where each term ends. */
static inline const char *
stored_terms(void)
{
	const char *s = sql("SELECT terms FROM glossary_terms");
	struct buf b = { .mem = fixture.mem };

	for (size_t n; s[n = strcspn(s, TERM_END TERMS_END)] != '\0'; s += n + 1)
		buf_printf(&b, "%s%c",
		    csv_cell(fixture.mem, arena_dup(fixture.mem, s, n)),
		    s[n] == TERM_END[0] ? ',' : '\n');
	buf_str(&b, s);
	return buf_text(&b);
}

#endif
