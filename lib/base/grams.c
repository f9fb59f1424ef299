/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/grams.h"

#include <ctype.h>
#include <string.h>

#include "base/text.h"

#define BLANK " \t\n\v\f\r"
#define OWNER 12       /* characters of an owner's id: 48 random bits of a uuid */
#define PRIVATE 0xe000 /* plus the ASCII character that it replaces */

/*
 * Write the character so that it is part of a token: characters that separate words are
 * replaced.
 */
static void
put_character(struct buf *to, const char *s, size_t n)
{
	unsigned char c = (unsigned char)*s;
	char other[4];

	if (n > 1 || isalnum(c))
		buf_put(to, s, n);
	else
		buf_put(to, other, text_put(other, PRIVATE + c));
}

/* Returns the length in bytes of the character at s, which is not at the text's end. */
static size_t
width(const char *s)
{
	size_t n = 1;

	while (((unsigned char)s[n] & 0xc0) == 0x80)
		n++;
	return n;
}

static void
put_characters(struct buf *to, const char *s, const char *end)
{
	for (size_t n; s < end; s += n)
		put_character(to, s, n = width(s));
}

/* Returns the end of n characters from s on; NULL: the word ends before. */
static const char *
behind(const char *s, const char *end, int n)
{
	for (; n > 0 && s < end; n--)
		s += width(s);
	return n == 0 ? s : NULL;
}

/* Append all parts of one length; returns their number. */
static int
put_grams(
    struct buf *to, const struct buf *owner, const char *word, const char *end, int n)
{
	int count = 0;

	for (const char *s = word, *e; (e = behind(s, end, n)) != NULL; s += width(s)) {
		if (to->len > 0)
			buf_str(to, " ");
		buf_put(to, owner->p, owner->len);
		put_characters(to, s, e);
		count++;
	}
	return count;
}

void
grams_put(struct buf *to, const char *owner, const char *text, bool all)
{
	size_t n = strlen(owner);
	struct buf tail = { .mem = to->mem };

	put_characters(&tail, owner + (n > OWNER ? n - OWNER : 0), owner + n);
	for (const char *s = text; *(s += strspn(s, BLANK)) != '\0'; s += n) {
		n = strcspn(s, BLANK);
		if (put_grams(to, &tail, s, s + n, GRAMS_LONGEST) == 0 || all)
			put_grams(to, &tail, s, s + n, 2);
	}
}

/* The number of positions in the word at which a part of n characters can begin. */
static int
count_starts(const char *s, const char *end, int n)
{
	int count = 0;

	for (; behind(s, end, n) != NULL; s += width(s))
		count++;
	return count;
}

/*
 * Append parts of the word; of a long word only some of the parts, evenly spread.
 * Returns their number.
 */
static int
put_parts(struct buf *to, const char *word, const char *end, int most, int room)
{
	int n = behind(word, end, GRAMS_LONGEST) != NULL ? GRAMS_LONGEST : 2;
	int starts = count_starts(word, end, n), count = 0;
	int wanted = starts < most ? starts : most;

	for (int i = 0; i < starts && count < room; i++, word += width(word)) {
		if (i * (wanted - 1) < count * (starts - 1))
			continue;
		if (to->len > 0)
			buf_str(to, " ");
		buf_put(to, word, (size_t)(behind(word, end, n) - word));
		count++;
	}
	return count;
}

const char *
grams_parts(struct arena *mem, const char *words, int most)
{
	struct buf parts = { .mem = mem };
	int room = GRAMS_MOST;
	size_t n;

	for (; *(words += strspn(words, BLANK)) != '\0'; words += n) {
		n = strcspn(words, BLANK);
		room -= put_parts(&parts, words, words + n, most, room);
	}
	return buf_text(&parts);
}
