/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "pipeline/numbers.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/lang.h"

/* Languages, as columns of the tables below. */
enum language { EN, ES, FR, IT, PT, LANGUAGES };

static const char *const codes[LANGUAGES] = { "en", "es", "fr", "it", "pt" };

/* clang-format off */
static const char *const months[][LANGUAGES] = {
	{ "January", "enero", "janvier", "gennaio", "janeiro" },
	{ "February", "febrero", "février", "febbraio", "fevereiro" },
	{ "March", "marzo", "mars", "marzo", "março" },
	{ "April", "abril", "avril", "aprile", "abril" },
	{ "May", "mayo", "mai", "maggio", "maio" },
	{ "June", "junio", "juin", "giugno", "junho" },
	{ "July", "julio", "juillet", "luglio", "julho" },
	{ "August", "agosto", "août", "agosto", "agosto" },
	{ "September", "septiembre", "septembre", "settembre", "setembro" },
	{ "October", "octubre", "octobre", "ottobre", "outubro" },
	{ "November", "noviembre", "novembre", "novembre", "novembro" },
	{ "December", "diciembre", "décembre", "dicembre", "dezembro" },
};
static const char *const ordinals[] = { "first", "second", "third", "fourth", "fifth",
	"sixth", "seventh", "eighth", "ninth", "tenth", "eleventh", "twelfth",
	"thirteenth", "fourteenth", "fifteenth", "sixteenth", "seventeenth",
	"eighteenth", "nineteenth", "twentieth", "twenty-first", "twenty-second",
	"twenty-third", "twenty-fourth", "twenty-fifth", "twenty-sixth",
	"twenty-seventh", "twenty-eighth", "twenty-ninth", "thirtieth",
	"thirty-first" };
static const struct money {
	const char *sign, *word[LANGUAGES];
} money[] = {
	{ "$", { "dollars", "dólares", "dollars", "dollari", "dólares" } },
	{ "€", { "euros", "euros", "euros", "euro", "euros" } },
	{ "£", { "pounds", "libras", "livres", "sterline", "libras" } },
};
static const struct magnitude {
	const char *of[2]; /* the two forms: in en, in es */
	const char *word[LANGUAGES];
} magnitudes[] = {
	{ { "million", "millones" }, { "million", "millones", "millions", "milioni", "milhões" } },
	{ { "billion", "mil millones" }, { "billion", "mil millones", "milliards", "miliardi", "mil milhões" } },
};
static const struct decade {
	const char *of[2];
	const char *word[LANGUAGES];
} decades[] = {
	{ { "1950s", "cincuenta" }, { "fifties", "cincuenta", "cinquante", "cinquanta", "cinquenta" } },
	{ { "1960s", "sesenta" }, { "sixties", "sesenta", "soixante", "sessanta", "sessenta" } },
	{ { "1970s", "setenta" }, { "seventies", "setenta", "soixante-dix", "settanta", "setenta" } },
	{ { "1980s", "ochenta" }, { "eighties", "ochenta", "quatre-vingt", "ottanta", "oitenta" } },
	{ { "1990s", "noventa" }, { "nineties", "noventa", "quatre-vingt-dix", "novanta", "noventa" } },
};
static const char *const the_years[] = { "the ", "los años ", "les années ", "gli anni ", "os anos " };
static const char *const minus[] = { "minus ", "menos ", "moins ", "meno ", "menos " };
static const char *const at_time[] = { "at ", "a las ", "à ", "alle ", "às " };
/* clang-format on */

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

struct search {
	struct arena *mem;
	const char *text;
	enum language from, to;
};

/* Returns the end of the word at s if it is this word in any case; else NULL. */
static const char *
skip_word(const char *s, const char *word)
{
	size_t n = strlen(word);

	return s != NULL && strncasecmp(s, word, n) == 0 &&
		       !isalnum((unsigned char)s[n]) && (s[n] & 0x80) == 0
		   ? s + n
		   : NULL;
}

static const char *
skip_blank(const char *s)
{
	return s != NULL && *s == ' ' ? s + 1 : NULL;
}

/* Returns the place after a word and the blank behind it. */
static const char *
skip_two(const char *s, const char *word)
{
	return skip_blank(skip_word(s, word));
}

/* Skip the word if it is at s; else returns s. */
static const char *
skip_optional(const char *s, const char *word)
{
	const char *to = skip_two(s, word);

	return to != NULL ? to : s;
}

/* True if the word before s is this one. */
static bool
follows(const struct search *f, const char *s, const char *word)
{
	size_t n = strlen(word);

	return (size_t)(s - f->text) > n && s[-1] == ' ' &&
	       strncasecmp(s - n - 1, word, n) == 0 &&
	       (s - n - 1 == f->text || s[-(ptrdiff_t)n - 2] == ' ');
}

static bool
follows_any(const struct search *f, const char *s, const char *const *words)
{
	while (*words != NULL && !follows(f, s, *words))
		words++;
	return *words != NULL;
}

/* ---- dates ---- */

struct date {
	int day, month, year; /* year; 0: none */
	bool on;              /* an adverbial date: "on May 3rd" */
	bool of;              /* after "of" or "from": without an article */
};

static const char *
read_digits(const char *s, size_t most, int *value)
{
	size_t n = s != NULL ? strspn(s, "0123456789") : 0;

	if (n == 0 || n > most)
		return NULL;
	*value = atoi(s);
	return s + n;
}

/*
 * Reads a day: "3", "3rd", "third", "1.º". In English without "of" the mark is
 * required.
 */
static const char *
read_day(const char *s, int *day)
{
	static const char *const marks[] = { "st", "nd", "rd", "th", ".º", "º" };
	const char *end = read_digits(s, 2, day);

	for (size_t i = 0; s != NULL && end == NULL && i < COUNT(ordinals); i++)
		if (skip_word(s, ordinals[i]) != NULL) {
			*day = (int)i + 1;
			return s + strlen(ordinals[i]);
		}
	for (size_t i = 0; end != NULL && i < COUNT(marks); i++)
		if (strncmp(end, marks[i], strlen(marks[i])) == 0)
			return end + strlen(marks[i]);
	return end;
}

static const char *
read_month(const struct search *f, const char *s, int *month)
{
	const char *end = NULL;

	for (size_t i = 0; end == NULL && i < COUNT(months); i++)
		if ((end = skip_word(s, months[i][f->from])) != NULL)
			*month = (int)i;
	return end;
}

/* Reads ", 2024", " 2024", " de 2024", " del 2024"; returns s if there is no year. */
static const char *
read_year(const struct search *f, const char *s, int *year)
{
	const char *at = *s == ',' ? s + 1 : s;

	if ((at = skip_blank(at)) == NULL)
		return s;
	if (f->from == ES)
		at = skip_optional(skip_optional(at, "de"), "del");
	at = read_digits(at, 4, year);
	if (at == NULL || *year < 1000 || isalpha((unsigned char)*at)) {
		*year = 0;
		return s;
	}
	return at;
}

/* Read "3rd of May". Without "of", the month needs its capital: "the third may come".
 */
static const char *
read_day_first(const struct search *f, const char *s, struct date *d)
{
	const char *at = skip_blank(read_day(s, &d->day));
	const char *month = at != NULL ? skip_optional(at, "of") : NULL;

	return month != NULL && (month != at || isupper((unsigned char)*month))
		   ? read_month(f, month, &d->month)
		   : NULL;
}

/* Read "[on] [the] 3rd [of] May" or "[on] May 3rd", but not "we may second that". */
static const char *
read_english_date(const struct search *f, const char *s, struct date *d)
{
	const char *at = skip_optional(s, "on");
	const char *end = read_day_first(f, skip_optional(at, "the"), d);

	d->on = at != s;
	if (end == NULL && (d->on || isupper((unsigned char)*at)))
		end = read_day(skip_blank(read_month(f, at, &d->month)), &d->day);
	return end;
}

static const char *
read_spanish_date(const struct search *f, const char *s, struct date *d)
{
	static const char *const before[] = { "hoy es", "mañana es", "hasta", "desde",
		"de", "para", "antes", "sobre", NULL };
	static const char *const behind[] = { "es", "fue", "será", "era", "cae" };
	const char *at = skip_optional(s, "el");
	const char *end = skip_blank(read_day(at, &d->day));

	d->on = at != s && !follows_any(f, s, before);
	end = read_month(f, skip_two(end, "de"), &d->month);
	for (size_t i = 0; end != NULL && i < COUNT(behind); i++)
		if (skip_word(skip_blank(end), behind[i]) != NULL)
			d->on = false;
	return end;
}

static void
put_english_date(struct buf *b, const struct date *d)
{
	static const char *const marks[] = { "th", "st", "nd", "rd" };
	int last = d->day / 10 == 1 ? 0 : d->day % 10;

	buf_printf(b, "%s%s %d%s", d->on ? "on " : "", months[d->month][EN], d->day,
	    marks[last <= 3 ? last : 0]);
	if (d->year > 0)
		buf_printf(b, ", %d", d->year);
}

static void
put_date(struct buf *b, enum language to, const struct date *d)
{
	bool vowel = d->day == 8 || d->day == 11;
	const char *article = to == ES            ? "el "
			      : d->of             ? ""
			      : to == FR          ? "le "
			      : to == IT && vowel ? "l'"
			      : to == IT          ? "il "
			      : d->on             ? "em "
						  : "";
	bool of = to == ES || to == PT;

	if (to == EN) {
		put_english_date(b, d);
		return;
	}
	buf_printf(b, "%s%d%s %s%s", article, d->day,
	    d->day > 1 ? ""
	    : to == FR ? "er"
	    : to == IT ? "º"
		       : "",
	    of ? "de " : "", months[d->month][to]);
	if (d->year > 0)
		buf_printf(b, of ? " de %d" : " %d", d->year);
}

static const char *
find_date(const struct search *f, const char *s, struct mt_term *t)
{
	struct buf b = { .mem = f->mem };
	struct date d = { 0 };
	const char *end =
	    f->from == EN ? read_english_date(f, s, &d) : read_spanish_date(f, s, &d);

	if (end == NULL || d.day < 1 || d.day > 31)
		return NULL;
	d.of = f->from == EN && (follows(f, s, "of") || follows(f, s, "from"));
	end = read_year(f, end, &d.year);
	put_date(&b, f->to, &d);
	t->target = buf_text(&b);
	t->phrase = true;
	return end;
}

/* ---- times of day and decades ---- */

/* Read " am", " p.m." and so on; returns s if there is none. *hour becomes 0 to 23. */
static const char *
read_half(const char *s, int *hour)
{
	const char *at = skip_blank(s) != NULL ? s + 1 : s;
	int half = tolower((unsigned char)*at);
	const char *end = at + (half != '\0');

	if (half != 'a' && half != 'p')
		return s;
	end += *end == '.';
	if (tolower((unsigned char)*end) != 'm' || isalnum((unsigned char)end[1]))
		return s;
	*hour = *hour % 12 + (half == 'p' ? 12 : 0);
	return end + 1 + (end[-1] == '.' && end[1] == '.' && end[2] == ' ');
}

static const char *
find_time(const struct search *f, const char *s, struct mt_term *t)
{
	int hour = 0, minute = 0;
	const char *at = f->from == EN ? skip_two(s, "at") : skip_two(s, "a");
	const char *end, *behind;

	if (f->from == ES && at != NULL)
		at = skip_two(at, "las") != NULL ? skip_two(at, "las")
						 : skip_two(at, "la");
	if ((end = read_digits(at, 2, &hour)) == NULL || hour > 23)
		return NULL;
	at = end;
	if (*end == ':' && (end = read_digits(end + 1, 2, &minute)) == NULL)
		return NULL;
	behind = f->from == EN ? read_half(end, &hour) : end;
	if ((behind == end && at == end) || minute > 59)
		return NULL;
	t->target = arena_printf(f->mem, "%s%d:%02d",
	    f->to == ES && hour == 1 ? "a la " : at_time[f->to], hour, minute);
	t->phrase = true;
	return behind;
}

static const char *
find_decade(const struct search *f, const char *s, struct mt_term *t)
{
	const char *at = f->from == EN ? skip_two(s, "the") : skip_two(s, "los");
	const char *end;

	if (f->from == ES)
		at = skip_two(at, "años");
	for (size_t i = 0; at != NULL && i < COUNT(decades); i++)
		if ((end = skip_word(at, decades[i].of[f->from])) != NULL) {
			t->target = arena_printf(
			    f->mem, "%s%s", the_years[f->to], decades[i].word[f->to]);
			t->phrase = true;
			return end;
		}
	return NULL;
}

/* ---- centuries, spans of days, days of the week ---- */

static const char *const romans[] = { "X", "XI", "XII", "XIII", "XIV", "XV", "XVI",
	"XVII", "XVIII", "XIX", "XX", "XXI" };

/* Reads "el siglo XXI", the tenth to the twenty-first century. */
static const char *
find_century(const struct search *f, const char *s, struct mt_term *t)
{
	const char *at = skip_two(s, "el"), *end = NULL;
	size_t i = 0;

	at = f->from == ES ? skip_two(at != NULL ? at : s, "siglo") : NULL;
	while (
	    at != NULL && i < COUNT(romans) && (end = skip_word(at, romans[i])) == NULL)
		i++;
	if (end == NULL || f->to != EN)
		return NULL;
	t->target = arena_printf(
	    f->mem, "the %zu%s century", i + 10, i + 10 == 21 ? "st" : "th");
	t->phrase = true;
	return end;
}

/* Reads "del 10 al 14 de junio". */
static const char *
find_span(const struct search *f, const char *s, struct mt_term *t)
{
	struct buf b = { .mem = f->mem };
	struct date first = { 0 }, last = { 0 };
	const char *at = skip_blank(read_digits(skip_two(s, "del"), 2, &first.day));

	if (f->from != ES || (at = skip_two(at, "al")) == NULL ||
	    (at = read_spanish_date(f, at, &last)) == NULL || first.day < 1 ||
	    last.day < 1 || first.day > 31 || last.day > 31)
		return NULL;
	first.month = last.month;
	first.on = last.on = false;
	first.of = last.of = true;
	at = read_year(f, at, &last.year);
	buf_str(&b, f->to == EN   ? "from "
		    : f->to == IT ? "dal "
		    : f->to == FR ? "du "
				  : "de ");
	put_date(&b, f->to, &first);
	buf_str(&b, f->to == EN   ? " to "
		    : f->to == IT ? " al "
		    : f->to == FR ? " au "
				  : " a ");
	put_date(&b, f->to, &last);
	t->target = buf_text(&b);
	t->phrase = true;
	return at;
}

static const struct weekday {
	const char *es, *en;
} weekdays[] = {
	{ "lunes", "Monday" },
	{ "martes", "Tuesday" },
	{ "miércoles", "Wednesday" },
	{ "jueves", "Thursday" },
	{ "viernes", "Friday" },
	{ "sábado", "Saturday" },
	{ "domingo", "Sunday" },
};

/* Reads "el lunes", which is an adverb unless a preposition precedes it. */
static const char *
find_weekday(const struct search *f, const char *s, struct mt_term *t)
{
	static const char *const before[] = { "excepto", "hasta", "desde", "salvo",
		"para", "menos", "es", "sobre", "entre", NULL };
	const char *at = skip_two(s, "el"), *end;
	const char *before_it = skip_two(skip_two(s, "antes"), "del");

	if (f->from != ES || f->to != EN)
		return NULL;
	if (at == NULL)
		at = before_it;
	for (size_t i = 0; at != NULL && i < COUNT(weekdays); i++)
		if ((end = skip_word(at, weekdays[i].es)) != NULL) {
			t->target = arena_printf(f->mem, "%s%s",
			    at == before_it             ? "before "
			    : follows_any(f, s, before) ? ""
							: "on ",
			    weekdays[i].en);
			t->phrase = true;
			return end;
		}
	return NULL;
}

/* ---- numbers ---- */

/* Read a number such as "1,250.5" in the source's format; NULL: no number, or one of
   another kind such as "1.2.3". */
static const char *
read_number(const struct search *f, const char *s, struct buf *b)
{
	const char group = f->from == EN ? ',' : '.', point = f->from == EN ? '.' : ',';
	const char *at = s + strspn(s, "0123456789");
	bool groups = at - s <= 3;

	if (at == s)
		return NULL;
	buf_put(b, s, (size_t)(at - s));
	while (groups && *at == group && strspn(at + 1, "0123456789") == 3) {
		if (f->to != FR)
			buf_str(b, f->to == EN ? "," : ".");
		buf_put(b, at + 1, 3);
		at += 4;
	}
	if (*at == point && isdigit((unsigned char)at[1])) {
		buf_str(b, f->to == EN ? "." : ",");
		buf_put(b, at + 1, strspn(at + 1, "0123456789"));
		at += 1 + strspn(at + 1, "0123456789");
	}
	/* a version, a time, an address, an ordinal */
	return strchr(".,:/-", *at) != NULL && isdigit((unsigned char)at[*at != '\0'])
		   ? NULL
		   : at;
}

/* Read " million" after a number, in the target's words; returns s if there is none. */
static const char *
read_magnitude(const struct search *f, const char *s, struct buf *b)
{
	for (size_t i = COUNT(magnitudes); skip_blank(s) != NULL && i-- > 0;) {
		const char *end = skip_word(s + 1, magnitudes[i].of[f->from]);

		if (end == NULL)
			continue;
		buf_printf(b, " %s", magnitudes[i].word[f->to]);
		if (f->from == ES && skip_two(skip_blank(end), "de") != NULL)
			end += strlen(" de");
		return end;
	}
	return s;
}

static const struct money *
read_sign(const char *s, size_t *n)
{
	for (size_t i = 0; i < COUNT(money); i++)
		if (strncmp(s, money[i].sign, *n = strlen(money[i].sign)) == 0)
			return &money[i];
	*n = 0;
	return NULL;
}

/* Skip "minus", "-" or U+2212 before a number; else returns s. */
static const char *
read_minus(const struct search *f, const char *s, struct buf *b)
{
	const char *at = s;

	if (skip_two(s, f->from == EN ? "minus" : "menos") != NULL)
		at = skip_two(s, f->from == EN ? "minus" : "menos");
	else if (*s == '-')
		at = s + 1;
	else if (strncmp(s, "−", strlen("−")) == 0)
		at = s + strlen("−");
	if (at != s)
		buf_str(b, minus[f->to]);
	return at;
}

/* Read "%" or " percent" after a number, in the target's words; returns s if there is
   none. */
static const char *
read_percent(const struct search *f, const char *s, struct buf *b)
{
	static const char *const words[] = { "percent", "por ciento", "pour cent",
		"per cento", "por cento" };
	const char *end = *s == '%' ? s + 1 : skip_word(skip_blank(s), words[f->from]);

	if (end == NULL && *s == ' ' && s[1] == '%')
		end = s + 2;
	if (end == NULL)
		return s;
	buf_printf(b, " %s", words[f->to]);
	return end;
}

/* Read the word for money after a number that has a sign on either side. */
static const char *
read_money(const struct search *f, const struct money *m, const char *s, bool great,
    struct buf *b)
{
	size_t n = 0;

	if (m == NULL && (m = read_sign(s + (*s == ' '), &n)) != NULL)
		s += n + (*s == ' ');
	if (m == NULL)
		return s;
	if (great && f->to != EN)
		buf_str(b, f->to == IT ? " di" : " de");
	buf_printf(b, " %s", m->word[f->to]);
	return s;
}

/* True if all languages write these digits alike. */
static bool
is_plain(const char *s, const char *end)
{
	return memchr(s, '.', (size_t)(end - s)) == NULL &&
	       memchr(s, ',', (size_t)(end - s)) == NULL;
}

/* True for "3.75 million people": most targets put a word before the noun. */
static bool
needs_of(const struct search *f, const char *s)
{
	static const char *const others[] = { "in", "en", "and", "y", "a", "to", "of" };

	if (f->to == EN || *s != ' ' || !isalpha((unsigned char)s[1]))
		return false;
	for (size_t i = 0; i < COUNT(others); i++)
		if (skip_word(s + 1, others[i]) != NULL)
			return false;
	return true;
}

static const char *
find_number(const struct search *f, const char *s, struct mt_term *t)
{
	struct buf b = { .mem = f->mem };
	const char *at = read_minus(f, s, &b), *end, *great, *all;
	size_t n;
	const struct money *m = read_sign(at, &n);

	if ((end = read_number(f, at + n, &b)) == NULL || isalpha((unsigned char)*end))
		return NULL;
	great = read_magnitude(f, end, &b);
	all = read_percent(f, read_money(f, m, great, great != end, &b), &b);
	if (m == NULL && all == end && at == s && is_plain(s, end))
		return NULL;
	if (m == NULL && great != end && all == great && needs_of(f, great))
		buf_str(&b, f->to == IT ? " di" : " de");
	t->target = buf_text(&b);
	/* the number decides whether its noun is singular or plural */
	t->own = m == NULL && all == great && at == s;
	t->phrase = !t->own;
	return all;
}

/* ---- all of it ---- */

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

static const char *
find_any(const struct search *f, const char *s, struct mt_term *t)
{
	const char *end;

	if ((end = find_span(f, s, t)) != NULL || (end = find_date(f, s, t)) != NULL ||
	    (end = find_time(f, s, t)) != NULL ||
	    (end = find_decade(f, s, t)) != NULL ||
	    (end = find_century(f, s, t)) != NULL ||
	    (end = find_weekday(f, s, t)) != NULL)
		return end;
	return find_number(f, s, t);
}

const struct mt_term *
numbers_terms(
    struct arena *mem, const char *from, const char *to, const char *text, size_t *n)
{
	struct search f = { .mem = mem, .text = text };
	struct buf b = { .mem = mem };
	bool starts = true; /* a word */

	*n = 0;
	if (!find_language(from, &f.from) || f.from > ES || !find_language(to, &f.to))
		return NULL;
	for (const char *s = text, *end; *s != '\0'; s = end) {
		struct mt_term t = { .at = (size_t)(s - text) };

		end = starts ? find_any(&f, s, &t) : NULL;
		if (end != NULL) {
			t.len = (size_t)(end - s);
			buf_put(&b, &t, sizeof(t));
			++*n;
		} else
			end = s + 1;
		starts = end[-1] == ' ' || end[-1] == '(';
	}
	return (const void *)b.p;
}
