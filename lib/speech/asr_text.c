/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "speech/asr_text.h"

#include <stdbool.h>
#include <string.h>

#include "base/buf.h"
#include "base/text.h"

#define BLANKS " \t\r\n"
/* bytes from which a part counts as long: it is rarely repeated in speech */
#define LONG 10
/* repetitions after which a long part is a loop; for a shorter part: */
#define MANY 3
#define MORE 6
#define SHORTEST 2

/* ---- loops ---- */

/* True where a word begins, or a character of a script without blanks. */
static bool
is_start(const char *text, size_t i)
{
	unsigned char c = (unsigned char)text[i];

	return c >= 0xc0 ||
	       (c < 0x80 && (i == 0 || text[i - 1] == ' ' || text[i - 1] == '-'));
}

/* Length in bytes of the repetitions of the first n bytes at s; the last may be
   incomplete. */
static size_t
repeated(const char *s, size_t n)
{
	size_t same = n;

	while (s[same] != '\0' && s[same] == s[same - n])
		same++;
	return s[same] == '\0' ? same : same / n * n;
}

/* Length in bytes of the first part of a loop; 0: no loop begins here. */
static size_t
loop_at(const char *text, size_t at, size_t *all)
{
	const char *s = text + at;
	size_t left = strlen(s);

	for (size_t n = SHORTEST; n <= (left + 1) / MANY; n++) {
		if (!is_start(text, at + n))
			continue;
		*all = repeated(s, n);
		/* the last repetition has no blank after it */
		if (*all + 1 >= n * (n >= LONG ? MANY : MORE))
			return n;
	}
	return 0;
}

const char *
asr_text_cut_loops(struct arena *mem, const char *text)
{
	struct buf b = { .mem = mem };

	for (size_t i = 0, all; text[i] != '\0';) {
		size_t n = is_start(text, i) ? loop_at(text, i, &all) : 0;

		buf_put(&b, text + i, n > 0 ? n : 1);
		i += n > 0 ? all : 1;
	}
	return text_trim(mem, buf_text(&b), BLANKS);
}

/* ---- descriptions of sounds ---- */

static const struct {
	const char *open, *close;
} marks[] = { { "[", "]" }, { "(", ")" }, { "*", "*" }, { "{", "}" }, { "<", ">" },
	{ "【", "】" }, { "（", "）" }, { "♪", "" }, { "♫", "" }, { "♬", "" },
	{ "♩", "" } };

/* Length in bytes of the description that begins here; 0: none. */
static size_t
description_at(const char *s)
{
	for (size_t i = 0; i < sizeof(marks) / sizeof(*marks); i++) {
		size_t n = strlen(marks[i].open);
		const char *end;

		if (strncmp(s, marks[i].open, n) == 0 &&
		    (end = strstr(s + n, marks[i].close)) != NULL)
			return (size_t)(end - s) + strlen(marks[i].close);
	}
	return 0;
}

const char *
asr_text_clean(struct arena *mem, const char *text)
{
	struct buf b = { .mem = mem };

	for (size_t n; *text != '\0'; text += n) {
		if ((n = description_at(text)) > 0)
			continue;
		n = 1;
		if (*text != ' ' || (b.len > 0 && b.p[b.len - 1] != ' '))
			buf_put(&b, text, 1);
	}
	return asr_text_cut_loops(mem, buf_text(&b));
}
