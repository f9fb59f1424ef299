/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "pipeline/segmenter_boundary.h"

#include <math.h>
#include <string.h>
#include <strings.h>

#define BESIDE 2       /* frames on either side that are averaged */
#define BEHIND 8       /* frames after a boundary that must be known */
#define DB_WORTH 0.4F  /* value of each dB below the mean */
#define GAP_WORTH 1.0F /* value of each frame between the words */
#define GAP_MOST 12    /* frames of a gap that are counted at most */
/* value of each frame after the boundary, which is recognized again */
#define AGE_WORTH -0.06F
#define CLAUSE_WORTH 4.0F /* value if the next word begins a clause */
/* value if the word before the boundary belongs to the word after it */
#define TIED_WORTH -4.0F

/* Words for English only, because only its engine reports times of words. */
static const char begins_clause[] = " and but because so or that which who when where "
				    "while if then although however unless until as "
				    "after before since i you we they he she it ";
static const char is_tied[] =
    " a an the of to in on at by for with from and or but my your our their his her "
    "its "
    "this these is are was were be been has have had will would can could should may "
    "might must not no very i you we they he she it that which who if ";

static bool
is_among(const char *words, const char *word)
{
	size_t n = strlen(word);

	for (const char *s = strchr(words, ' '); s[1] != '\0'; s = strchr(s + 1, ' '))
		if (strncasecmp(s + 1, word, n) == 0 && s[n + 1] == ' ')
			return true;
	return false;
}

static float
mean(const float *x, int n)
{
	float sum = 0;

	for (int i = 0; i < n; i++)
		sum += x[i];
	return sum / (float)n;
}

/* The value of a low level around a frame. all: mean level of the talk, dBFS. */
static float
softness(const struct boundary_talk *t, int at, float all)
{
	int from = at > BESIDE ? at - BESIDE : 0;
	int to = at + BESIDE < t->n ? at + BESIDE : t->n;

	return DB_WORTH * (all - mean(t->db + from, to - from));
}

static float
worth_of_words(const struct boundary_word *last, const struct boundary_word *next)
{
	int gap = next->from - last->to;
	float worth = GAP_WORTH * (float)(gap < GAP_MOST ? gap : GAP_MOST);

	if (is_among(begins_clause, next->text))
		worth += CLAUSE_WORTH;
	if (is_among(is_tied, last->text))
		worth += TIED_WORTH;
	return worth;
}

static float
worth_of_boundary(const struct boundary_talk *t, int at, float all)
{
	return softness(t, at, all) + AGE_WORTH * (float)(t->n - at);
}

static bool
may_cut(const struct boundary_talk *t, int at)
{
	return at >= t->least && at + BEHIND <= t->n;
}

static int
find_between_words(const struct boundary_talk *t, float all, float *best)
{
	int found = -1;

	for (int i = 1; i < t->n_words; i++) {
		const struct boundary_word *last = &t->words[i - 1], *next = last + 1;
		int at = (last->to + next->from) / 2;
		float worth;

		if (!may_cut(t, at))
			continue;
		worth = worth_of_words(last, next) + worth_of_boundary(t, at, all);
		if (worth >= *best) {
			*best = worth;
			found = at;
		}
	}
	return found;
}

static int
find_softest(const struct boundary_talk *t, float all, float *best)
{
	int found = -1;

	for (int at = t->least; may_cut(t, at); at++) {
		float worth = worth_of_boundary(t, at, all) + softness(t, at, all);

		if (worth >= *best) {
			*best = worth;
			found = at;
		}
	}
	return found;
}

int
boundary_find(const struct boundary_talk *t, float worth)
{
	float all = mean(t->db, t->n);
	int at = find_between_words(t, all, &worth);

	if (at < 0 && (t->n_words == 0 || isinf(worth)))
		at = find_softest(t, all, &worth);
	if (at < 0 && isinf(worth))
		at = t->n;
	return at;
}
