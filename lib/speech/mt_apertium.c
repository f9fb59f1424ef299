/*
 * Apertium: what goes to its pipelines, see mt_apertium_line.h, and what comes back.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "speech/mt_apertium_line.h"
#include "speech/mt_apertium_mode.h"
#include "speech/placeholders.h"
#include "speech/sentence.h"

#define WATCHDOG_MS 3000 /* of processor time, for a sentence */

/* ---- text as its programs read and write it ---- */

/* An escaped ^ near the end of a text hangs the programs: this goes in its place. */
#define CARET "\xe2\x80\xb8" /* U+2038 */

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

static void
put_bound(struct buf *b, const struct mt_text *t, size_t i)
{
	buf_printf(b, "[[g:%zu]]", i);
	put_escaped(b, t->text + t->terms[i].at, t->terms[i].len);
	buf_str(b, "[[/]]");
}

/* The number of "[[g:0]]" at s and where it ends; NULL: there is no such thing. */
static const char *
read_mark(const char *s, size_t *i)
{
	char *end;

	if (strncmp(s, "[[g:", 4) != 0 || !isdigit((unsigned char)s[4]))
		return NULL;
	*i = strtoul(s + 4, &end, 10);
	return strncmp(end, "]]", 2) == 0 ? end + 2 : NULL;
}

/* Behind the bracket, or brackets, that end at the next of them. */
static const char *
skip_blank(const char *s, const char *close)
{
	const char *end = strstr(s, close);

	return end != NULL ? end + strlen(close) : s + strlen(s);
}

/* An answer while it is read. */
struct reading {
	const struct mt_text *text;
	struct buf out;
	bool *seen;    /* of each term */
	size_t last;   /* term whose slot was written last, */
	size_t behind; /* and how long the text was then */
};

/*
 * The first word with a mark makes the slot; a term of several words comes back
 * as several.  What is between two of them goes with them, but for words that the
 * grammar has put there: then a blank does.
 */
static void
put_piece(struct reading *r, size_t i)
{
	if (i >= r->text->nterms)
		return;
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

static const char *
read_bound(struct reading *r, const char *s)
{
	const char *from;
	size_t i;

	if ((from = read_mark(s, &i)) == NULL)
		return skip_blank(s, "]]"); /* a mark of two terms: both are lost */
	put_piece(r, i);
	return skip_blank(from, "[[/]]");
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
	/* Two blanks: a word was left out between them. */
	if (*s != ' ' || b->len == 0 || b->p[b->len - 1] != ' ')
		buf_put(b, s, 1);
	return s + 1;
}

static const char *
read_answer(struct arena *mem, const struct mt_text *t, const char *s)
{
	struct reading r = { .text = t,
		.out = { .mem = mem },
		.seen = arena_alloc(mem, t->nterms + 1) };

	while (*s != '\0') {
		if (strncmp(s, "[[", 2) == 0)
			s = read_bound(&r, s);
		else if (*s == '[')
			s = skip_blank(s, "]");
		else
			s = read_letter(&r.out, s);
	}
	return buf_text(&r.out);
}

/* ---- the engine ---- */

static bool
pairs(const struct engine_at *at, const char *from, const char *to)
{
	struct arena *mem = arena_new();
	bool is = apertium_mode(mem, at->model, from, to) != NULL;

	arena_free(mem);
	return is;
}

static enum err
translate(const struct engine_at *at, struct arena *mem, const struct mt_text *t,
    const char **out, bool *guarded)
{
	static const struct mt_marks marks = { put_escaped, put_bound };
	struct buf answer = { .mem = mem };
	const struct apertium_sentence s = { .mode = apertium_mode(
						 mem, at->model, t->from, t->to),
		.text = mt_mark(mem, t, &marks),
		.cpu_ms = at->timeout_ms > 0 && at->timeout_ms < WATCHDOG_MS
			      ? at->timeout_ms
			      : WATCHDOG_MS,
		.timeout_ms = t->timeout_ms,
		.unwanted = t->unwanted,
		.arg = t->arg };
	struct sentence_pair pair = { .source = t->text, .to = t->to };
	enum err e;

	if (s.mode == NULL)
		return ERR_UNSUPPORTED;
	if ((e = apertium_ask(&s, &answer)) != OK)
		return e;
	pair.text = read_answer(mem, t, buf_text(&answer));
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
warm(const struct engine_at *at, const char *from, const char *to, void (*told)(void *),
    void *arg)
{
	struct arena *mem = arena_new();
	const char *name = apertium_mode(mem, at->model, from, to);

	if (name != NULL)
		apertium_warm(name, told, arg);
	else
		told(arg);
	arena_free(mem);
}

const struct mt_engine mt_apertium = { true, true, pairs, translate, list, warm };
