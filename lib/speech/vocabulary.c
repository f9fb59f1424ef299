/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "speech/vocabulary.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

struct making {
	struct arena *mem;
	struct buf terms; /* struct vocabulary_term */
	/* struct vocabulary_word, words of the term that is being read */
	struct buf words;
	struct buf text, key;  /* text and key of the word that is being read */
	size_t letters, marks; /* letters of the word; marks on its last letter */
	bool unfit; /* the word has a letter that is not Latin, or too many marks */
	size_t n;   /* number of words in all terms */
	size_t of;  /* vocabulary_term.of */
};

static void *
copy(struct arena *mem, const void *from, size_t bytes)
{
	return memcpy(arena_alloc(mem, bytes), from, bytes);
}

static void
end_term(struct making *m)
{
	struct vocabulary_term t = { .n = m->words.len / sizeof(*t.words),
		.of = m->of };

	if (t.n > 0) {
		t.words = copy(m->mem, m->words.p, m->words.len);
		buf_put(&m->terms, &t, sizeof(t));
	}
	m->words.len = 0;
}

/* True for an apostrophe inside a word; two in succession are a quotation mark. */
static bool
is_apostrophe(const struct making *m, uint32_t cp)
{
	return (cp == '\'' || cp == 0x2019) && m->letters > 0 &&
	       (m->key.len == 0 || m->key.p[m->key.len - 1] != '\'');
}

/* Remove apostrophes at the end: "the speakers' names". */
static void
trim(struct buf *b)
{
	while (b->len > 0 && b->p[b->len - 1] == '\'')
		b->len--;
}

static void
end_word(struct making *m)
{
	struct vocabulary_word w;

	trim(&m->text);
	trim(&m->key);
	if (!m->unfit && m->letters >= 2 && m->letters <= VOCABULARY_LETTERS &&
	    m->n < VOCABULARY_WORDS) {
		w.text = arena_str(m->mem, buf_text(&m->text));
		w.key = arena_str(m->mem, buf_text(&m->key));
		buf_put(&m->words, &w, sizeof(w));
		m->n++;
	} else if (m->letters > 0)
		end_term(m);
	m->text.len = m->key.len = m->letters = m->marks = 0;
	m->unfit = false;
}

static void
put_letter(struct making *m, uint32_t cp)
{
	uint32_t folded[TEXT_FOLD];
	char bytes[4];
	size_t n = text_fold_one(cp, folded);

	m->unfit |= m->of > 0 && m->letters == 0 && n > 0 && !text_is_upper(cp);
	m->letters += n;
	m->marks = n > 0 ? 0 : m->marks + 1;
	m->unfit |= m->marks > VOCABULARY_MARKS;
	if (m->unfit || m->letters > VOCABULARY_LETTERS)
		return; /* end_word() drops the word */
	for (size_t i = 0; i < n; i++) {
		char c = (char)folded[i];

		m->unfit |= folded[i] < 'a' || folded[i] > 'z';
		buf_put(&m->key, &c, 1);
	}
	buf_put(&m->text, bytes, text_put(bytes, cp));
}

static void
read_text(struct making *m, const char *s)
{
	uint32_t cp;

	if (!text_valid(s, strlen(s)))
		return;
	while (*s != '\0' && m->n < VOCABULARY_WORDS) {
		s = text_next(s, &cp);
		if (text_is_word(cp))
			put_letter(m, cp);
		else if (is_apostrophe(m, cp)) {
			buf_put(&m->text, "'", 1);
			buf_put(&m->key, "'", 1);
		} else {
			end_word(m);
			if (cp != ' ' && cp != '-')
				end_term(m);
		}
	}
	end_word(m);
	end_term(m);
}

static void
read_texts(struct making *m, const struct list *texts, bool titles)
{
	const char *const *s = texts->items;
	size_t n = texts->n < VOCABULARY_TEXTS ? texts->n : VOCABULARY_TEXTS;

	for (size_t i = 0; i < n && m->n < VOCABULARY_WORDS; i++) {
		m->of = titles ? i + 1 : 0;
		read_text(m, s[i]);
	}
}

struct vocabulary *
vocabulary_new(struct arena *mem, const struct list *hints, const struct list *names,
    const struct list *titles)
{
	struct making m = { .mem = mem,
		.terms.mem = mem,
		.words.mem = mem,
		.text.mem = mem,
		.key.mem = mem };
	struct vocabulary *v = arena_alloc(mem, sizeof(*v));

	read_texts(&m, hints, false);
	read_texts(&m, names, false);
	read_texts(&m, titles, true);
	v->terms =
	    (struct list){ m.terms.p, m.terms.len / sizeof(struct vocabulary_term) };
	return v->terms.n > 0 ? v : NULL;
}

/* ---- as text: "TITLE PLACE KEY TEXT", PLACE counts the words of a term from 0 ---- */

void
vocabulary_write(struct buf *to, const struct vocabulary *v, size_t most)
{
	const struct vocabulary_term *t = v->terms.items;

	for (size_t i = 0; i < v->terms.n; i++) {
		size_t before = to->len;

		for (size_t k = 0; k < t[i].n; k++)
			buf_printf(to, "%zu %zu %s %s\n", t[i].of, k, t[i].words[k].key,
			    t[i].words[k].text);
		if (to->len > most) {
			to->len = before;
			return;
		}
	}
}

/* Cut the field off that begins at *at; NULL: there is none. */
static const char *
cut(char **at, char end)
{
	char *field = *at, *to = strchr(field, end);

	if (to == NULL)
		return NULL;
	*to = '\0';
	*at = to + 1;
	return field;
}

struct vocabulary *
vocabulary_read(struct arena *mem, char *text)
{
	struct making m = { .mem = mem, .terms.mem = mem, .words.mem = mem };
	struct vocabulary *v = arena_alloc(mem, sizeof(*v));

	while (*text != '\0') {
		const char *of = cut(&text, ' '), *place = of ? cut(&text, ' ') : NULL;
		struct vocabulary_word w = { .key = place ? cut(&text, ' ') : NULL };

		if (w.key == NULL || (w.text = cut(&text, '\n')) == NULL)
			return NULL;
		if (strcmp(place, "0") == 0)
			end_term(&m);
		m.of = strtoul(of, NULL, 10);
		if (m.n++ == VOCABULARY_WORDS)
			return NULL;
		buf_put(&m.words, &w, sizeof(w));
	}
	end_term(&m);
	v->terms =
	    (struct list){ m.terms.p, m.terms.len / sizeof(struct vocabulary_term) };
	return v;
}
