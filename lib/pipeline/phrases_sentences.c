/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Translates sentences that are in the list of phrases, and leaves the rest to an
 * engine that translates sentences.
 */
#include "pipeline/phrases_sentences.h"

#include <string.h>

#include "base/buf.h"
#include "base/lang.h"
#include "base/text.h"
#include "pipeline/phrases_list.h"
#include "protocol/output.h"
#include "speech/sentence.h"

#define MARKS ".!? "
#define LONGEST 80 /* longest sentence in bytes; those of the list are shorter */

/* Returns the column of a language; below 0: the list does not have it. */
static int
column_of(const char *lang)
{
	static const char *const codes[] = { "en", "es", "fr", "it", "pt" };

	for (int i = 0; i < PHRASE_LANGUAGES; i++)
		if (lang_same_base(codes[i], lang))
			return i;
	return -1;
}

/*
 * Returns the words of a text, folded and with a blank after each; punctuation marks
 * are left out.
 */
static const char *
words_of(struct arena *mem, const char *text)
{
	struct buf b = { .mem = mem };
	const char *s = text_fold(mem, text), *next;
	uint32_t cp;

	for (bool inside = false; *s != '\0'; s = next) {
		next = text_next(s, &cp);
		if (text_is_word(cp) || cp == '\'' || cp == '-')
			buf_put(&b, s, (size_t)(next - s));
		else if (inside)
			buf_str(&b, " ");
		inside = text_is_word(cp);
	}
	return text_trim(mem, buf_text(&b), " ");
}

/*
 * Returns the translation of a sentence of the list, without marks; NULL: the list does
 * not have it.
 */
static const char *
find_sentence(struct arena *mem, const char *sentence, int from, int to)
{
	const char *words;

	if (strlen(sentence) > LONGEST)
		return NULL;
	words = words_of(mem, sentence);
	for (const struct phrase *p = phrases_list; p->in[PHRASE_EN] != NULL; p++)
		if (p->kind >= PHRASE_SENTENCE && p->in[from] != NULL &&
		    p->in[to] != NULL && strcmp(words, words_of(mem, p->in[from])) == 0)
			return p->in[to];
	return NULL;
}

/* Returns the sentence with a capital and marks like those of the source. */
static const char *
dress(struct arena *mem, const char *source, const char *text, const char *to)
{
	struct sentence_pair pair = { .source = source, .to = to };
	struct buf b = { .mem = mem };
	const char *rest, *end = source + strlen(source);
	char first[4];
	uint32_t cp;

	rest = text_next(text, &cp);
	if (text_is_upper(text_first_word(source)))
		cp = text_title(cp);
	buf_put(&b, first, text_put(first, cp));
	buf_str(&b, rest);
	while (end > source && strchr(MARKS, end[-1]) != NULL)
		end--;
	buf_str(&b, end);
	pair.text = buf_text(&b);
	return sentence_target(mem, &pair);
}

/* The state while a text is translated in parts. */
struct by_sentences {
	const struct mt_engine *e;
	const struct engine_at *at;
	struct arena *mem;
	const struct mt_text *text;
	int from, to; /* columns */
	struct buf out;
	bool guarded;
};

/* Returns the terms of the task that begin in a part of the text. */
static const struct mt_term *
terms_in(const struct by_sentences *w, size_t from, size_t end, size_t *n)
{
	const struct mt_text *t = w->text;
	struct mt_term *to = arena_alloc(w->mem, (t->nterms + 1) * sizeof(*to));

	*n = 0;
	for (size_t i = 0; i < t->nterms; i++)
		if (t->terms[i].at >= from && t->terms[i].at < end) {
			to[*n] = t->terms[i];
			to[(*n)++].at -= from;
		}
	return to;
}

static void
put_part(struct by_sentences *w, const char *text)
{
	buf_str(&w->out, w->out.len > 0 ? " " : "");
	buf_str(&w->out, text);
}

/* Translate a part of the text with the engine. */
static enum err
put_engine(struct by_sentences *w, size_t from, size_t end)
{
	struct mt_text t = *w->text;
	const char *out;
	bool guarded;
	enum err e;

	if (from == end)
		return OK;
	t.text = arena_dup(w->mem, t.text + from, end - from);
	t.terms = terms_in(w, from, end, &t.nterms);
	if ((e = mt_translate(w->e, w->at, w->mem, &t, &out, &guarded)) != OK)
		return e;
	w->guarded &= guarded;
	put_part(w, text_trim(w->mem, out, " "));
	return OK;
}

/* Returns the translation of a part of the text by the list; NULL: it has none. */
static const char *
listed(const struct by_sentences *w, size_t from, size_t end)
{
	const char *own = arena_dup(w->mem, w->text->text + from, end - from), *text;
	size_t n;

	own = text_trim(w->mem, own, " ");
	text = find_sentence(w->mem, own, w->from, w->to);
	terms_in(w, from, end, &n);
	return text != NULL && n == 0 ? dress(w->mem, own, text, w->text->to) : NULL;
}

/*
 * Translate sentences of the list with the list, and the text between them with the
 * engine.
 */
static enum err
translate_sentences(struct by_sentences *w)
{
	const char *text = w->text->text, *end, *known;
	size_t done = 0;
	enum err e;

	for (const char *s = text; *s != '\0'; s = end) {
		end = output_sentence(s);
		known = listed(w, (size_t)(s - text), (size_t)(end - text));
		if (known == NULL)
			continue;
		if ((e = put_engine(w, done, (size_t)(s - text))) != OK)
			return e;
		put_part(w, known);
		done = (size_t)(end - text);
	}
	return put_engine(w, done, strlen(text));
}

const char *
phrases_whole_sentence(struct arena *mem, const struct mt_text *text)
{
	struct by_sentences w = { .mem = mem,
		.text = text,
		.from = column_of(text->from),
		.to = column_of(text->to) };

	return w.from < 0 || w.to < 0 ? NULL : listed(&w, 0, strlen(text->text));
}

enum err
phrases_by_sentences(const struct mt_engine *e, const struct engine_at *at,
    struct arena *mem, const struct mt_text *text, const char **out, bool *guarded)
{
	struct by_sentences w = { e, at, mem, text, column_of(text->from),
		column_of(text->to), { .mem = mem }, true };
	enum err err;

	if (w.from < 0 || w.to < 0 || strlen(text->text) > MT_TEXT_BYTES)
		return mt_translate(e, at, mem, text, out, guarded);
	err = translate_sentences(&w);
	*out = buf_text(&w.out);
	*guarded = w.guarded;
	return err;
}
