/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Decides whether a text ends with its sentence, and joins texts of one sentence. */
#include <string.h>

#include "base/buf.h"
#include "base/lang.h"
#include "base/text.h"
#include "speech/sentence.h"

/* a text of fewer words without marks counts as complete: "Yes, we can." */
#define WORDS_LEAST 4

/*
 * Words that cannot end a sentence, with a blank on both sides. Words in `weak`
 * sometimes do ("what is it for?"), so they are used only for texts without marks.
 */
static const struct {
	const char *lang, *never, *weak;
} function_words[] = {
	{ "en",
	    " the a an and or but because of my your our their its every whose into "
	    "although unless whereas ",
	    " to for from with at by than if when while until where that's which is "
	    "are "
	    "was were am be been has have had will would shall should could must may "
	    "might between without during toward towards against as so there's it's "
	    "we're they're i'm we've i've they've i'll we'll very " },
	{ "es",
	    " el la los las un una unos unas y e o u pero porque de del al a en con "
	    "por "
	    "para sin sobre entre desde hacia su sus mi mis nuestro nuestra nuestros "
	    "nuestras que cuyo aunque ",
	    " es son era eran está están ha han muy si como cuando donde lo se " },
	{ "fr",
	    " le la les un une des et ou mais parce de du au aux à en dans avec par "
	    "pour "
	    "sans sur entre vers chez son sa ses mon ma mes notre nos leur leurs que "
	    "qui "
	    "dont ",
	    " est sont était étaient a ont très si comme quand où ne se " },
	{ "it",
	    " il lo la i gli le un uno una e o ma perché di del della dei delle degli "
	    "a "
	    "al alla ai da dal in nel nella con su sul per tra fra che cui ",
	    " è sono era erano ha hanno molto se come quando dove si non " },
	{ "pt",
	    " o a os as um uma uns umas e ou mas porque de do da dos das em no na nos "
	    "nas "
	    "com por para sem sobre entre ao aos à seu sua seus suas meu minha nosso "
	    "nossa "
	    "que ",
	    " é são era eram está estão tem têm muito se como quando onde não " },
	{ "de",
	    " der die das den dem des ein eine einen einem einer eines und oder aber "
	    "weil "
	    "dass von zum zur im für ohne mein meine unser unsere ihr ihre sein seine ",
	    " in mit bei nach aus über unter zwischen sehr wenn als wie " },
	{ "nl",
	    " de het een en of maar omdat van voor met naar zonder onze ons mijn zijn "
	    "dat "
	    "die ",
	    " in op bij uit over onder tussen is was zeer als " },
};

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static bool
is_quote(uint32_t cp)
{
	return (cp < 0x80 && strchr(" \"')]", (int)cp) != NULL) || cp == 0x201d ||
	       cp == 0x2019 || cp == 0xbb || cp == 0x300d;
}

/*
 * Returns the last character of a text before quotes and brackets; *before: the
 * character before it.
 */
static uint32_t
last_of(const char *text, uint32_t *before)
{
	uint32_t cp, last = 0;

	*before = 0;
	for (const char *s = text; *s != '\0';) {
		s = text_next(s, &cp);
		if (is_quote(cp))
			continue;
		*before = last;
		last = cp;
	}
	return last;
}

bool
sentence_ends(const char *text)
{
	uint32_t before, last = last_of(text, &before);

	return last == '.' || last == '!' || last == '?' || last == 0x2026 ||
	       last == 0x3002 || last == 0xff01 || last == 0xff1f || last == 0x61f ||
	       last == 0x6d4 || last == 0x964;
}

/* True for a text that trails off: "and then we ...". */
static bool
is_broken_off(const char *text)
{
	uint32_t before, last = last_of(text, &before);

	return last == 0x2026 || (last == '.' && before == '.');
}

/* Get the last word, in small letters, and the number of words. */
static const char *
last_word(struct arena *mem, const char *text, size_t *words)
{
	const char *from = text, *to = text, *next;
	bool inside = false;
	uint32_t cp;

	*words = 0;
	for (const char *s = text; *s != '\0'; s = next) {
		next = text_next(s, &cp);
		if (!text_is_word(cp) && (cp != '\'' || !inside)) {
			inside = false;
			continue;
		}
		if (!inside) {
			from = s;
			++*words;
		}
		inside = true;
		to = next;
	}
	return text_lower(mem, arena_dup(mem, from, (size_t)(to - from)));
}

/*
 * Returns the index of a language's function words; COUNT(function_words): the language
 * is unknown.
 */
static size_t
find_words(struct arena *mem, const char *lang)
{
	size_t i = 0;

	while (i < COUNT(function_words) &&
	       !lang_same_base(function_words[i].lang, lang_fold(mem, lang)))
		i++;
	return i;
}

bool
sentence_is_open(
    struct arena *mem, const char *lang, const char *heard, const char *written)
{
	size_t words, i = find_words(mem, lang);
	const char *last = last_word(mem, heard, &words);
	uint32_t before, mark = last_of(written, &before);

	if (words == 0 || mark == '?')
		return false;
	if (mark == ',' || mark == 0x3001 || mark == 0xff0c || is_broken_off(written))
		return true;
	if (i < COUNT(function_words) && words > 1 &&
	    text_has_word(function_words[i].never, last))
		return true;
	if (!sentence_ends(heard) &&
	    (!sentence_is_bare(heard) || text_is_upper(text_first_word(heard))))
		return true; /* the engine writes marks, but not here */
	return i < COUNT(function_words) && words >= WORDS_LEAST &&
	       sentence_is_bare(heard) && text_has_word(function_words[i].weak, last);
}

/* True if the word has its capital only because it begins a text. */
static bool
lent_capital(struct arena *mem, const char *lang, const char *text)
{
	static const char small[] =
	    " it he she we you they there here what when where who how this these "
	    "those not also then only just ";
	size_t i = find_words(mem, lang), n = strcspn(text, " ,.;:!?'");
	const char *word = text_lower(mem, arena_dup(mem, text, n));

	if (!text_is_upper(text_first_word(text)) || sentence_is_name(word))
		return false;
	if (lang_same_base("en", lang_fold(mem, lang)) &&
	    (sentence_is_bare(text) || text_has_word(small, word)))
		return true;
	return i < COUNT(function_words) &&
	       (text_has_word(function_words[i].never, word) ||
		   text_has_word(function_words[i].weak, word));
}

const char *
sentence_join(
    struct arena *mem, const char *lang, const char *first, const char *second)
{
	struct buf b = { .mem = mem };
	const char *rest;
	char letter[4];
	size_t n = strlen(first);
	uint32_t cp;

	while (n > 0 && strchr(". ", first[n - 1]) != NULL)
		n--;
	buf_put(&b, first, n);
	if (lang_has_blanks(lang_fold(mem, lang)))
		buf_str(&b, " ");
	rest = text_next(second, &cp);
	if (lent_capital(mem, lang, second))
		cp = text_small(cp);
	buf_put(&b, letter, text_put(letter, cp));
	buf_str(&b, rest);
	return buf_text(&b);
}
