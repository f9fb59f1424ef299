/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Removes hesitation words.
 */
#include "pipeline/disfluencies.h"

#include <string.h>
#include <strings.h>

#include "base/buf.h"
#include "base/lang.h"
#include "base/text.h"

#define MOST 12 /* the most hesitation words of one language */

/* ASCII letters match in either case; others are listed in both cases. */
static const struct fillers {
	const char *lang;
	const char *words[MOST];
} fillers[] = {
	{ "en", { "um", "uh", "er", "erm", "hmm", "mm" } },
	{ "es", { "eh", "em" } },
	{ "de", { "äh", "ähm", "Äh", "Ähm" } },
	{ "fr", { "euh" } },
};

static const struct fillers *
fillers_of(struct arena *mem, const char *lang)
{
	const char *base = lang_base(mem, lang_fold(mem, lang));

	for (size_t i = 0; i < sizeof(fillers) / sizeof(fillers[0]); i++)
		if (strcmp(fillers[i].lang, base) == 0)
			return &fillers[i];
	return NULL;
}

/* A word of the text (s, n) with the marks around it; (word, word_n) without marks. */
struct token {
	const char *s, *word;
	size_t n, word_n;
};

/* Returns the end of the token; NULL: there is none. */
static const char *
next_token(const char *s, struct token *t)
{
	static const char marks[] = ".,;:!?\"'()[]-";

	s += strspn(s, " ");
	*t = (struct token){ .s = s, .n = strcspn(s, " ") };
	t->word = s + strspn(s, marks);
	t->word_n = t->word < s + t->n ? (size_t)(s + t->n - t->word) : 0;
	while (t->word_n > 0 && strchr(marks, t->word[t->word_n - 1]) != NULL)
		t->word_n--;
	return t->n > 0 ? s + t->n : NULL;
}

static bool
is_filler(const struct fillers *f, const struct token *t)
{
	for (size_t i = 0; i < MOST && f->words[i] != NULL; i++)
		if (strlen(f->words[i]) == t->word_n &&
		    strncasecmp(f->words[i], t->word, t->word_n) == 0)
			return true;
	return false;
}

static bool
is_capital(const struct token *t)
{
	uint32_t cp;

	text_next(t->word, &cp);
	return text_is_upper(cp);
}

/* Keep the sentence-final mark of a removed word. */
static void
keep_mark(struct buf *b, const struct token *t)
{
	char last = t->s[t->n - 1];

	if (b->len == 0 || strchr(".!?", last) == NULL)
		return;
	while (b->len > 0 && strchr(",;:", b->p[b->len - 1]) != NULL)
		b->len--;
	if (b->len > 0 && strchr(".!?", b->p[b->len - 1]) == NULL)
		buf_put(b, &last, 1);
}

static void
keep_token(struct buf *b, const struct token *t, bool capital)
{
	char first[4];
	uint32_t cp;
	const char *rest;

	if (b->len > 0)
		buf_str(b, " ");
	if (!capital || t->word_n == 0) {
		buf_put(b, t->s, t->n);
		return;
	}
	rest = text_next(t->word, &cp);
	buf_put(b, t->s, (size_t)(t->word - t->s));
	buf_put(b, first, text_put(first, text_title(cp)));
	buf_put(b, rest, (size_t)(t->s + t->n - rest));
}

const char *
disfluencies_remove(struct arena *mem, const char *lang, const char *text)
{
	const struct fillers *f = fillers_of(mem, lang);
	struct buf b = { .mem = mem };
	bool capital = false; /* a removed word had a capital */
	struct token t;

	if (f == NULL)
		return text;
	for (const char *s = text; (s = next_token(s, &t)) != NULL;) {
		if (!is_filler(f, &t)) {
			keep_token(&b, &t, capital);
			capital = false;
			continue;
		}
		capital |= is_capital(&t);
		keep_mark(&b, &t);
	}
	return buf_text(&b);
}
