/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "speech/mt_quality.h"

#include <string.h>

#include "base/lang.h"

#define TALKS "60 sentences of talks"
#define DOZEN "12 sentences of talks"
#define BOTH "both steps measured"

/*
 * Results of a reading in 2026: sentences were good, understandable or wrong.
 * Apertium between English and Spanish, and the pivots over Portuguese, were judged
 * with the rules of lib/pipeline.
 */
const struct mt_measured mt_measured[] = {
	{ "process", "firefox", "en", "pt", 60, 37, 17 },
	{ "process", "firefox", "pt", "en", 60, 44, 10 },
	{ "apertium", NULL, "en", "es", 60, 35, 21 },
	{ "apertium", NULL, "es", "en", 60, 32, 19 },
	{ "apertium", NULL, "en", "hr", 12, 0, 0 },
	{ "apertium", NULL, "bs", "en", 12, 0, 0 },
	{ "apertium", NULL, "hr", "en", 12, 0, 0 },
	{ "apertium", NULL, "sr", "en", 12, 0, 0 },
	{ NULL, NULL, NULL, NULL, 0, 0, 0 },
};

/* Two steps that were judged together. */
static const struct measured_pivot {
	/*
	 * first, second: kinds of the engines; word: the word that tells engines of
	 * kind "process" apart, from their settings
	 */
	const char *first, *word, *second;
	const char *from, *via, *to;
	int sentences, good, understandable;
} pivots[] = {
	{ "process", "firefox", "apertium", "en", "pt", "es", 60, 28, 25 },
	{ "apertium", "firefox", "process", "es", "pt", "en", 60, 24, 20 },
};

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static bool
is_engine(const struct engine_at *at, const char *kind, const char *word)
{
	if (at->kind == NULL || strcmp(at->kind, kind) != 0)
		return false;
	return word == NULL || (at->id != NULL && strstr(at->id, word) != NULL) ||
	       (at->command != NULL && strstr(at->command, word) != NULL);
}

bool
mt_is_measured(const struct mt_measured *m, const struct engine_at *at)
{
	return is_engine(at, m->kind, m->word);
}

static struct mt_quality
quality_of(int sentences, int good, int understandable)
{
	return (struct mt_quality){ (double)good / sentences,
		(double)(good + understandable) / sentences,
		sentences == 12 ? DOZEN : TALKS };
}

struct mt_quality
mt_quality(const struct engine_at *at, const char *from, const char *to)
{
	for (const struct mt_measured *m = mt_measured; m->kind != NULL; m++)
		if (mt_is_measured(m, at) && lang_same_base(m->from, from) &&
		    lang_same_base(m->to, to))
			return quality_of(m->sentences, m->good, m->understandable);
	return (struct mt_quality){ .measure = NULL };
}

/* As is_engine(); the word is looked for only in a process. */
static bool
is_step(const struct engine_at *at, const char *kind, const char *word)
{
	return is_engine(at, kind, strcmp(kind, "process") == 0 ? word : NULL);
}

struct mt_quality
mt_quality_of_two(const struct engine_at *a, const char *from, const char *via,
    const struct engine_at *b, const char *to)
{
	struct mt_quality first = mt_quality(a, from, via);
	struct mt_quality second = mt_quality(b, via, to);

	for (size_t i = 0; i < COUNT(pivots); i++) {
		const struct measured_pivot *p = &pivots[i];

		if (is_step(a, p->first, p->word) && is_step(b, p->second, p->word) &&
		    lang_same_base(p->from, from) && lang_same_base(p->via, via) &&
		    lang_same_base(p->to, to))
			return quality_of(p->sentences, p->good, p->understandable);
	}
	if (first.measure == NULL || second.measure == NULL)
		return (struct mt_quality){ .measure = NULL };
	return (struct mt_quality){ first.good * second.good,
		first.usable * second.usable, BOTH };
}

enum mt_grade
mt_grade(const struct mt_quality *q)
{
	if (q->measure == NULL)
		return MT_UNMEASURED;
	if (q->usable < 0.5)
		return MT_USELESS;
	if (q->usable >= 0.9 && q->good >= 0.5)
		return MT_GOOD;
	return q->usable >= 2.0 / 3 ? MT_FAIR : MT_POOR;
}

const char *
mt_grade_name(enum mt_grade grade)
{
	return grade == MT_GOOD   ? "good"
	       : grade == MT_FAIR ? "fair"
	       : grade == MT_POOR ? "poor"
				  : NULL;
}

bool
mt_is_better(const struct mt_quality *q, const struct mt_quality *than)
{
	return q->measure != NULL && than->measure != NULL &&
	       q->good + q->usable > than->good + than->usable;
}
