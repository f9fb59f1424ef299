/*
 * Phrases, a line each: two bytes of time behind the start of the last one, one of
 * length, then the text.  The first byte of all says in which language.  Captions keep
 * their rules and every character.
 */
#include <stdint.h>
#include <stdlib.h>

#include "tests/unit/captions_rules.h"

int LLVMFuzzerTestOneInput(const uint8_t *, size_t);

static const char *const languages[] = { "en", "ja", "zh-hans", "ko", "ar", "th" };

static void
put(struct arena *mem, struct captions *c, const char *language, const uint8_t *line,
    size_t n, int64_t *at, struct buf *ink)
{
	const char *text = arena_dup(mem, (const char *)line + 3, n - 3);

	if (!text_valid(text, strlen(text)))
		return;
	*at += line[0] * 256 + line[1];
	captions_put(c, text, language, *at, *at + line[2] * 64);
	captions_ink(ink, text);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	struct arena *mem = arena_new();
	size_t which = n > 0 ? data[0] % 6 : 0;
	const char *language = languages[which];
	struct captions_seen seen = { .text.mem = mem,
		.columns =
		    which >= 1 && which <= 3 ? CAPTION_COLUMNS_WIDE : CAPTION_COLUMNS };
	struct captions *c = captions_new(mem, captions_see, &seen);
	struct buf ink = { .mem = mem };
	int64_t at = 0;

	for (size_t i = 1, end; i < n; i = end + 1) {
		const uint8_t *line = memchr(data + i, '\n', n - i);

		end = line != NULL ? (size_t)(line - data) : n;
		if (end - i > 3)
			put(mem, c, language, data + i, end - i, &at, &ink);
	}
	captions_end(c);
	captions_free(c);
	if (seen.broken != NULL || strcmp(buf_text(&ink), buf_text(&seen.text)) != 0)
		abort();
	arena_free(mem);
	return 0;
}
