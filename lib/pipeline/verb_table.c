/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "pipeline/verb_table.h"

#include <pthread.h>
#include <string.h>

#include "base/hash.h"
#include "base/text.h"

/* Words in small letters and their readings, built once, then only read. */
#define PLACES 65536

struct place {
	const char *word;
	struct verb_reading *first, *last;
};

static struct arena *all_mem; /* for the life of the process */
static struct place *english, *spanish;
static pthread_once_t english_once = PTHREAD_ONCE_INIT;
static pthread_once_t spanish_once = PTHREAD_ONCE_INIT;

bool
verb_is(const struct verb *v, char flag)
{
	return strchr(v->flags, flag) != NULL;
}

/* ---- English forms ---- */

#define DOUBLED                                                                        \
	" stop plan drop admit refer prefer occur cancel travel control ban clap get " \
	"put cut let set run sit swim win begin forget shut dig hit quit hug rob rub " \
	"bet spread "
#define NOT_DOUBLED " spread visit cancel travel control "

static bool
is_vowel(char c)
{
	return strchr("aeiou", c) != NULL;
}

/* The word with a tail that begins with a vowel: "stop" + "ed". */
static const char *
add_tail(struct arena *mem, const char *s, size_t n, const char *tail)
{
	const char *word = arena_dup(mem, s, n);

	if (s[n - 1] == 'e' &&
	    (*tail == 'e' || (n > 2 && strchr("eoy", s[n - 2]) == NULL)))
		n--;
	else if (s[n - 1] == 'y' && *tail == 'e' && !is_vowel(s[n - 2]))
		return arena_printf(mem, "%.*si%s", (int)n - 1, s, tail);
	else if (text_has_word(DOUBLED, word) && !text_has_word(NOT_DOUBLED, word))
		return arena_printf(mem, "%s%c%s", word, s[n - 1], tail);
	if (strcmp(word, "lie") == 0 && *tail == 'i')
		return "lying";
	if ((strcmp(word, "die") == 0 || strcmp(word, "tie") == 0) && *tail == 'i')
		return arena_printf(mem, "%cying", *word);
	return arena_printf(mem, "%.*s%s", (int)n, s, tail);
}

static const char *
add_s(struct arena *mem, const char *s, size_t n)
{
	if (s[n - 1] == 'y' && n > 1 && !is_vowel(s[n - 2]))
		return arena_printf(mem, "%.*sies", (int)n - 1, s);
	if (strchr("sxzo", s[n - 1]) != NULL ||
	    (n > 1 && s[n - 1] == 'h' && strchr("cs", s[n - 2]) != NULL))
		return arena_printf(mem, "%.*ses", (int)n, s);
	return arena_printf(mem, "%.*ss", (int)n, s);
}

const char *
english_form(struct arena *mem, const struct verb *v, enum english_form form)
{
	size_t n = strcspn(v->en, " ");
	const char *first;

	if (form == EN_PAST && v->past != NULL)
		return v->past;
	if (form == EN_PARTICIPLE && v->participle != NULL)
		return v->participle;
	if (form == EN_BASE)
		return v->en;
	if (form == EN_S)
		first = strncmp(v->en, "have", n) == 0 ? "has" : add_s(mem, v->en, n);
	else
		first = add_tail(mem, v->en, n, form == EN_ING ? "ing" : "ed");
	return arena_printf(mem, "%s%s", first, v->en + n);
}

/* ---- the index ---- */

static struct place *
place_of(struct place *all, const char *word)
{
	size_t at = crc(word, strlen(word)) % PLACES;

	while (all[at].word != NULL && strcmp(all[at].word, word) != 0)
		at = (at + 1) % PLACES;
	return &all[at];
}

/* Add a reading of a form, which may have several words. */
static void
add(struct place *all, const char *form, const struct verb *v, int kind, int person)
{
	size_t n = strcspn(form, " ");
	struct place *p = place_of(all, arena_dup(all_mem, form, n));
	struct verb_reading *r = arena_alloc(all_mem, sizeof(*r));

	*r =
	    (struct verb_reading){ v, kind, person, form + n + (form[n] == ' '), NULL };
	if (p->word == NULL)
		p->word = arena_dup(all_mem, form, n);
	if (p->last != NULL)
		p->last->next = r;
	else
		p->first = r;
	p->last = r;
}

static void
build_english(void)
{
	all_mem = arena_new();
	english = arena_alloc(all_mem, PLACES * sizeof(*english));
	for (const struct verb *v = verb_list; v->en != NULL; v++)
		for (int i = 0; i < EN_FORMS && !verb_is(v, '>') && !verb_is(v, '-');
		     i++)
			add(english, english_form(all_mem, v, i), v, i, 0);
}

/* Add the forms of the first word of a Spanish verb; "se" stands before them. */
static void
add_spanish(const struct verb *v)
{
	size_t n = strcspn(v->es, " ");
	const char *verb = arena_dup(all_mem, v->es, n), *rest = v->es + n;

	if (n > 2 && strcmp(verb + n - 2, "se") == 0)
		verb = arena_dup(all_mem, verb, n - 2);
	for (int t = 0; t < ES_TENSES; t++)
		for (int p = 0; p < ES_PERSONS; p++)
			add(spanish,
			    arena_printf(all_mem, "%s%s",
				spanish_form(all_mem, verb, t, p), rest),
			    v, t, p);
	for (int t = ES_INFINITIVE; t <= ES_PARTICIPLE; t++)
		add(spanish,
		    arena_printf(
			all_mem, "%s%s", spanish_form(all_mem, verb, t, 0), rest),
		    v, t, 0);
}

static void
build_spanish(void)
{
	pthread_once(&english_once, build_english); /* it makes all_mem */
	spanish = arena_alloc(all_mem, PLACES * sizeof(*spanish));
	for (const struct verb *v = verb_list; v->en != NULL; v++)
		if (!verb_is(v, '<') && !verb_is(v, '-'))
			add_spanish(v);
}

const struct verb_reading *
verbs_english(const char *word)
{
	pthread_once(&english_once, build_english);
	return place_of(english, word)->first;
}

const struct verb_reading *
verbs_spanish(const char *word)
{
	pthread_once(&spanish_once, build_spanish);
	return place_of(spanish, word)->first;
}
