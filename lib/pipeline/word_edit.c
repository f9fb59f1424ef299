/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "pipeline/word_edit.h"

#include <string.h>

#include "base/text.h"

struct edit {
	size_t at, len;
	const char *put;
	const char *target; /* NULL: no term */
};

/* ---- words ---- */

static const char *
read_word(struct text_word *w, const char *s)
{
	size_t n = 0;
	uint32_t cp;

	for (const char *next; *s != '\0'; s = next) {
		next = text_next(s, &cp);
		if (!text_is_word(cp))
			break;
		if (n < WORD_BYTES)
			n += text_put(w->small + n, text_small(cp));
	}
	w->small[n < WORD_BYTES ? n : 0] = '\0';
	w->shortened = *s == '\'' || strncmp(s, "’", strlen("’")) == 0;
	return s;
}

struct words *
words_of(struct arena *mem, const char *text)
{
	struct words *t = arena_alloc(mem, sizeof(*t));
	const char *s = text;
	bool joined = false;
	uint32_t cp;

	t->mem = t->edits.mem = mem;
	t->text = text;
	while (*s != '\0') {
		const char *next = text_next(s, &cp);

		if (!text_is_word(cp)) {
			joined &= cp == ' ' || cp == '-';
			s = next;
			continue;
		}
		if (t->n == WORDS_MAX)
			return NULL;
		t->w[t->n] =
		    (struct text_word){ .at = (size_t)(s - text), .joined = joined };
		s = read_word(&t->w[t->n], s);
		t->w[t->n].len = (size_t)(s - text) - t->w[t->n].at;
		t->n++;
		joined = true;
	}
	return t;
}

const char *
word_at(const struct words *t, size_t i)
{
	return i < t->n ? t->w[i].small : "";
}

const char *
word_behind(const struct words *t, size_t i)
{
	return i + 1 < t->n && t->w[i + 1].joined ? t->w[i + 1].small : "";
}

const char *
word_before(const struct words *t, size_t i)
{
	return i > 0 && t->w[i].joined ? t->w[i - 1].small : "";
}

size_t
word_end(const struct words *t, size_t i)
{
	return t->w[i].at + t->w[i].len;
}

bool
word_is_digits(const char *s)
{
	return *s != '\0' && s[strspn(s, "0123456789")] == '\0';
}

bool
word_is_listed(const char *list, const char *word)
{
	size_t n = strlen(word);

	for (const char *s = list; n > 0 && (s = strstr(s, word)) != NULL; s++)
		if ((s == list || s[-1] == '|') && (s[n] == '|' || s[n] == '\0'))
			return true;
	return false;
}

/* ---- edits ---- */

void
words_put_term(
    struct words *t, size_t at, size_t len, const char *put, const char *target)
{
	const struct edit e = { at, len, put, target };

	buf_put(&t->edits, &e, sizeof(e));
}

void
words_put(struct words *t, size_t from, size_t end, const char *put)
{
	words_put_term(
	    t, t->w[from].at, word_end(t, end - 1) - t->w[from].at, put, NULL);
}

void
words_cut(struct words *t, size_t i)
{
	words_put_term(t, t->w[i].at, t->w[i + 1].at - t->w[i].at, "", NULL);
}

static bool
is_touched(const struct mt_text *t, const struct edit *e)
{
	for (size_t i = 0; i < t->nterms; i++)
		if (e->at < t->terms[i].at + t->terms[i].len &&
		    t->terms[i].at < e->at + e->len)
			return true;
	return false;
}

/* The text that is made, and its terms in order. */
struct made {
	struct buf text, terms;
	const struct mt_text *from;
	size_t at, term; /* what was copied of `from` */
};

/* Copy the text up to `at`, with its terms. */
static void
copy_to(struct made *m, size_t at)
{
	while (m->term < m->from->nterms && m->from->terms[m->term].at < at) {
		struct mt_term t = m->from->terms[m->term++];

		t.at = t.at - m->at + m->text.len;
		buf_put(&m->terms, &t, sizeof(t));
	}
	buf_put(&m->text, m->from->text + m->at, at - m->at);
	m->at = at;
}

static void
put_edit(struct made *m, const struct edit *e)
{
	const struct mt_term t = { .at = m->text.len,
		.len = strlen(e->put),
		.target = e->target,
		.own = true };

	if (e->target != NULL)
		buf_put(&m->terms, &t, sizeof(t));
	buf_str(&m->text, e->put);
	m->at = e->at + e->len;
}

void
words_apply(const struct words *w, struct mt_text *t)
{
	const struct edit *e = (const void *)w->edits.p;
	struct made m = {
		.text = { .mem = w->mem }, .terms = { .mem = w->mem }, .from = t
	};

	if (w->edits.len == 0)
		return;
	for (size_t i = 0; i < w->edits.len / sizeof(*e); i++)
		if (e[i].at >= m.at && !is_touched(t, &e[i])) {
			copy_to(&m, e[i].at);
			put_edit(&m, &e[i]);
		}
	copy_to(&m, strlen(t->text));
	t->nterms = m.terms.len / sizeof(struct mt_term);
	t->terms = (const void *)m.terms.p;
	t->text = buf_text(&m.text);
}
