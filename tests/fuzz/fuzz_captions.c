/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Captions made from phrases. The first byte of the input selects the language. Each
 * line is a phrase: two bytes for the time since the start of the last phrase, one for
 * its length, then the text. Captions must follow their rules and keep every character.
 */
#include <stdint.h>
#include <stdlib.h>

#include "tests/unit/captions_rules.h"

int LLVMFuzzerTestOneInput(const uint8_t *, size_t);

static const char *const languages[] = { "en", "ja", "zh-hans", "ko", "ar", "th" };

struct said {
	struct arena *mem;
	struct captions *captions;
	const char *language;
	int64_t at_ms;
	struct buf ink;
};

static void
put(struct said *s, const uint8_t *line, size_t n)
{
	const char *text = arena_dup(s->mem, (const char *)line + 3, n - 3);

	if (!text_valid(text, strlen(text)))
		return;
	s->at_ms += line[0] * 256 + line[1];
	captions_put(s->captions, text, s->language, s->at_ms, s->at_ms + line[2] * 64);
	captions_ink(&s->ink, text);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	struct arena *mem = arena_new();
	size_t which = n > 0 ? data[0] % 6 : 0;
	struct captions_seen seen = { .text.mem = mem,
		.columns =
		    which >= 1 && which <= 3 ? CAPTION_COLUMNS_WIDE : CAPTION_COLUMNS };
	struct said s = { .mem = mem,
		.captions = captions_new(mem, captions_see, &seen),
		.language = languages[which],
		.ink.mem = mem };

	for (size_t i = 1, end; i < n; i = end + 1) {
		const uint8_t *line = memchr(data + i, '\n', n - i);

		end = line != NULL ? (size_t)(line - data) : n;
		if (end - i > 3)
			put(&s, data + i, end - i);
	}
	captions_end(s.captions);
	captions_free(s.captions);
	if (seen.broken != NULL || strcmp(buf_text(&s.ink), buf_text(&seen.text)) != 0)
		abort();
	arena_free(mem);
	return 0;
}
