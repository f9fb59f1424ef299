/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "pipeline/rewrite.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/lang.h"
#include "base/text.h"
#include "pipeline/word_edit.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

/* ---- numbers in words ---- */

static const struct number_word {
	const char *en, *es; /* es: forms separated by "|"; NULL: none */
	int value;
} number_words[] = {
	{ "one", "uno|una|un", 1 },
	{ "two", "dos", 2 },
	{ "three", "tres", 3 },
	{ "four", "cuatro", 4 },
	{ "five", "cinco", 5 },
	{ "six", "seis", 6 },
	{ "seven", "siete", 7 },
	{ "eight", "ocho", 8 },
	{ "nine", "nueve", 9 },
	{ "ten", "diez", 10 },
	{ "eleven", "once", 11 },
	{ "twelve", "doce", 12 },
	{ "thirteen", "trece", 13 },
	{ "fourteen", "catorce", 14 },
	{ "fifteen", "quince", 15 },
	{ "sixteen", "dieciséis", 16 },
	{ "seventeen", "diecisiete", 17 },
	{ "eighteen", "dieciocho", 18 },
	{ "nineteen", "diecinueve", 19 },
	{ "twenty", "veinte", 20 },
	{ NULL, "veintiuno|veintiuna|veintiún", 21 },
	{ NULL, "veintidós", 22 },
	{ NULL, "veintitrés", 23 },
	{ NULL, "veinticuatro", 24 },
	{ NULL, "veinticinco", 25 },
	{ NULL, "veintiséis", 26 },
	{ NULL, "veintisiete", 27 },
	{ NULL, "veintiocho", 28 },
	{ NULL, "veintinueve", 29 },
	{ "thirty", "treinta", 30 },
	{ "forty", "cuarenta", 40 },
	{ "fifty", "cincuenta", 50 },
	{ "sixty", "sesenta", 60 },
	{ "seventy", "setenta", 70 },
	{ "eighty", "ochenta", 80 },
	{ "ninety", "noventa", 90 },
	{ NULL, "cien|ciento", 100 },
	{ NULL, "doscientos|doscientas", 200 },
	{ NULL, "trescientos|trescientas", 300 },
	{ NULL, "cuatrocientos|cuatrocientas", 400 },
	{ NULL, "quinientos|quinientas", 500 },
	{ NULL, "seiscientos|seiscientas", 600 },
	{ NULL, "setecientos|setecientas", 700 },
	{ NULL, "ochocientos|ochocientas", 800 },
	{ NULL, "novecientos|novecientas", 900 },
};

/* 0: no number of one word. */
static int
value_of(bool spanish, const char *word)
{
	for (size_t i = 0; i < COUNT(number_words); i++) {
		const char *list = spanish ? number_words[i].es : number_words[i].en;

		if (list != NULL && word_is_listed(list, word))
			return number_words[i].value;
	}
	return 0;
}

struct number {
	size_t end;   /* index of the word after the number */
	long value;   /* value of all its words */
	size_t words; /* number of its words without "and" */
	bool plain;   /* engines know this form: "two hundred", "twenty-five" */
};

/* True if a word of this value may follow the words that make `group`, below 1,000. */
static bool
fits(long group, int value)
{
	if (value >= 100)
		return group == 0;
	return value >= 10 ? group % 100 == 0
			   : group % 10 == 0 && (group % 100 == 0 || group % 100 >= 20);
}

static bool
is_thousand(bool spanish, const char *word)
{
	return strcmp(word, spanish ? "mil" : "thousand") == 0;
}

/* Reads the number that begins with the i-th word; 0 words: there is none. */
static struct number
read_number(const struct words *t, size_t i, bool spanish)
{
	struct number n = { .end = i };
	long group = 0, total = 0;

	for (size_t k = i; k < t->n && (k == i || t->w[k].joined); k++) {
		const char *w = t->w[k].small;
		int value = value_of(spanish, w);

		if (n.words > 0 && strcmp(w, spanish ? "y" : "and") == 0) {
			value = value_of(spanish, word_behind(t, k));
			if (value == 0 || !fits(group, value) ||
			    (spanish && (value > 9 || group % 100 < 30)) ||
			    (!spanish && group % 100 != 0))
				break;
			continue;
		}
		if (value > 0 && fits(group, value))
			group += value;
		else if (!spanish && strcmp(w, "hundred") == 0 && group > 0 &&
			 group < 100)
			group *= 100;
		else if (is_thousand(spanish, w) && total == 0 &&
			 (group > 0 || (spanish && k == i))) {
			total = (group > 0 ? group : 1) * 1000;
			group = 0;
		} else
			break;
		n.words++;
		n.end = k + 1;
	}
	n.value = total + group;
	return n;
}

/* Reads "nineteen ninety-five", "twenty twenty-four": returns the year, or 0. */
static long
read_year(const struct words *t, size_t i, size_t *end)
{
	int century = value_of(false, word_at(t, i));
	struct number n;

	if (century < 17 || century > 20 || i + 1 >= t->n || !t->w[i + 1].joined)
		return 0;
	n = read_number(t, i + 1, false);
	*end = n.end;
	return n.words > 0 && n.value >= 10 && n.value < 100 ? century * 100 + n.value
							     : 0;
}

/*
 * Reads " and a half million", " millones y medio": returns the index of the next word;
 * 0: not found.
 */
static size_t
read_half(const struct words *t, size_t i, bool spanish)
{
	static const char *const en[] = { "and", "a", "half", "million" };
	static const char *const es[] = { "millones", "y", "medio" };
	size_t n = spanish ? COUNT(es) : COUNT(en);

	for (size_t k = 0; k < n; k++)
		if (i + k >= t->n || !t->w[i + k].joined ||
		    strcmp(t->w[i + k].small, spanish ? es[k] : en[k]) != 0)
			return 0;
	return i + n;
}

static const char *
digits(const struct words *t, bool spanish, long value)
{
	if (value < 10000)
		return arena_printf(t->mem, "%ld", value);
	return arena_printf(
	    t->mem, "%ld%c%03ld", value / 1000, spanish ? '.' : ',', value % 1000);
}

/* True if engines translate the number correctly: one group of one or two words. */
static bool
is_simple(const struct words *t, size_t i, const struct number *n, bool spanish)
{
	if (n->words < 2)
		return true;
	if (n->words > 2 || spanish)
		return false;
	return n->end - i == 2 &&
	       (n->value % 100 == 0 || t->text[t->w[i].at + t->w[i].len] == '-');
}

/* Rewrites a number; returns the index of the word after it, or i. */
static size_t
rewrite_number(struct words *t, size_t i, bool spanish)
{
	struct number n = read_number(t, i, spanish);
	size_t end;
	long year = spanish ? 0 : read_year(t, i, &end);

	if (year > 0) {
		words_put(t, i, end, digits(t, spanish, year));
		return end;
	}
	if (n.words == 0)
		return i;
	if ((end = read_half(t, n.end, spanish)) > 0) {
		words_put(t, i, end,
		    arena_printf(t->mem, "%s%c5 %s", digits(t, spanish, n.value),
			spanish ? ',' : '.', spanish ? "millones" : "million"));
		return end;
	}
	if (is_simple(t, i, &n, spanish))
		return n.end;
	if (!spanish && n.value < 100)
		words_put(t, i, n.end,
		    arena_printf(t->mem, "%.*s-%s", (int)t->w[i].len,
			t->text + t->w[i].at, word_at(t, n.end - 1)));
	else
		words_put(t, i, n.end, digits(t, spanish, n.value));
	return n.end;
}

/* ---- times of day ---- */

#define BEHIND_HOUR                                                                    \
	" de en del y para por con cuando hasta menos pero o porque si como todos "

/* "half past two", "quarter to three": returns the word behind, or i. */
static size_t
rewrite_minutes(struct words *t, size_t i)
{
	size_t k = i + (strcmp(word_at(t, i), "a") == 0);
	bool half = strcmp(word_at(t, k), "half") == 0,
	     to = strcmp(word_at(t, k + 1), "to") == 0;
	int hour =
	    k + 2 < t->n && t->w[k + 2].joined ? value_of(false, word_at(t, k + 2)) : 0;

	if ((!half && strcmp(word_at(t, k), "quarter") != 0) || (half && to) ||
	    (!to && strcmp(word_at(t, k + 1), "past") != 0) || hour < 1 || hour > 12)
		return i;
	if (to)
		hour = hour > 1 ? hour - 1 : 12;
	words_put(t, i, k + 3,
	    arena_printf(t->mem, "%d:%d", hour,
		half ? 30
		: to ? 45
		     : 15));
	return k + 3;
}

/* Words after an hour that has no "o'clock". */
#define AFTER_HOUR                                                                     \
	" in on and but tomorrow today tonight this every sharp for because we i you " \
	"with "
/* "at two o'clock": returns the word behind, or i. */
static size_t
rewrite_english_hour(struct words *t, size_t i)
{
	int hour = value_of(false, word_behind(t, i));
	bool clock = i + 3 < t->n && strcmp(word_at(t, i + 2), "o") == 0 &&
		     strcmp(word_at(t, i + 3), "clock") == 0;

	if (strcmp(word_at(t, i), "at") != 0 || hour < 1 || hour > 12)
		return rewrite_minutes(t, i);
	if (!clock) {
		const char *next = word_behind(t, i + 1);

		if (*next != '\0' && !text_has_word(AFTER_HOUR, next))
			return i;
		words_put(t, i + 1, i + 2, arena_printf(t->mem, "%d:00", hour));
		return i + 2;
	}
	words_put(t, i + 1, i + 4, arena_printf(t->mem, "%d:00", hour));
	return i + 4;
}

/* Rewrites "a las nueve y media", but not "a las dos mujeres". */
static size_t
rewrite_spanish_hour(struct words *t, size_t i)
{
	int hour = i + 2 < t->n ? value_of(true, word_at(t, i + 2)) : 0, minute = 0;
	size_t end = i + 3;
	const char *next, *then;

	if (strcmp(word_at(t, i), "a") != 0 ||
	    !word_is_listed("las|la", word_behind(t, i)) || !t->w[i + 2].joined ||
	    hour < 1 || hour > 12)
		return i;
	next = word_behind(t, end - 1);
	then = *next != '\0' ? word_behind(t, end) : "";
	if (word_is_listed("y|menos", next) && word_is_listed("media|cuarto", then)) {
		minute = strcmp(then, "media") == 0 ? 30 : 15;
		if (strcmp(next, "menos") == 0) {
			minute = 60 - minute;
			hour = hour > 1 ? hour - 1 : 12;
		}
		end += 2;
	} else if (*next != '\0' && !text_has_word(BEHIND_HOUR, next))
		return i;
	words_put(t, i + 2, end, arena_printf(t->mem, "%d:%02d", hour, minute));
	return end;
}

/* ---- verbs that look like nouns ---- */

/* Verbs whose form in "-s" is also a common noun. */
#define VERBS                                                                          \
	" work run leave cost end start show help need mean matter change stop "       \
	"plan look point sound rise fall drop play talk walk feel hope return answer " \
	"support report cover offer aim rest cause limit increase decrease use move "  \
	"turn land pass pay save share visit link drive benefit profit hold stay "     \
	"call test study travel order lack lead vote result open close begin focus "   \
	"deal stand claim request demand promise process note record access finish "   \
	"cross step grow sink burn break fight serve light "
#define DETERMINERS                                                                    \
	" the a an this that my your our his her its their each every another "
/* Words that may precede the determiner of a subject. */
#define OPENERS                                                                        \
	" how when if because that why where and but while as since who what so "      \
	"whether until before after think know say hope believe "
/* Words that belong neither to a subject nor to a compound noun. */
#define FUNCTION                                                                       \
	" is are was were has have had do does did will would can could may might "    \
	"must should shall be been not and or but of in on at to from by with for as " \
	"than that which who what when where why how if because i you he she it we "   \
	"they me him us them a an the this these those my your our his her its their "
/* Words that follow a verb rather than a plural noun. */
#define AFTER_VERB                                                                     \
	" at in on from to for with by about a an the my your our his her its their "  \
	"this that these those us me you him them it no every all both well hard "     \
	"early late now here there today tomorrow fast quickly ok better best more "   \
	"less much too very again only when if until how why what up down out off "    \
	"over like through between into under after before because so two three "      \
	"four five six seven eight nine ten "
#define FINITE " is are was were has have had will would can could do does did "
#define CLAUSES " that how why if when because and but which who what where while "

static const char *
verb_of(struct arena *mem, const char *word)
{
	size_t n = strlen(word);
	const char *base;

	if (n < 4 || word[n - 1] != 's')
		return NULL;
	base = arena_dup(mem, word, n - 1);
	if (text_has_word(VERBS, base))
		return base;
	if (strcmp(word + n - 2, "es") != 0)
		return NULL;
	base = strcmp(word + n - 3, "ies") == 0
		   ? arena_printf(mem, "%.*sy", (int)n - 3, word)
		   : arena_dup(mem, word, n - 2);
	return text_has_word(VERBS, base) ? base : NULL;
}

static bool
is_plural(const char *word)
{
	size_t n = strlen(word);

	return n > 2 && word[n - 1] == 's' && strchr("sui", word[n - 2]) == NULL;
}

/*
 * True if "the train" or "our first big train" ends before the i-th word and begins its
 * clause, perhaps after an opener.
 */
static bool
is_subject_before(const struct words *t, size_t i)
{
	for (size_t k = i, n = 0; k > 0 && t->w[k].joined && n < 4; n++) {
		const char *w = t->w[--k].small;

		if (n > 0 && text_has_word(DETERMINERS, w))
			return !t->w[k].joined || k == 0 ||
			       text_has_word(OPENERS, t->w[k - 1].small);
		if (*w == '\0' || text_has_word(FUNCTION, w) || is_plural(w) ||
		    t->w[k].shortened)
			return false;
	}
	return false;
}

/* True if the verb of the clause comes after the i-th word. */
static bool
has_verb_behind(const struct words *t, size_t i)
{
	for (size_t k = i + 1; k < t->n && t->w[k].joined; k++) {
		if (text_has_word(CLAUSES, t->w[k].small))
			return false;
		if (text_has_word(FINITE, t->w[k].small))
			return true;
	}
	return false;
}

static bool
is_verb(const struct words *t, size_t i)
{
	const char *next = word_behind(t, i);

	if (t->w[i].shortened || !t->w[i].joined || has_verb_behind(t, i))
		return false;
	/* a plural noun would have "these" */
	if (word_is_listed("this|that", word_before(t, i)))
		return true;
	if (*next != '\0' && !text_has_word(AFTER_VERB, next) && !word_is_digits(next))
		return false;
	return is_subject_before(t, i);
}

static void
rewrite_verb(struct words *t, size_t i)
{
	const char *base = verb_of(t->mem, t->w[i].small);

	if (base != NULL && is_verb(t, i))
		words_put(t, i, i + 1, arena_printf(t->mem, "does %s", base));
}

/* ---- small words ---- */

#define TIMES                                                                          \
	" second seconds minute minutes hour hours day days week weeks month months "  \
	"year years decade decades century centuries "
#define QUANTITIES                                                                     \
	" a an one two three four five six seven eight nine ten twelve fifteen "       \
	"twenty thirty forty fifty sixty ninety many several some few the last past "  \
	"couple of about over almost nearly more than half hundred thousand another "
#define NEGATIVES " not never nobody nothing neither nor without cannot hardly "

static bool
is_duration(const struct words *t, size_t i)
{
	for (size_t k = i + 1; k < t->n && t->w[k].joined && k < i + 6; k++) {
		if (text_has_word(TIMES, t->w[k].small))
			return k > i + 1;
		if (!text_has_word(QUANTITIES, t->w[k].small) &&
		    !word_is_digits(t->w[k].small))
			return false;
	}
	return false;
}

static bool
denies(const struct words *t, size_t i)
{
	const char *w = t->w[i].small;

	return text_has_word(NEGATIVES, w) ||
	       (t->w[i].shortened && w[strlen(w) - (*w != '\0')] == 'n' &&
		   strcmp(word_at(t, i + 1), "t") == 0);
}

/* "not any", "without any": the noun alone means the same. */
static bool
is_needless(const struct words *t, size_t i)
{
	if (strcmp(t->w[i].small, "any") != 0 || *word_behind(t, i) == '\0' ||
	    word_is_listed("more|longer|other|better|of", word_behind(t, i)))
		return false;
	for (size_t k = i; k > 0; k--) {
		if (denies(t, k - 1))
			return true;
		if (!t->w[k - 1].joined && strcmp(t->w[k - 1].small, "t") != 0)
			return false;
	}
	return false;
}

/* Rewrites words in a clause; returns the index of the word after them, or i. */
static size_t
rewrite_small_word(struct words *t, size_t i)
{
	if (strcmp(t->w[i].small, "for") == 0 && is_duration(t, i)) {
		words_put(t, i, i + 1, "during");
		return i + 1;
	}
	if (!is_needless(t, i))
		return i;
	words_cut(t, i);
	return i + 1;
}

/* ---- habits ---- */

static bool
is_vowel(char c)
{
	return strchr("aeiou", c) != NULL;
}

/* "think" -> "thinking", "live" -> "living", "run" -> "running" */
static const char *
gerund(struct arena *mem, const char *verb)
{
	size_t n = strlen(verb);
	const char *s = verb + n;

	if (n > 2 && s[-1] == 'e' && !is_vowel(s[-2]))
		return arena_printf(mem, "%.*sing", (int)n - 1, verb);
	if (n > 2 && n < 5 && !is_vowel(s[-1]) && is_vowel(s[-2]) && !is_vowel(s[-3]) &&
	    strchr("wxy", s[-1]) == NULL)
		return arena_printf(mem, "%s%cing", verb, s[-1]);
	return arena_printf(mem, "%sing", verb);
}

/* "we used to live" -> "we were living", which is a single tense in other languages. */
static size_t
rewrite_habit(struct words *t, size_t i)
{
	const char *subject = word_before(t, i), *verb = word_at(t, i + 2);
	bool many = word_is_listed("we|you|they|people|children", subject) ||
		    is_plural(subject);

	if (strcmp(word_at(t, i), "used") != 0 ||
	    strcmp(word_behind(t, i), "to") != 0 || *subject == '\0' ||
	    text_has_word(FINITE " be been being get got ", subject) || *verb == '\0' ||
	    !t->w[i + 2].joined)
		return i;
	words_put(t, i, i + 3,
	    strcmp(verb, "be") == 0 ? (many ? "were" : "was")
				    : arena_printf(t->mem, "%s %s",
					  many ? "were" : "was", gerund(t->mem, verb)));
	return i + 3;
}

/* ---- all of it ---- */

static size_t
rewrite_at(struct words *t, size_t i, bool spanish, bool verbs)
{
	size_t end = spanish ? rewrite_spanish_hour(t, i) : rewrite_english_hour(t, i);

	if (end == i)
		end = rewrite_number(t, i, spanish);
	if (end == i && !spanish)
		end = rewrite_small_word(t, i);
	if (end == i && verbs)
		end = rewrite_habit(t, i);
	if (end == i && verbs)
		rewrite_verb(t, i);
	return end > i ? end : i + 1;
}

void
rewrite_text(struct arena *mem, struct mt_text *t)
{
	bool spanish = lang_same_base("es", t->from);
	/* to Spanish, verbs_to_spanish() has more rules */
	bool verbs = !spanish && (t->to == NULL || !lang_same_base("es", t->to));
	struct words *w;

	if ((!spanish && !lang_same_base("en", t->from)) ||
	    (w = words_of(mem, t->text)) == NULL)
		return;
	for (size_t i = 0; i < w->n;)
		i = rewrite_at(w, i, spanish, verbs);
	words_apply(w, t);
}

/* ---- terms ---- */

/* Columns: Spanish, French, Italian, Portuguese, English. */
enum language { ES, FR, IT, PT, EN, LANGUAGES };

static const char *const codes[LANGUAGES] = { "es", "fr", "it", "pt", "en" };

static const char *const about[LANGUAGES] = { "sobre", "sur", "su", "sobre" };
static const char *const nothing[LANGUAGES] = { "nada", "rien", "niente", "nada" };
static const char *const nobody[LANGUAGES] = { "nadie", "personne", "nessuno",
	"ninguém" };

/* "about ten", "about half an hour", "about to": a measure or a time, not a topic. */
#define MEASURES                                                                       \
	" to a an half one two three four five six seven eight nine ten eleven "       \
	"twelve fifteen twenty thirty forty fifty sixty seventy eighty ninety "
/*
 * Returns the translation of the i-th word of an English text; NULL: leave it to the
 * engine.
 */
static const char *
english_term(const struct words *t, size_t i, bool denied, enum language to)
{
	const char *w = t->w[i].small, *next = word_behind(t, i);

	if (strcmp(w, "about") == 0)
		return *next == '\0' || word_is_digits(next) ||
			       text_has_word(MEASURES, next) ||
			       word_is_listed(
				   "what|how|out|bring|brought|just", word_before(t, i))
			   ? NULL
			   : about[to];
	if (denied && strcmp(w, "anything") == 0)
		return nothing[to];
	if (denied && word_is_listed("anyone|anybody", w))
		return nobody[to];
	return NULL;
}

/* "La película dura dos horas": a verb, which the engine takes for an adjective. */
static const char *
spanish_term(const struct words *t, size_t i)
{
	const char *w = t->w[i].small, *next = word_behind(t, i);
	bool length =
	    value_of(true, next) > 0 || word_is_digits(next) ||
	    word_is_listed("del|desde|hasta|unos|unas|varios|varias|toda|todo|"
			   "solo|muchos|muchas|más|menos|entre",
		next);

	if (!length)
		return NULL;
	return strcmp(w, "dura") == 0    ? "lasts"
	       : strcmp(w, "duran") == 0 ? "last"
					 : NULL;
}

static bool
find_language(const char *code, enum language *to)
{
	for (int i = 0; i < LANGUAGES; i++)
		if (lang_same_base(codes[i], code)) {
			*to = (enum language)i;
			return true;
		}
	return false;
}

const struct mt_term *
rewrite_terms(
    struct arena *mem, const char *from, const char *to, const char *text, size_t *n)
{
	bool english = lang_same_base("en", from), denied = false;
	struct buf b = { .mem = mem };
	enum language l;
	struct words *t;

	*n = 0;
	if (!find_language(to, &l) || english == (l == EN) ||
	    (!english && !lang_same_base("es", from)) ||
	    (t = words_of(mem, text)) == NULL)
		return NULL;
	for (size_t i = 0; i < t->n; i++) {
		const char *put;

		/* "n't": this apostrophe does not join clauses */
		denied = (t->w[i].joined || strcmp(t->w[i].small, "t") == 0) && denied;
		put = english ? english_term(t, i, denied, l) : spanish_term(t, i);
		denied |= denies(t, i);
		if (put != NULL) {
			const struct mt_term m = { .at = t->w[i].at,
				.len = t->w[i].len,
				.target = put,
				.phrase = true };

			buf_put(&b, &m, sizeof(m));
			++*n;
		}
	}
	return (const void *)b.p;
}
