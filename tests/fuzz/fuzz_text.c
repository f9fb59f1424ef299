/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Texts of clients: invalid UTF-8 is detected; case folding twice equals folding once;
 * the pieces of a text to be spoken are together the whole text, except for blanks.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/text.h"
#include "protocol/output.h"
#include "session/tts_session.h"

int LLVMFuzzerTestOneInput(const uint8_t *, size_t);

#define BLANKS " \t\r\n"

static void
put_bare(struct buf *to, const char *s)
{
	for (; *s != '\0'; s++)
		if (strchr(BLANKS, *s) == NULL)
			buf_put(to, s, 1);
}

/* Feeds pieces of `step` characters, as a client may send them. */
static void
speak(struct arena *mem, const char *s, size_t step)
{
	struct tts_input *t = tts_input_new("g", NULL, 1);
	struct buf whole = { .mem = mem }, said = { .mem = mem };
	const char *piece, *from = s;
	uint32_t cp;

	put_bare(&whole, s);
	while (*from != '\0') {
		const char *to = from;

		for (size_t i = 0; i < step && *to != '\0'; i++)
			to = text_next(to, &cp);
		tts_input_join(t, arena_dup(mem, from, (size_t)(to - from)));
		from = to;
		t->closed = *to == '\0';
		while (*(piece = tts_input_next(mem, t)) != '\0') {
			if (!text_valid(piece, strlen(piece)))
				abort();
			put_bare(&said, piece);
		}
	}
	if (strcmp(buf_text(&whole), buf_text(&said)) != 0)
		abort();
	arena_free(t->mem);
}

static void
look(struct arena *mem, const char *s)
{
	const char *folded = text_fold(mem, s), *end = s;
	uint32_t cp;
	size_t n = 0;

	if (!text_valid(folded, strlen(folded)) ||
	    !text_valid(text_like(mem, s), strlen(text_like(mem, s))))
		abort();
	text_fold(mem, folded);
	for (const char *p = s; *p != '\0'; n++) {
		char again[4];
		const char *next = text_next(p, &cp);

		if (text_put(again, cp) != (size_t)(next - p) ||
		    memcmp(again, p, (size_t)(next - p)) != 0)
			abort();
		text_is_word(text_title(cp));
		p = next;
	}
	if (n != text_length(s))
		abort();
	while (*end != '\0') {
		const char *next = output_sentence(end);

		if (next <= end)
			abort();
		end = next;
	}
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena *mem = arena_new();
	const char *s;

	if (size > 0) {
		s = arena_dup(mem, (const char *)data + 1, size - 1);
		text_only(s, "-_ ");
		if (text_valid(s, strlen(s))) {
			look(mem, s);
			speak(mem, s, data[0] + 1u);
		}
	}
	arena_free(mem);
	return 0;
}
