/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "base/text.h"
#include "protocol/output.h"
#include "session/tts_session.h"

#define LEAST 80  /* characters; shorter sentences are joined */
#define MOST 300  /* characters of a piece */
#define PIECE 256 /* characters; a blank is added after a text this long */
#define BLANKS " \t\r\n"
#define PATIENCE 4096 /* bytes of text to wait for the end of a sentence */

struct tts_input *
tts_input_new(const char *generation, const char *voice, double rate)
{
	struct arena *mem = arena_new();
	struct tts_input *t = arena_alloc(mem, sizeof(*t));

	*t = (struct tts_input){ .mem = mem,
		.generation = arena_str(mem, generation),
		.voice = arena_str(mem, voice),
		.rate = rate,
		.text.mem = mem };
	return t;
}

void
tts_input_join(struct tts_input *t, const char *piece)
{
	buf_str(&t->text, piece);
	if (text_length(piece) >= PIECE)
		buf_str(&t->text, " ");
}

static bool
is_mark(const char *s, const char *end)
{
	static const char *const marks[] = { "!", "?", ".", "\u2026", "\u3002",
		"\uff01", "\uff1f", NULL };

	for (const char *const *m = marks; *m != NULL; m++) {
		size_t n = strlen(*m);

		if ((size_t)(end - s) >= n && memcmp(end - n, *m, n) == 0)
			return true;
	}
	return false;
}

/*
 * True if the sentence that output_sentence() found is complete. At the end of the text
 * so far it may not be: "3." may become "3.5".
 */
static bool
is_ended(const char *s, const char *end)
{
	const char *last = end;

	if (*end != '\0')
		return true;
	while (last > s && strchr(BLANKS, last[-1]) != NULL)
		last--;
	if (last == end && last - s >= 2 && last[-1] == '.' &&
	    strchr("0123456789", last[-2]) != NULL)
		return false;
	while (last > s && strchr("\"')]", last[-1]) != NULL)
		last--;
	return is_mark(s, last);
}

/*
 * Returns the bytes up to the last blank within the first `most` characters, or of all
 * these characters.
 */
static size_t
cut_within(const char *s, size_t most)
{
	const char *p = s, *blank = NULL;
	uint32_t cp;

	for (size_t i = 0; i < most && *p != '\0'; i++) {
		p = text_next(p, &cp);
		if (cp == ' ')
			blank = p;
	}
	return (size_t)((*p != '\0' && blank != NULL ? blank : p) - s);
}

static size_t
count(const char *s, const char *end)
{
	size_t n = 0;
	uint32_t cp;

	while (s < end) {
		s = text_next(s, &cp);
		n++;
	}
	return n;
}

/* Returns the bytes of the next piece; 0: wait for more text. */
static size_t
length_next(const char *s, bool closed)
{
	bool pressing = closed || strlen(s) > PATIENCE;
	const char *end = s, *whole = s; /* as many sentences as fit */

	while (*end != '\0' && count(s, end) <= LEAST) {
		end = output_sentence(end);
		if (count(s, end) <= MOST && is_ended(s, end))
			whole = end;
	}
	if (count(s, end) > LEAST && is_ended(s, end) && count(s, end) <= MOST)
		return (size_t)(end - s);
	if (!pressing && !(count(s, end) > MOST && is_ended(s, end)))
		return 0;
	if (count(s, end) <= MOST)
		return (size_t)(end - s);
	return whole > s ? (size_t)(whole - s) : cut_within(s, MOST);
}

static const char *
without_blanks(struct arena *mem, const char *s, size_t n)
{
	while (n > 0 && strchr(BLANKS, *s) != NULL) {
		s++;
		n--;
	}
	while (n > 0 && strchr(BLANKS, s[n - 1]) != NULL)
		n--;
	return arena_dup(mem, s, n);
}

const char *
tts_input_next(struct arena *mem, struct tts_input *t)
{
	const char *text;
	size_t n;

	do {
		const char *s = buf_text(&t->text) + t->from;

		n = length_next(s, t->closed);
		text = without_blanks(mem, s, n);
		t->from += n;
	} while (n > 0 && *text == '\0');
	return text;
}

bool
tts_input_over(const struct tts_input *t)
{
	return t->closed && t->from == t->text.len;
}
