/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "speech/placeholders.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/lang.h"
#include "base/text.h"

#define SLOT_END '\x02' /* follows MT_SLOT and the number */

/*
 * A token that is no word of any language, so that engines copy it unchanged, and
 * short, so that it has little influence. Another letter is used if the text contains
 * such a token.
 */
#define TOKEN "X%cQ%zuX"
#define TOKEN_BYTES 32

void
mt_slot(struct buf *b, size_t i)
{
	buf_printf(b, "%c%zu%c", MT_SLOT, i, SLOT_END);
}

/* True if a sentence begins after the text so far. */
static bool
opens(struct buf *so_far)
{
	const char *s = buf_text(so_far);
	uint32_t cp;
	bool open = true, stop = false;

	while (*s != '\0') {
		s = text_next(s, &cp);
		open = text_is_word(cp) ? false : open || (stop && cp == ' ');
		stop = cp == '.' || cp == '!' || cp == '?' || cp == 0x2026;
	}
	return open;
}

static void
put_target(struct buf *b, const char *target, bool capital)
{
	char title[4];
	const char *rest;
	uint32_t cp;

	if (capital && *target != '\0' && opens(b)) {
		rest = text_next(target, &cp);
		buf_put(b, title, text_put(title, text_title(cp)));
		target = rest;
	}
	buf_str(b, target);
}

/* Append a term's own words; returns their position in the text so far. */
static struct mt_term
put_own(struct buf *b, const struct mt_text *t, size_t i, bool capital)
{
	const struct mt_term *term = &t->terms[i];
	size_t at = b->len;

	put_target(b, arena_dup(b->mem, t->text + term->at, term->len), capital);
	return (struct mt_term){ at, b->len - at, term->target, term->phrase,
		term->name, term->own };
}

/* Replace the slots by the targets or, if own is not NULL, by the terms' own words,
   whose positions it then gets. */
static bool
fill(struct buf *b, const struct mt_text *t, const char *slots, struct mt_term *own)
{
	bool *seen = arena_alloc(b->mem, t->nterms + 1);
	bool capital = text_is_upper(text_first_word(t->text));
	size_t n = 0, i;

	while (*slots != '\0') {
		size_t plain = strcspn(slots, "\x01");
		char *end;

		buf_put(b, slots, plain);
		if (*(slots += plain) == '\0')
			break;
		i = strtoul(slots + 1, &end, 10);
		if (*end != SLOT_END || i >= t->nterms || seen[i])
			return false;
		seen[i] = true;
		if (own != NULL)
			own[n] = put_own(b, t, i, capital);
		else
			put_target(b, t->terms[i].target, capital);
		n++;
		slots = end + 1;
	}
	return n == t->nterms;
}

const char *
mt_fill(struct arena *mem, const struct mt_text *t, const char *slots)
{
	struct buf b = { .mem = mem };

	return fill(&b, t, slots, NULL) ? text_trim(mem, buf_text(&b), " ") : NULL;
}

const char *
mt_refill(
    struct arena *mem, const struct mt_text *t, const char *slots, struct mt_term *to)
{
	struct buf b = { .mem = mem };

	return fill(&b, t, slots, to) ? buf_text(&b) : NULL;
}

const char *
mt_mark(struct arena *mem, const struct mt_text *t, const struct mt_marks *marks)
{
	struct buf b = { .mem = mem };
	size_t at = 0;

	for (size_t i = 0; i < t->nterms; i++) {
		marks->rest(&b, t->text + at, t->terms[i].at - at);
		marks->term(&b, t, i);
		at = t->terms[i].at + t->terms[i].len;
	}
	marks->rest(&b, t->text + at, strlen(t->text + at));
	return buf_text(&b);
}

static void
put_plain(struct buf *b, const char *s, size_t n)
{
	buf_put(b, s, n);
}

static void
put_slot(struct buf *b, const struct mt_text *t, size_t i)
{
	(void)t;
	mt_slot(b, i);
}

const char *
mt_slots(struct arena *mem, const struct mt_text *t)
{
	return mt_mark(mem, t, &(const struct mt_marks){ put_plain, put_slot });
}

/* Returns the letter of the tokens: one for which the text has no token. */
static char
token_letter(const struct mt_text *t)
{
	char start[4] = "XZQ";

	while (start[1] > 'A' && strcasestr(t->text, start) != NULL)
		start[1]--;
	return start[1];
}

void
mt_token(struct buf *b, const struct mt_text *t, size_t i)
{
	buf_printf(b, TOKEN, token_letter(t), i);
}

const char *
mt_tokens(struct arena *mem, const struct mt_text *t)
{
	return mt_mark(mem, t, &(const struct mt_marks){ put_plain, mt_token });
}

/* Returns the length of the token at s; 0: there is none. */
static size_t
token_at(const struct mt_text *t, const char *s, size_t *i)
{
	char token[TOKEN_BYTES];

	if (tolower((unsigned char)*s) != 'x')
		return 0;
	for (*i = 0; *i < t->nterms; (*i)++) {
		int n = snprintf(token, sizeof(token), TOKEN, token_letter(t), *i);

		if (strncasecmp(s, token, (size_t)n) == 0)
			return (size_t)n;
	}
	return 0;
}

const char *
mt_untoken(struct arena *mem, const struct mt_text *t, const char *s)
{
	struct buf b = { .mem = mem };
	size_t i, n;

	while (*s != '\0') {
		if ((n = token_at(t, s, &i)) > 0)
			mt_slot(&b, i);
		else if (!iscntrl((unsigned char)*s))
			buf_put(&b, s, 1);
		else
			buf_put(&b, " ", 1);
		s += n > 0 ? n : 1;
	}
	return buf_text(&b);
}

enum err
mt_list_any(const struct engine_at *at, struct arena *mem, struct list *to)
{
	size_t from_n = 0, to_n = 0;
	struct mt_pair *p;

	(void)at;
	while (lang_spoken[from_n] != NULL)
		from_n++;
	while (lang_target[to_n] != NULL)
		to_n++;
	*to = (struct list){ .items = arena_alloc(mem, from_n * to_n * sizeof(*p)) };
	p = to->items;
	for (size_t i = 0; i < from_n; i++)
		for (size_t k = 0; k < to_n; k++)
			if (strcmp(lang_spoken[i], "auto") != 0 &&
			    strcmp(lang_spoken[i], lang_base(mem, lang_target[k])) != 0)
				p[to->n++] =
				    (struct mt_pair){ lang_spoken[i], lang_target[k] };
	return OK;
}

int
mt_time_ms(const struct engine_at *at, const struct mt_text *t)
{
	bool own = t->timeout_ms <= 0 ||
		   (at->timeout_ms > 0 && at->timeout_ms < t->timeout_ms);

	return own ? at->timeout_ms : (int)t->timeout_ms;
}
