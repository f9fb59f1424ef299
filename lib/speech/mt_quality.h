/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef SPEECH_MT_QUALITY_H
#define SPEECH_MT_QUALITY_H

#include <stdbool.h>
#include <stddef.h>

#include "speech/at.h"

/* Nouns: mt. */

/* The quality of an engine's translations of a pair, as people judged them. */
struct mt_quality {
	double good;         /* share of good sentences, 0 to 1 */
	double usable;       /* share of good or understandable sentences, 0 to 1 */
	const char *measure; /* name of the set of sentences; NULL: not measured */
};

enum mt_grade { MT_UNMEASURED, MT_USELESS, MT_POOR, MT_FAIR, MT_GOOD };

/* A measured engine with a pair of base codes. */
struct mt_measured {
	const char *kind, *word; /* kind of engine, and a word in its id or command */
	const char *from, *to;
	int sentences, good, understandable;
};

/* The tables of engines and of two steps; the last row has no kind. */
extern const struct mt_measured mt_measured[];
/* True if the engine is one that the row measured. */
bool mt_is_measured(const struct mt_measured *, const struct engine_at *);

struct mt_quality mt_quality(
    const struct engine_at *, const char *from, const char *to);
/*
 * The quality of two steps by two engines. If they were not measured together, it is
 * the product of both shares, because the second step cannot mend faults of the first.
 */
struct mt_quality mt_quality_of_two(const struct engine_at *, const char *from,
    const char *via, const struct engine_at *, const char *to);
enum mt_grade mt_grade(const struct mt_quality *);
/* Returns "good", "fair" or "poor"; NULL: not measured, or useless. */
const char *mt_grade_name(enum mt_grade);
/* True if both were measured and the first is better. */
bool mt_is_better(const struct mt_quality *, const struct mt_quality *than);

#endif
