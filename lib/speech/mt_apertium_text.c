#include "speech/mt_apertium_text.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "speech/placeholders.h"

/* An escaped ^ near the end of a text hangs the programs: this goes in its place. */
#define CARET "\xe2\x80\xb8" /* U+2038 */
#define PHRASE "[p:%zu]"

/* ---- to the programs ---- */

void
apertium_put_escaped(struct buf *b, const char *s, size_t n)
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

/* With the capital of the term, if that has one. */
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
		apertium_put_escaped(b, own, t->terms[i].len);
	else
		put_word(b, a->word, own);
	buf_str(b, "[[/]]");
}

const char *
apertium_write(
    struct arena *mem, const struct mt_text *t, const struct apertium_term *terms)
{
	struct buf b = { .mem = mem };
	size_t at = 0;

	for (size_t i = 0; i < t->nterms; i++) {
		apertium_put_escaped(&b, t->text + at, t->terms[i].at - at);
		put_term(&b, t, i, &terms[i]);
		at = t->terms[i].at + t->terms[i].len;
	}
	apertium_put_escaped(&b, t->text + at, strlen(t->text + at));
	return buf_text(&b);
}

/* ---- and back ---- */

/* The number of "[[g:0]]" at s, or of "[p:0]", and where it ends; NULL: it is not. */
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
	const struct apertium_term *terms;
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

/* An article that came with a noun: in front of it, or as a piece of its own. */
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
		return skip_blank(s, "]]"); /* a mark of two terms: both are lost */
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
	/* Two blanks: a word was left out between them. */
	if (*s != ' ' || b->len == 0 || b->p[b->len - 1] != ' ')
		buf_put(b, s, 1);
	return s + 1;
}

const char *
apertium_read(struct arena *mem, const struct mt_text *t,
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
