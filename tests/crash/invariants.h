/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CRASH_INVARIANTS_H
#define CRASH_INVARIANTS_H

#include "db/db.h"

/* Print one breach as a line, and count it. */
void breach(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* A rule: the rows that the query finds are breaches, named by column 0. */
struct rule {
	const char *text;
	struct sql find;
};

#define RULE(text, query)                                                              \
	{                                                                              \
		text,                                                                  \
		{                                                                      \
			text, query, NULL                                              \
		}                                                                      \
	}

/* Rules that must hold at every moment. */
extern const struct rule rules_always[];
/*
 * Rules that must hold when time has passed and every worker has run until nothing is
 * due.
 */
extern const struct rule rules_settled[];

/*
 * A fact reported to a client: a line "KIND SUBJECT [VALUE [VALUE]]", separated by
 * tabs.
 */
struct promise {
	const char *kind;
	/* query: 1 if the fact holds; $1 is the subject, $2 and $3 the values */
	struct sql kept;
};

extern const struct promise promises[];

#endif
