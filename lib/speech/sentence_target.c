/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Sets marks and capitals of a translation by a rule-based engine.
 *
 *	pieces: word, blank or mark, term -> capitals, doubles -> sentences -> marks
 */
#include "speech/sentence.h"

#include <string.h>

#include "base/buf.h"
#include "base/lang.h"
#include "base/text.h"

/* A piece of a text: letters and digits, a term, or one other character. */
struct piece {
	const char *s;
	size_t n;
	bool word, term;
	uint32_t first; /* code point of its first character */
};

/* Languages in which only names have a capital inside a sentence. */
static const char *const romance[] = { "es", "pt", "it", "fr", "ca", "gl", "oc", "ro" };
/* Words that never occur twice in a row. */
#define ONCE                                                                           \
	" que de el la los las en un una y o se para por con del al le les il lo gli " \
	"un une des du et di da e o os as do da no na "

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static bool
is_one_of(const char *const *codes, size_t n, const char *lang)
{
	for (size_t i = 0; i < n; i++)
		if (lang_same_base(codes[i], lang))
			return true;
	return false;
}

static bool
is_inside(uint32_t cp)
{
	return text_is_word(cp) || cp == '\'' || cp == 0x2019 /* ’ */ || cp == '-';
}

/* Read the piece at s, which is not the end of the text. */
static struct piece
read_piece(const char *s)
{
	struct piece p = { .s = s };
	const char *end = text_next(s, &p.first);
	uint32_t cp;

	if (*s == '\x01') {
		p.term = true;
		end = strchr(s, '\x02') != NULL ? strchr(s, '\x02') + 1 : end;
	} else if ((p.word = text_is_word(p.first)))
		for (const char *next = end; *end != '\0'; end = next) {
			next = text_next(end, &cp);
			if (!is_inside(cp))
				break;
		}
	p.n = (size_t)(end - s);
	return p;
}

static bool
is_end(uint32_t cp)
{
	return cp == '.' || cp == '?' || cp == '!' || cp == 0x2026 /* … */;
}

/* ---- capitals ---- */

/* The places where the source has capitals. */
struct capitals {
	bool first;  /* at its beginning */
	bool inside; /* inside a sentence, as in names */
	bool whole;  /* a word of capitals only */
	const char *source;
};

static bool
is_whole(const struct piece *p)
{
	size_t n = 0;
	uint32_t cp;

	for (const char *s = p->s; s < p->s + p->n; n++) {
		s = text_next(s, &cp);
		if (!text_is_upper(cp))
			return false;
	}
	return n > 1;
}

/* True for "I", "I'm": their capital means nothing. */
static bool
is_pronoun(const struct piece *p)
{
	return p->s[0] == 'I' && (p->n == 1 || p->s[1] == '\'');
}

static struct capitals
capitals_of(const char *source)
{
	struct capitals c = { .first = text_is_upper(text_first_word(source)),
		.source = source };
	bool open = true;

	for (struct piece p; *source != '\0'; source = p.s + p.n) {
		p = read_piece(source);
		c.whole |= p.word && is_whole(&p);
		c.inside |=
		    p.word && !open && text_is_upper(p.first) && !is_pronoun(&p);
		open = p.word ? false : open || is_end(p.first);
	}
	return c;
}

/* True if the source has a word that begins with the same three letters as the piece.
 */
static bool
is_of_source(const struct capitals *c, const struct piece *p)
{
	const char *end = p->s;
	uint32_t cp;
	size_t n;

	for (int i = 0; i < 3 && end < p->s + p->n; i++)
		end = text_next(end, &cp);
	n = (size_t)(end - p->s);
	for (const char *s = c->source; (s = strchr(s, *p->s)) != NULL; s++)
		if (strncmp(s, p->s, n) == 0 &&
		    (s == c->source || s[-1] == ' ' || s[-1] == '\''))
			return true;
	return false;
}

static void
put_small(struct buf *b, const char *s, const char *end)
{
	char small[4];
	uint32_t cp;

	while (s < end) {
		s = text_next(s, &cp);
		buf_put(b, small, text_put(small, text_small(cp)));
	}
}

/* Abbreviations that dictionaries insert for ordinary words: "la tele". */
#define ABBREVIATED " TV US UK UN EU USA PC CD DVD NGO OK AIDS "

static bool
is_abbreviation(const struct piece *p)
{
	const char *s = memmem(ABBREVIATED, sizeof(ABBREVIATED) - 1, p->s, p->n);

	return s != NULL && s[-1] == ' ' && s[p->n] == ' ';
}

/* Append a word. open: it begins a sentence. */
static void
put_word(struct buf *b, const struct capitals *c, const struct piece *p, bool open)
{
	const char *rest = p->s, *end = p->s + p->n;
	char title[4];
	uint32_t cp;
	bool whole = !c->whole && is_whole(p) && !is_abbreviation(p);
	bool small = !open && text_is_upper(p->first) &&
		     (whole || !(c->inside || c->whole || is_of_source(c, p)));

	if (open && c->first) {
		rest = text_next(p->s, &cp);
		buf_put(b, title, text_put(title, text_title(cp)));
	}
	if (small || whole)
		put_small(b, rest, end);
	else
		buf_put(b, rest, (size_t)(end - rest));
}

/* ---- marks ---- */

struct building {
	struct buf out;
	struct capitals capitals;
	struct piece last;  /* index of the last word in `out` */
	bool open;          /* the next word begins a sentence */
	bool terms;         /* the current sentence has only terms so far */
	size_t sentence_at; /* where in `out` the current sentence began */
	bool spanish, french;
};

static bool
is_blank_behind(const struct building *b)
{
	return b->out.len > 0 && b->out.p[b->out.len - 1] == ' ';
}

/* True if the word repeats the previous one and is a word that never repeats. */
static bool
is_double(const struct building *b, const struct piece *p)
{
	const char *in = ONCE;

	if (b->open || b->last.n != p->n || strncasecmp(b->last.s, p->s, p->n) != 0 ||
	    strspn(b->last.s + p->n, " ") != (size_t)(p->s - b->last.s) - p->n)
		return false;
	while ((in = strchr(in, ' ')) != NULL && *++in != '\0')
		if (strncasecmp(in, p->s, p->n) == 0 && in[p->n] == ' ')
			return true;
	return false;
}

/* True for a capital that belongs to the term before: pipelines move it to the word
   after a term that begins a sentence. */
static bool
is_moved_capital(const struct building *b, const struct piece *p)
{
	return p->word && b->terms && !b->open && text_is_upper(p->first) &&
	       !is_whole(p) && !is_pronoun(p) && !is_of_source(&b->capitals, p);
}

static void
put_text(struct building *b, const struct piece *p)
{
	if (p->word && is_double(b, p)) {
		b->out.len -= is_blank_behind(b);
		return;
	}
	if (b->open)
		b->sentence_at = b->out.len;
	if (p->term)
		buf_put(&b->out, p->s, p->n);
	else if (is_moved_capital(b, p))
		put_small(&b->out, p->s, p->s + p->n);
	else
		put_word(&b->out, &b->capitals, p, b->open);
	b->terms = p->term && (b->open || b->terms);
	b->last = *p;
	b->open = false;
}

/* Insert "¿" or "¡" where the sentence began. */
static void
put_inverted(struct building *b, const char *mark)
{
	char *at;

	if (b->open || memmem(b->out.p + b->sentence_at, b->out.len - b->sentence_at,
			   mark, strlen(mark)) != NULL)
		return;
	if (b->sentence_at >= strlen(mark) &&
	    memcmp(b->out.p + b->sentence_at - strlen(mark), mark, strlen(mark)) == 0)
		return;
	buf_str(&b->out, mark);
	at = b->out.p + b->sentence_at;
	memmove(at + strlen(mark), at, b->out.len - b->sentence_at - strlen(mark));
	memcpy(at, mark, strlen(mark));
}

/* "Dr. Rivers": the dot of an abbreviation ends no sentence. */
static bool
is_dotted(const struct building *b, const struct piece *p)
{
	static const char titles[] = " Dr Dra Mr Mrs Ms Sr Sra Srta Prof St ";
	const char *s = b->last.word
			    ? memmem(titles, sizeof(titles) - 1, b->last.s, b->last.n)
			    : NULL;

	return p->first == '.' && b->last.s + b->last.n == p->s && s != NULL &&
	       s[-(s > titles)] == ' ' && s[b->last.n] == ' ';
}

static void
put_mark(struct building *b, const struct piece *p)
{
	char next = p->s[p->n];
	bool ends = next == '\0' || next == ' ';

	if (strchr(",.;:?!", (int)p->first) != NULL && p->first < 0x80 && ends) {
		b->out.len -= is_blank_behind(b);
		if (b->french && strchr(";:?!", (int)p->first) != NULL)
			buf_str(&b->out, p->first == ':' ? "\u00a0" : "\u202f");
	}
	if (b->spanish && (p->first == '?' || p->first == '!'))
		put_inverted(b, p->first == '?' ? "¿" : "¡");
	if (b->spanish || (p->first != 0xbf /* ¿ */ && p->first != 0xa1 /* ¡ */))
		buf_put(&b->out, p->s, p->n);
	b->open |= is_end(p->first) && (ends || p->first != '.') && !is_dotted(b, p);
}

static void
put_piece(struct building *b, const struct piece *p)
{
	if (p->word || p->term)
		put_text(b, p);
	else if (p->first != ' ')
		put_mark(b, p);
	else if (b->out.len > 0 && !is_blank_behind(b))
		buf_str(&b->out, " ");
}

static struct building
begin(struct arena *mem, const struct sentence_pair *t)
{
	struct building b = { .out = { .mem = mem },
		.capitals = capitals_of(t->source),
		.open = true,
		.last = { .s = "" },
		.spanish = lang_same_base("es", t->to),
		.french = lang_same_base("fr", t->to) };

	if (!is_one_of(romance, COUNT(romance), t->to))
		b.capitals.inside = true;
	if (!is_one_of(romance, COUNT(romance), t->to) && !lang_same_base("en", t->to))
		b.capitals.whole = true;
	return b;
}

const char *
sentence_target(struct arena *mem, const struct sentence_pair *t)
{
	struct building b = begin(mem, t);
	struct piece p;

	for (const char *s = t->text; *s != '\0'; s += p.n) {
		p = read_piece(s);
		put_piece(&b, &p);
	}
	return buf_text(&b.out);
}
