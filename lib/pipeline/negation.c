/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "pipeline/negation.h"

#include <ctype.h>
#include <string.h>

#include "base/buf.h"
#include "base/lang.h"
#include "base/text.h"

#define WORD_BYTES 32

/* Words that make a sentence negative; each has a blank on both sides. */
static const struct negatives {
	const char *lang, *words;
	/* phrases that contain such a word but negate nothing; NULL: none */
	const char *apart;
} all[] = {
	{ "en",
	    " no not never nobody nothing none neither nor nowhere without cannot "
	    "noone hardly unable ",
	    "not only" },
	{ "es",
	    " no nunca jamás nadie nada ninguno ninguna ningún ni sin tampoco "
	    "apenas ",
	    "de nada" },
	{ "fr",
	    " ne non pas jamais rien personne aucun aucune sans ni nul nulle guère ",
	    "de rien" },
	{ "it",
	    " non no mai nessuno nessuna nessun niente nulla senza né neanche nemmeno ",
	    NULL },
	{ "pt", " não nunca jamais ninguém nada nenhum nenhuma sem nem tampouco ",
	    "de nada" },
	{ "de",
	    " nicht kein keine keinen keinem keiner keines nie niemals niemand "
	    "niemanden niemandem nichts ohne weder nirgends nein ",
	    NULL },
	{ "nl", " niet geen nooit niemand niets zonder noch nergens nee ", NULL },
	{ "sv", " inte ej aldrig ingen inget inga ingenting utan varken nej ", NULL },
	{ "da", " ikke aldrig ingen intet ingenting uden hverken nej ", NULL },
};

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static const struct negatives *
negatives_of(const char *lang)
{
	for (size_t i = 0; i < COUNT(all); i++)
		if (lang_same_base(all[i].lang, lang))
			return &all[i];
	return NULL;
}

/* Read the word at s in small letters, "" if it is too long; returns its end. */
static const char *
read_word(const char *s, char word[WORD_BYTES + 4])
{
	size_t n = 0;
	uint32_t cp;

	while (*s != '\0') {
		const char *next = text_next(s, &cp);

		if (!text_is_word(cp))
			break;
		if (n < WORD_BYTES)
			n += text_put(word + n, text_small(cp));
		s = next;
	}
	word[n < WORD_BYTES ? n : 0] = '\0';
	return s;
}

/* True for "n't" or "n’t" after a word; in French, "n'" before one. */
static bool
is_short(const char *lang, const char *word, const char *end)
{
	size_t n = strlen(word);
	const char *t = *end == '\''                          ? end + 1
			: strncmp(end, "’", strlen("’")) == 0 ? end + strlen("’")
							      : NULL;

	if (t == NULL || n == 0)
		return false;
	if (lang_same_base("en", lang))
		return word[n - 1] == 'n' && tolower((unsigned char)*t) == 't' &&
		       !isalpha((unsigned char)t[1]);
	return lang_same_base("fr", lang) && strcmp(word, "n") == 0;
}

static bool
negates(const struct negatives *l, const char *text)
{
	char word[WORD_BYTES + 4];
	const char *s = text,
		   *apart = l->apart != NULL ? strcasestr(text, l->apart) : NULL;
	uint32_t cp;

	while (*s != '\0') {
		const char *end = read_word(s, word);

		if (end == s) {
			s = text_next(s, &cp);
			continue;
		}
		if ((text_has_word(l->words, word) || is_short(l->lang, word, end)) &&
		    !(apart != NULL && s >= apart && s < apart + strlen(l->apart)))
			return true;
		s = end;
	}
	return false;
}

bool
negation_differs(
    const char *from, const char *source, const char *to, const char *translation)
{
	const struct negatives *a = negatives_of(from), *b = negatives_of(to);

	return a != NULL && b != NULL && negates(a, source) != negates(b, translation);
}

/* ---- from Spanish to English ---- */

static const struct negative_word {
	const char *word;
	/* the translation before a verb, and after a "no" */
	const char *first, *behind;
	bool alone; /* the word means a thing when no verb follows */
} negative_words[] = {
	{ "nadie", "nobody", "anybody", true },
	{ "nada", "nothing", "anything", true },
	{ "ninguno", "none", "any", true },
	{ "ninguna", "no", "any", false },
	{ "ningún", "no", "any", false },
};

static const struct negative_word *
find_negative(const char *word)
{
	for (size_t i = 0; i < COUNT(negative_words); i++)
		if (strcmp(negative_words[i].word, word) == 0)
			return &negative_words[i];
	return NULL;
}

const struct mt_term *
negation_terms(
    struct arena *mem, const char *from, const char *to, const char *text, size_t *n)
{
	struct buf b = { .mem = mem };
	char word[WORD_BYTES + 4], before[WORD_BYTES + 4] = "";
	const struct negative_word *w;
	bool denied = false; /* a "no" precedes in this clause */
	uint32_t cp;

	*n = 0;
	if (!lang_same_base("es", from) || !lang_same_base("en", to))
		return NULL;
	for (const char *s = text, *end; *s != '\0'; s = end) {
		if ((end = read_word(s, word)) == s) {
			end = text_next(s, &cp);
			denied &= strchr(",.;:?!", (int)cp) == NULL;
			continue;
		}
		w = strcmp(before, "de") == 0 ? NULL : find_negative(word);
		if (w != NULL) {
			const struct mt_term t = { .at = (size_t)(s - text),
				.len = (size_t)(end - s),
				.target = denied ? w->behind : w->first,
				.own = !w->alone,
				.name = w->alone };

			buf_put(&b, &t, sizeof(t));
			++*n;
		}
		denied |=
		    w != NULL || text_has_word(" no nunca jamás sin tampoco ", word);
		memcpy(before, word, sizeof(before));
	}
	return (const void *)b.p;
}
