/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Apertium: replaces terms by stand-ins, writes the text for a pipeline and reads its
 * answer. mt_line.h has the pipelines, mt_apertium_mode.h their programs.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/lang.h"
#include "base/text.h"
#include "speech/mt_apertium_mode.h"
#include "speech/placeholders.h"
#include "speech/sentence.h"

/* Replaces ^: an escaped ^ near the end of a text hangs the programs. */
#define CARET "\xe2\x80\xb8" /* U+2038 */
#define PHRASE "[p:%zu]"

/* Append a text; escape the characters that have a meaning to the programs. */
static void
put_escaped(struct buf *b, const char *s, size_t n)
{
	for (; n > 0; n--, s++) {
		if (*s == '^') {
			buf_str(b, CARET);
			continue;
		}
		if (strchr("[]{}$/\\@<>", *s) != NULL)
			buf_str(b, "\\");
		buf_put(b, s, 1);
	}
}

/*
 * The kind of a term's target decides which text goes through the pipeline in its
 * place:
 *
 *	"two [[g:0]]cities[[/]]"  a noun: another noun of its gender and number, so that
 *	                          articles, adjectives and verbs agree with the target
 *	"[[g:0]]Xqz0[[/]]"        a name: a word that no dictionary has
 *	"[p:0]"                   a phrase: a blank, which the grammar does not see
 *	"[[g:0]]of the term[[/]]" anything else, or unknown: its own words
 */
enum apertium_kind { APERTIUM_WORDS, APERTIUM_NOUN, APERTIUM_NAME, APERTIUM_PHRASE };

struct apertium_term {
	enum apertium_kind kind;
	const char *word; /* noun, name: the text in its place */
};

#define CPU_MS 3000

/* ---- the words that go in place of nouns ---- */

/*
 * Stand-ins for nouns. In the source and target languages the words for car and dog are
 * masculine and that for city is feminine, and they are always nouns.
 */
static const struct stand_in {
	const char *lang;
	const char *word[2][2]; /* [feminine][plural] */
} stand_ins[] = {
	{ "en", { { "car", "cars" }, { "city", "cities" } } },
	{ "es", { { "perro", "perros" }, { "ciudad", "ciudades" } } },
	{ "fr", { { "chien", "chiens" }, { "ville", "villes" } } },
	{ "ca", { { "gos", "gossos" }, { "ciutat", "ciutats" } } },
	{ "pt", { { "cão", "cães" }, { "cidade", "cidades" } } },
	{ "gl", { { "can", "cans" }, { "cidade", "cidades" } } },
	{ "it", { { "cane", "cani" }, { "casa", "case" } } },
};
/* The target languages, which have two genders or none. */
static const char *const targets[] = { "es", "fr", "ca", "pt", "gl", "it", "en" };

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static const struct stand_in *
stand_in_for(const char *from, const char *to)
{
	size_t i = 0, k = 0;

	while (i < COUNT(stand_ins) && !lang_same_base(stand_ins[i].lang, from))
		i++;
	while (k < COUNT(targets) && !lang_same_base(targets[k], to))
		k++;
	return i < COUNT(stand_ins) && k < COUNT(targets) ? &stand_ins[i] : NULL;
}

/* ---- the output of the analyser ---- */

/*
 * Find the first reading after s in "^surface/reading/reading$"; returns its begin and
 * its end.
 */
static const char *
next_reading(const char *s, const char *end, size_t *n)
{
	const char *next;

	while (s < end && *s != '/')
		s += *s == '\\' ? 2 : 1;
	if (s >= end)
		return NULL;
	for (next = ++s; next < end && *next != '/';)
		next += *next == '\\' ? 2 : 1;
	*n = (size_t)(next - s);
	return s;
}

static bool
has(const char *s, size_t n, const char *tag)
{
	return memmem(s, n, tag, strlen(tag)) != NULL;
}

/* A word of a target term. */
struct word {
	bool noun, name,
	    before;   /* before: an article or adjective, which may precede a noun */
	bool unknown; /* the dictionary does not contain it: the rest is a guess */
	bool feminine, plural;
};

static void
add_reading(struct word *w, const char *s, size_t n)
{
	bool noun = has(s, n, "<n>") || has(s, n, "<np>");

	w->before |= has(s, n, "<det>") || has(s, n, "<adj>") || has(s, n, "<num>");
	w->unknown |= *s == '*';
	if (noun && !w->noun) {
		w->feminine = has(s, n, "<f>");
		w->plural = has(s, n, "<pl>");
	}
	w->noun |= noun;
	w->name |= has(s, n, "<np>");
}

/* Guess number and gender of a word that is in no dictionary. In most of these
   languages -s marks the plural and -a the feminine. */
static void
guess(struct word *w, const char *surface, size_t n)
{
	uint32_t cp;

	text_next(surface, &cp);
	w->noun = true;
	w->name = text_is_upper(cp);
	w->plural = n > 1 && surface[n - 1] == 's';
	n -= w->plural;
	w->feminine = n > 0 && surface[n - 1] == 'a';
}

/* Read the word at s, which is a "^"; *end: after its "$". */
static struct word
read_word(const char *s, const char **end)
{
	struct word w = { 0 };
	const char *to = s + 1, *from = s + 1;
	size_t n, surface;

	while (*to != '\0' && *to != '$')
		to += *to == '\\' && to[1] != '\0' ? 2 : 1;
	*end = *to == '$' ? to + 1 : to;
	surface = strcspn(from, "/$");
	while ((from = next_reading(from, to, &n)) != NULL)
		add_reading(&w, from, n);
	if (w.unknown && !w.noun)
		guess(&w, s + 1, surface);
	return w;
}

/*
 * Find the noun of a term: the first one, but in English the last. False: the term is
 * not a noun with optional articles and adjectives before it.
 */
static bool
find_noun(const char *s, const char *end, bool last, struct word *noun)
{
	bool found = false;

	while ((s = memchr(s, '^', (size_t)(end - s))) != NULL) {
		struct word w = read_word(s, &s);

		if (w.noun)
			*noun = w;
		found |= w.noun;
		if (found ? !last || !w.noun : !w.before)
			break;
	}
	return found;
}

/* ---- terms ---- */

static const char *
analyser(
    struct arena *mem, const struct engine_at *at, const char *from, const char *to)
{
	const char *mode = apertium_mode(mem, at->model, to, from);

	return mode != NULL ? arena_printf(mem, "%s" APERTIUM_ANALYSER, mode) : NULL;
}

/* True if the analyser decides the kind of a term. It does not for slots, which are
   replaced by their terms later. */
static bool
is_asked(const struct mt_term *t)
{
	return !t->phrase && !t->name && !t->own && *t->target != MT_SLOT;
}

/* Write the targets, each after a full stop and a blank with its number. */
static const char *
question(struct arena *mem, const struct mt_text *t)
{
	struct buf b = { .mem = mem };

	for (size_t i = 0; i < t->nterms; i++) {
		const char *target = is_asked(&t->terms[i]) ? t->terms[i].target : "";

		buf_printf(&b, ".[t%zu]", i);
		put_escaped(&b, target, strlen(target));
	}
	buf_printf(&b, ".[t%zu]", t->nterms);
	return buf_text(&b);
}

/* Decide the kind of a term by the analyser's answer. A term with an unknown target
   keeps its own words if the target is a single word. */
static void
decide(struct arena *mem, const struct mt_text *t, size_t i, const char *answer,
    struct apertium_term *to)
{
	const struct stand_in *in = stand_in_for(t->from, t->to);
	const char *from = strstr(answer, arena_printf(mem, "[t%zu]", i));
	const char *end = strstr(answer, arena_printf(mem, "[t%zu]", i + 1));
	bool single = memchr(t->text + t->terms[i].at, ' ', t->terms[i].len) == NULL;
	struct word w;
	bool noun;

	if (from == NULL || end == NULL || from > end)
		return;
	noun = find_noun(from, end, lang_same_base("en", t->to), &w);
	if (single && (!noun || w.unknown))
		return;
	to->kind = !noun ? APERTIUM_PHRASE : w.name ? APERTIUM_NAME : APERTIUM_NOUN;
	if (noun)
		to->word = w.name ? arena_printf(mem, "Xqz%zu", i)
				  : in->word[w.feminine][w.plural];
}

/*
 * Decide the kind of each term of the text, by the analyser of the target language, the
 * first stage of the reverse mode. Without that mode, without an answer, and if the
 * targets together are longer than MT_TEXT_BYTES, all terms keep their own words.
 */
static struct apertium_term *
find_terms(const struct engine_at *at, struct arena *mem, const struct mt_text *t)
{
	struct apertium_term *to = arena_alloc(mem, (t->nterms + 1) * sizeof(*to));
	struct buf answer = { .mem = mem };
	struct mt_line_sentence s = { .key = analyser(mem, at, t->from, t->to),
		.cpu_ms = CPU_MS,
		.timeout_ms = t->timeout_ms,
		.unwanted = t->unwanted,
		.arg = t->arg };
	bool asks = false;

	for (size_t i = 0; i < t->nterms; i++) {
		if (t->terms[i].phrase)
			to[i].kind = APERTIUM_PHRASE;
		else if (t->terms[i].name)
			to[i] = (struct apertium_term){ APERTIUM_NAME,
				arena_printf(mem, "Xqz%zu", i) };
		asks |= is_asked(&t->terms[i]);
	}
	if (!asks || s.key == NULL || stand_in_for(t->from, t->to) == NULL)
		return to;
	s.text = question(mem, t);
	if (strlen(s.text) > MT_TEXT_BYTES ||
	    mt_line_ask(&apertium_line, &s, &answer) != OK)
		return to;
	for (size_t i = 0; i < t->nterms; i++)
		if (is_asked(&t->terms[i]))
			decide(mem, t, i, buf_text(&answer), &to[i]);
	return to;
}

static void
nothing(void *arg)
{
	(void)arg;
}

/* Start the analyser for translations between these languages. */
static void
warm_analyser(const struct engine_at *at, const char *from, const char *to)
{
	struct arena *mem = arena_new();
	const char *mode = analyser(mem, at, from, to);

	if (mode != NULL && stand_in_for(from, to) != NULL)
		mt_line_warm(&apertium_line, mode, nothing, NULL);
	arena_free(mem);
}

/* ---- to the programs ---- */

/* Append the word, with a capital if the term has one. */
static void
put_word(struct buf *b, const char *word, const char *own)
{
	uint32_t cp;

	text_next(own, &cp);
	if (text_is_upper(cp))
		buf_printf(b, "%c%s", toupper((unsigned char)*word), word + 1);
	else
		buf_str(b, word);
}

static void
put_term(
    struct buf *b, const struct mt_text *t, size_t i, const struct apertium_term *a)
{
	const char *own = t->text + t->terms[i].at;

	if (a->kind == APERTIUM_PHRASE) {
		buf_printf(b, PHRASE, i);
		return;
	}
	buf_printf(b, "[[g:%zu]]", i);
	if (a->kind == APERTIUM_WORDS)
		put_escaped(b, own, t->terms[i].len);
	else
		put_word(b, a->word, own);
	buf_str(b, "[[/]]");
}

/* Write the text with its terms for the programs. */
static const char *
write_text(
    struct arena *mem, const struct mt_text *t, const struct apertium_term *terms)
{
	struct buf b = { .mem = mem };
	size_t at = 0;

	for (size_t i = 0; i < t->nterms; i++) {
		put_escaped(&b, t->text + at, t->terms[i].at - at);
		put_term(&b, t, i, &terms[i]);
		at = t->terms[i].at + t->terms[i].len;
	}
	put_escaped(&b, t->text + at, strlen(t->text + at));
	return buf_text(&b);
}

/* ---- and back ---- */

/* Read the number of "[[g:0]]" or "[p:0]" at s, and where it ends; NULL: there is no
   such mark. */
static const char *
read_number(const char *s, const char *open, const char *close, size_t *i)
{
	size_t n = strlen(open);
	char *end;

	if (strncmp(s, open, n) != 0 || !isdigit((unsigned char)s[n]))
		return NULL;
	*i = strtoul(s + n, &end, 10);
	return strncmp(end, close, strlen(close)) == 0 ? end + strlen(close) : NULL;
}

/* Returns the position after the next closing bracket or brackets. */
static const char *
skip_blank(const char *s, const char *close)
{
	const char *end = strstr(s, close);

	return end != NULL ? end + strlen(close) : s + strlen(s);
}

/* The state of reading an answer. */
struct reading {
	const struct mt_text *text;
	const struct apertium_term *terms;
	struct buf out;
	bool *seen;    /* for each term */
	size_t last;   /* term whose slot was written last */
	size_t behind; /* length of the text after that slot */
};

/*
 * Write a slot for the first word with a mark of the term, as a term of several words
 * returns as several. Later words are removed, with the text between; if the grammar
 * has put words there, only a blank is removed.
 */
static void
put_piece(struct reading *r, size_t i)
{
	if (!r->seen[i]) {
		r->seen[i] = true;
		mt_slot(&r->out, i);
		r->last = i;
		r->behind = r->out.len;
	} else if (r->last == i && text_first_word(buf_text(&r->out) + r->behind) == 0)
		r->out.len = r->behind;
	else if (r->out.p[r->out.len - 1] == ' ')
		r->out.len--;
}

static void
put_read(struct buf *b, const char *s, size_t n)
{
	for (; n > 0; s++, n--)
		if (*s != '\\' || n == 1)
			buf_put(b, s, 1);
}

/*
 * Write the article of a noun, which the answer has in the same piece or in a separate
 * one.
 */
static void
put_noun(struct reading *r, size_t i, const char *s, const char *end)
{
	const char *more = strstr(end, arena_printf(r->out.mem, "[[g:%zu]]", i));
	const char *noun = end;

	while (more == NULL && noun > s && noun[-1] != ' ' && noun[-1] != '\'')
		noun--;
	put_read(&r->out, s, (size_t)(noun - s));
	if (more == NULL)
		put_piece(r, i);
}

static const char *
read_bound(struct reading *r, const char *s)
{
	const char *from = NULL, *end;
	size_t i;

	if ((from = read_number(s, "[[g:", "]]", &i)) == NULL)
		/* a mark with two numbers: both terms count as lost */
		return skip_blank(s, "]]");
	end = strstr(from, "[[/]]");
	if (end == NULL || i >= r->text->nterms)
		return skip_blank(from, "[[/]]");
	if (r->terms[i].kind == APERTIUM_WORDS)
		put_piece(r, i);
	else
		put_noun(r, i, from, end);
	return end + strlen("[[/]]");
}

static const char *
read_phrase(struct reading *r, const char *s)
{
	size_t i;

	if (read_number(s, "[p:", "]", &i) != NULL && i < r->text->nterms)
		mt_slot(&r->out, i);
	return skip_blank(s, "]");
}

static const char *
read_letter(struct buf *b, const char *s)
{
	if (strncmp(s, CARET, strlen(CARET)) == 0) {
		buf_str(b, "^");
		return s + strlen(CARET);
	}
	if (*s == '\\' && s[1] != '\0')
		s++;
	/* Between two blanks, a word was left out. */
	if (*s != ' ' || b->len == 0 || b->p[b->len - 1] != ' ')
		buf_put(b, s, 1);
	return s + 1;
}

/* Read the answer into text with slots in place of the terms: see placeholders.h. */
static const char *
read_answer(struct arena *mem, const struct mt_text *t,
    const struct apertium_term *terms, const char *s)
{
	struct reading r = { .text = t,
		.terms = terms,
		.out = { .mem = mem },
		.seen = arena_alloc(mem, t->nterms + 1) };

	while (*s != '\0') {
		if (strncmp(s, "[[", 2) == 0)
			s = read_bound(&r, s);
		else if (*s == '[')
			s = read_phrase(&r, s);
		else
			s = read_letter(&r.out, s);
	}
	return buf_text(&r.out);
}

/* ---- the engine ---- */

#define WATCHDOG_MS 3000 /* processor time for a sentence */

static bool
pairs(const struct engine_at *at, const char *from, const char *to)
{
	struct arena *mem = arena_new();
	bool is = apertium_mode(mem, at->model, from, to) != NULL;

	arena_free(mem);
	return is;
}

/*
 * Returns the source with the letter x in place of terms that are names, except at its
 * beginning.
 */
static const char *
without_names(struct arena *mem, const struct mt_text *t)
{
	char *to = arena_str(mem, t->text);

	for (size_t i = 0; i < t->nterms; i++)
		if (t->terms[i].name && t->terms[i].at > 0)
			memset(to + t->terms[i].at, 'x', t->terms[i].len);
	return to;
}

static enum err
translate(const struct engine_at *at, struct arena *mem, const struct mt_text *t,
    const char **out, bool *guarded)
{
	const struct apertium_term *terms = find_terms(at, mem, t);
	struct sentence_pair pair = { .source = without_names(mem, t), .to = t->to };
	struct buf answer = { .mem = mem };
	const struct mt_line_sentence s = { .key = apertium_mode(
						mem, at->model, t->from, t->to),
		.text = write_text(mem, t, terms),
		.cpu_ms = at->timeout_ms > 0 && at->timeout_ms < WATCHDOG_MS
			      ? at->timeout_ms
			      : WATCHDOG_MS,
		.timeout_ms = t->timeout_ms,
		.unwanted = t->unwanted,
		.arg = t->arg };
	enum err e;

	if (s.key == NULL)
		return ERR_UNSUPPORTED;
	if ((e = mt_line_ask(&apertium_line, &s, &answer)) != OK)
		return e;
	pair.text = read_answer(mem, t, terms, buf_text(&answer));
	*out = mt_fill(mem, t, sentence_target(mem, &pair));
	*guarded = *out != NULL;
	return OK;
}

static enum err
list(const struct engine_at *at, struct arena *mem, struct list *to)
{
	apertium_modes(mem, at->model, to);
	return OK;
}

static void
warm(const struct engine_at *at, const char *from, const char *to,
    void (*warmed)(void *), void *arg)
{
	struct arena *mem = arena_new();
	const char *name = apertium_mode(mem, at->model, from, to);

	if (name != NULL) {
		warm_analyser(at, from, to);
		mt_line_warm(&apertium_line, name, warmed, arg);
	} else
		warmed(arg);
	arena_free(mem);
}

const struct mt_engine mt_apertium = { true, true, pairs, translate, list, warm, true };
