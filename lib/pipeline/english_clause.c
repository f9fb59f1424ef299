/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "pipeline/english_clause.h"

#include <string.h>

#include "base/text.h"

/* ---- words ---- */

/* The full words of a short form: a word, and the letters after its apostrophe. */
static const struct short_form {
	const char *word, *tail; /* word NULL: any */
	const char *first, *second;
} short_forms[] = {
	{ "can", "t", "can", "not" }, /* "can't" is read as "can" and "t" */
	{ "won", "t", "will", "not" },
	{ "shan", "t", "shall", "not" },
	{ "let", "s", "let", "us" },
	{ NULL, "m", NULL, "am" },
	{ NULL, "re", NULL, "are" },
	{ NULL, "ve", NULL, "have" },
	{ NULL, "ll", NULL, "will" },
	{ NULL, "d", NULL, "would" },
};
#define IS_AFTER                                                                       \
	" it he she that what where who there here how this everything everyone "      \
	"everybody nothing nobody something someone somebody when why "

static void
put(struct english *e, const char *s, size_t at, size_t end, bool joined)
{
	e->w[e->n++] = (struct english_word){ s, at, end, joined, false };
}

/* "don" + "t" -> "do not"; returns false if the second word is no short form. */
static bool
put_short(struct english *e, size_t i)
{
	const struct words *t = e->words;
	const char *word = word_at(t, i), *tail = word_at(t, i + 1);
	size_t n = strlen(word), mid = word_end(t, i), end = word_end(t, i + 1);

	for (size_t k = 0; k < sizeof(short_forms) / sizeof(short_forms[0]); k++) {
		const struct short_form *f = &short_forms[k];

		if (strcmp(tail, f->tail) != 0 ||
		    (f->word != NULL && strcmp(word, f->word) != 0))
			continue;
		put(e, f->first != NULL ? f->first : word, t->w[i].at, mid,
		    t->w[i].joined);
		put(e, f->second, mid, end, true);
		return true;
	}
	if (strcmp(tail, "t") == 0 && n > 2 && word[n - 1] == 'n') {
		put(e, arena_dup(t->mem, word, n - 1), t->w[i].at, mid, t->w[i].joined);
		put(e, "not", mid, end, true);
		return true;
	}
	if (strcmp(tail, "s") != 0)
		return false;
	put(e, word, t->w[i].at, mid, t->w[i].joined);
	if (text_has_word(IS_AFTER, word))
		put(e, "is", mid, end, true);
	else {
		e->w[e->n - 1].possessive = true;
		e->w[e->n - 1].end = end;
	}
	return true;
}

/* "he's done": "has"; "I'd better": "had" */
static void
mend_short(struct english *e)
{
	size_t n;

	for (size_t i = 0; i + 1 < e->n; i++) {
		struct english_word *w = &e->w[i];

		if (strcmp(w->s, "gonna") == 0 || strcmp(w->s, "wanna") == 0)
			w->s = *w->s == 'g' ? "going" : "want";
		if (i == 0 || w->at != e->w[i - 1].end)
			continue;
		if (strcmp(w->s, "is") == 0 &&
		    (english_is(e, i + 1, " been got had ") ||
			(english_is(e, i - 1, " he she it ") &&
			    (e->words->text[e->w[i + 1].at] & 0x80) == 0 &&
			    english_is(e, i + 1, " become gone come changed taken ") &&
			    english_verb(e, i + 1, 1 << EN_PARTICIPLE, &n) != NULL)))
			w->s = "has";
		if (strcmp(w->s, "would") == 0 && english_is(e, i + 1, " better been "))
			w->s = "had";
	}
}

struct english *
english_words(struct words *t)
{
	struct english *e = arena_alloc(t->mem, sizeof(*e));

	e->words = t;
	for (size_t i = 0; i < t->n; i++) {
		if (t->w[i].shortened && i + 1 < t->n &&
		    t->w[i + 1].at - word_end(t, i) <= strlen("’") && put_short(e, i)) {
			i++;
			continue;
		}
		if (strcmp(t->w[i].small, "cannot") == 0) {
			put(e, "can", t->w[i].at, t->w[i].at + 3, t->w[i].joined);
			put(e, "not", t->w[i].at + 3, word_end(t, i), true);
			continue;
		}
		put(e, t->w[i].small, t->w[i].at, word_end(t, i), t->w[i].joined);
	}
	mend_short(e);
	return e;
}

const char *
english_at(const struct english *e, size_t i)
{
	return i < e->n ? e->w[i].s : "";
}

bool
english_is(const struct english *e, size_t i, const char *set)
{
	return i < e->n && text_has_word(set, e->w[i].s);
}

bool
english_starts(const struct english *e, size_t i)
{
	return i == 0 || !e->w[i].joined;
}

const char *
english_next(const struct english *e, size_t i)
{
	return i < e->n && e->w[i].joined ? e->w[i].s : "";
}

bool
english_asks(const struct english *e, size_t i)
{
	const char *s = e->words->text + (i < e->n ? e->w[i].at : 0);

	s += strcspn(s, ".?!");
	return *s == '?';
}

/* ---- subjects ---- */

#define PLURALS                                                                        \
	" people children men women they we you these those many others most both "    \
	"police few several two three four five six seven eight nine ten hundred "     \
	"thousand million percent data media "
#define SINGULARS                                                                      \
	" news series physics mathematics economics politics always perhaps success "  \
	"process business class address access progress loss boss glass mass pass "    \
	"illness everyone everybody someone nobody nothing something everything one "

static bool
is_plural(const char *word)
{
	size_t n = strlen(word);

	if (text_has_word(PLURALS, word))
		return true;
	return n > 2 && word[n - 1] == 's' && strchr("sui", word[n - 2]) == NULL &&
	       !text_has_word(SINGULARS, word);
}

/* The last word before the first preposition of [from, end). */
static size_t
head_of(const struct english *e, size_t from, size_t end)
{
	for (size_t i = from + 1; i < end; i++)
		if (english_is(e, i, EN_PREPOSITIONS))
			return i - 1;
	return end - 1;
}

/* Go past "in our town" to the subject after it. */
static size_t
past_place(const struct english *e, size_t from, size_t end)
{
	size_t i = from;

	if (!english_is(e, i, EN_PREPOSITIONS))
		return from;
	for (i += 2; i < end; i++)
		if (english_is(e, i, EN_DETERMINERS) &&
		    !english_is(e, i - 1, EN_PREPOSITIONS EN_DETERMINERS))
			return i;
	return end - 1 > from ? end - 1 : from;
}

/* True if the "and" at the i-th word joins clauses: a verb stands before it. */
static bool
has_verb_before(const struct english *e, size_t i)
{
	const struct verb_reading *r;
	size_t n;

	for (; i > 0 && e->w[i].joined; i--) {
		r = english_verb(e, i - 1, 1 << EN_PAST | 1 << EN_S, &n);
		if (english_is(e, i - 1, EN_BE EN_MODALS " has have had ") ||
		    (r != NULL && !verb_is(r->verb, 'N')) ||
		    (r != NULL && r->form == EN_PAST && i > 1 &&
			english_is(e, i - 2, EN_SUBJECTS)))
			return true;
	}
	return false;
}

struct english_subject
english_subject(const struct english *e, size_t end)
{
	struct english_subject s = { .from = end };
	bool both = false;
	size_t n, head;

	for (size_t i = end; i > 0 && e->w[i].joined; s.from = i) {
		i--;
		if (english_is(e, i, " and or ") && i + 1 < end && i > 0) {
			if (!e->w[i].joined || has_verb_before(e, i))
				break;
			both |= english_is(e, i, " and ");
			continue;
		}
		if (english_is(e, i,
			EN_OPENERS EN_BE EN_MODALS " have has had do does did not ") &&
		    !english_is(e, i, " since before after as than that "))
			break;
		if (english_is(e, i, " that ") && i + 1 < end &&
		    (i == 0 || !english_is(e, i - 1, EN_PREPOSITIONS)) && i > 0)
			break;
		if (i + 1 < end &&
		    english_verb(e, i, 1 << EN_PAST | 1 << EN_S, &n) != NULL &&
		    !verb_is(
			english_verb(e, i, 1 << EN_PAST | 1 << EN_S, &n)->verb, 'N') &&
		    !english_is(e, i - (i > 0), EN_DETERMINERS))
			break;
	}
	while (s.from < end && english_is(e, s.from, EN_ADVERBS))
		s.from++;
	s.place = s.from < end && english_is(e, s.from, EN_PREPOSITIONS);
	n = s.from;
	s.from = past_place(e, s.from, end);
	s.place &= s.from == n || s.from + 1 >= end;
	s.found = s.from < end;
	if (!s.found)
		return s;
	for (head = end - 1; head > s.from && english_is(e, head, EN_ADVERBS);)
		head--;
	head = head_of(e, s.from, head + 1);
	s.plural = both || is_plural(e->w[head].s);
	return s;
}

/* ---- verbs ---- */

bool
english_is_participle(const struct english *e, size_t i)
{
	size_t words, n = strlen(english_next(e, i));

	return english_verb(e, i, 1 << EN_PARTICIPLE, &words) != NULL ||
	       (n > 4 && strcmp(english_next(e, i) + n - 2, "ed") == 0);
}

/* True if the words of "forward to" follow the i-th. */
static bool
has_rest(const struct english *e, size_t i, const char *rest, size_t *words)
{
	*words = 1;
	while (*rest != '\0') {
		size_t n = strcspn(rest, " ");
		const char *next = english_next(e, i + *words);

		if (strlen(next) != n || strncmp(next, rest, n) != 0)
			return false;
		++*words;
		rest += n + (rest[n] == ' ');
	}
	return true;
}

const struct verb_reading *
english_verb(const struct english *e, size_t i, unsigned forms, size_t *words)
{
	const struct verb_reading *best = NULL;
	size_t n;

	*words = 0;
	if (i >= e->n || e->w[i].possessive)
		return NULL;
	for (const struct verb_reading *r = verbs_english(e->w[i].s); r != NULL;
	     r = r->next)
		if ((forms & 1U << r->form) != 0 && has_rest(e, i, r->rest, &n) &&
		    n > *words) {
			best = r;
			*words = n;
		}
	return best;
}
