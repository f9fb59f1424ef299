/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "pipeline/spanish_phrase.h"

#include <string.h>

#include "base/text.h"

static const char *const reflexives[ES_PERSONS] = { "me", "te", "se", "nos", "os",
	"se" };

void
spanish_add_word(struct spanish_phrase *p, const char *word)
{
	if (*word == '\0')
		return;
	p->more.mem = p->mem;
	if (p->rest != NULL && *p->rest != '\0')
		buf_printf(&p->more, " %s", p->rest);
	p->rest = NULL;
	p->infinitive = false;
	buf_printf(&p->more, " %s", word);
}

void
spanish_add(struct spanish_phrase *p, const char *verb, enum spanish_tense tense)
{
	const char *rest, *form;
	size_t n;

	if (strncmp(verb, "no ", 3) == 0) {
		p->denied = true;
		verb += 3;
	}
	n = strcspn(verb, " ");
	rest = verb + n + (verb[n] == ' ');
	verb = arena_dup(p->mem, verb, n);
	if (n > 2 && strcmp(verb + n - 2, "se") == 0) {
		p->reflexive = true;
		verb = arena_dup(p->mem, verb, n - 2);
	}
	form = spanish_form(p->mem, verb, tense, p->person);
	if (tense < ES_TENSES && p->finite == NULL && p->more.len == 0)
		p->finite = form;
	else
		spanish_add_word(p, form);
	p->infinitive = tense == ES_INFINITIVE;
	p->rest = rest;
}

void
spanish_add_adverb(struct spanish_phrase *p, const char *adverb)
{
	p->before = p->before == NULL
			? adverb
			: arena_printf(p->mem, "%s %s", p->before, adverb);
}

/* ---- accents ---- */

static bool
is_vowel(const char *s, const char *at)
{
	if (strchr("aeio", *at) != NULL && *at != '\0')
		return true;
	/* not the "u" of "que", "gue" */
	return *at == 'u' && !(at > s && strchr("qg", at[-1]) != NULL &&
				 (at[1] == 'e' || at[1] == 'i'));
}

/* "hablen" -> "háblen", as a pronoun follows. */
static const char *
with_accent(struct arena *mem, const char *form)
{
	static const char plain[] = "aeiou";
	static const char *const accents[] = { "á", "é", "í", "ó", "ú" };
	const char *at = form + strlen(form), *strong;

	for (const char *s = form; *s != '\0'; s++)
		if ((*s & 0x80) != 0)
			return form;
	while (at > form && !is_vowel(form, at - 1))
		at--;
	while (at > form && is_vowel(form, at - 1))
		at--;
	while (at > form && !is_vowel(form, at - 1))
		at--;
	if (at == form)
		return form;
	strong = --at;
	while (at > form && is_vowel(form, at - 1)) {
		at--;
		if (strchr("aeo", *strong) == NULL)
			strong = at;
	}
	return arena_printf(mem, "%.*s%s%s", (int)(strong - form), form,
	    accents[strchr(plain, *strong) - plain], strong + 1);
}

/* ---- the text ---- */

/* The pronouns: "se" first. */
static const char *
pronouns(const struct spanish_phrase *p, const char *between)
{
	const char *self = p->reflexive ? reflexives[p->person] : NULL;
	struct buf b = { .mem = p->mem };

	if (self != NULL)
		buf_str(&b, self);
	for (const char *s = p->object != NULL ? p->object : ""; *s != '\0';) {
		size_t n = strcspn(s, " ");

		buf_printf(&b, "%s%.*s", b.len > 0 ? between : "", (int)n, s);
		s += n + (s[n] == ' ');
	}
	return buf_text(&b);
}

const char *
spanish_text(struct spanish_phrase *p)
{
	const char *apart = pronouns(p, " "), *joined = pronouns(p, "");
	bool single = strchr(apart, ' ') == NULL;
	bool behind =
	    *apart != '\0' && ((p->orders && !p->denied) ||
				  (p->infinitive && (single || p->finite == NULL)));
	const char *finite = p->finite != NULL ? p->finite : "";
	struct buf b = { .mem = p->mem };

	p->more.mem = p->mem;
	if (p->before != NULL)
		buf_printf(&b, "%s ", p->before);
	if (p->denied)
		buf_str(&b, "no ");
	if (*apart != '\0' && !behind)
		buf_printf(&b, "%s ", apart);
	if (behind && p->orders)
		finite =
		    arena_printf(p->mem, "%s%s", with_accent(p->mem, finite), joined);
	buf_str(&b, finite);
	buf_str(&b, buf_text(&p->more) + (*finite == '\0' && p->more.len > 0));
	if (behind && !p->orders)
		buf_str(&b, joined);
	if (p->rest != NULL && *p->rest != '\0')
		buf_printf(&b, " %s", p->rest);
	if (p->behind != NULL)
		buf_printf(&b, " %s", p->behind);
	return text_trim(p->mem, buf_text(&b), " ");
}
