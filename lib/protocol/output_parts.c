/* Splits a long text at the ends of sentences. */
#include <string.h>

#include "base/text.h"
#include "protocol/output.h"

/* End of a sentence?  *alone: no blank must follow.  ASCII ends need one ("3.5"). */
static bool
is_end(uint32_t c, bool *alone)
{
	static const uint32_t ends[] = { '.', '!', '?', 0x2026 /* … */, 0x061f /* ؟ */,
		0x06d4 /* ۔ */, 0x0964 /* । */, 0x0965 /* ॥ */ };

	/* 。 ！ ？ ｡ need no blank after them */
	*alone = c == 0x3002 || c == 0xff01 || c == 0xff1f || c == 0xff61;
	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++)
		if (c == ends[i])
			return true;
	return *alone;
}

static bool
is_closing(uint32_t c)
{
	return strchr("\"')]", (int)(c < 0x80 && c > 0 ? c : 'x')) != NULL ||
	       c == 0xbb /* » */ || c == 0x201d /* ” */ || c == 0x2019 /* ’ */ ||
	       c == 0x300d /* 」 */ || c == 0x300f /* 』 */ || c == 0xff09 /* ） */;
}

/* Skip further sentence ends and closing quotes. */
static const char *
skip_closing(const char *s)
{
	uint32_t c;
	bool alone;

	while (*s != '\0') {
		const char *next = text_next(s, &c);

		if (!is_end(c, &alone) && !is_closing(c))
			break;
		s = next;
	}
	return s;
}

const char *
output_sentence(const char *s)
{
	uint32_t c;
	bool alone;

	while (*s != '\0') {
		s = text_next(s, &c);
		if (!is_end(c, &alone))
			continue;
		s = skip_closing(s);
		if (alone || *s == ' ' || *s == '\n' || *s == '\t')
			return s + strspn(s, " \n\t");
	}
	return s;
}

static const char *
trim(struct arena *mem, const char *s, const char *end)
{
	s += strspn(s, " \n\t");
	while (end > s && strchr(" \n\t", end[-1]) != NULL)
		end--;
	return arena_dup(mem, s, end > s ? (size_t)(end - s) : 0);
}

/* As many sentences as fit, at least one. */
static const char *
find_part(struct arena *mem, const char *s)
{
	const char *end = output_sentence(s);

	while (*end != '\0') {
		const char *next = output_sentence(end);

		if (text_length(trim(mem, s, next)) > OUTPUT_PART)
			break;
		end = next;
	}
	return end;
}

struct list
output_parts(struct arena *mem, const char *text)
{
	/* two adjacent parts have more than OUTPUT_PART code points */
	const char **parts =
	    arena_alloc(mem, (strlen(text) / OUTPUT_PART * 2 + 2) * sizeof(*parts));
	struct list to = { .items = parts };
	const char *end;

	if (text_length(text) <= OUTPUT_PART) {
		parts[to.n++] = text;
		return to;
	}
	for (; *text != '\0'; text = end) {
		end = find_part(mem, text);
		parts[to.n++] = trim(mem, text, end);
	}
	return to;
}
