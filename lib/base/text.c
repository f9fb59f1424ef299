/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/text.h"

#include <stdlib.h>
#include <string.h>
#include <utf8proc.h>

#include "base/buf.h"

bool
text_valid(const char *s, size_t n)
{
	utf8proc_int32_t cp;
	utf8proc_ssize_t k;

	for (; n > 0; s += k, n -= (size_t)k) {
		if ((unsigned char)*s < 0x80) {
			k = 1;
			continue;
		}
		k = utf8proc_iterate(
		    (const utf8proc_uint8_t *)s, (utf8proc_ssize_t)n, &cp);
		if (k < 0)
			return false;
	}
	return true;
}

size_t
text_length(const char *s)
{
	size_t n = 0;

	for (; *s != '\0'; s++)
		n += ((unsigned char)*s & 0xc0) != 0x80;
	return n;
}

const char *
text_next(const char *s, uint32_t *cp)
{
	utf8proc_int32_t c;
	utf8proc_ssize_t n = utf8proc_iterate((const utf8proc_uint8_t *)s, -1, &c);

	*cp = n > 0 ? (uint32_t)c : 0xfffd;
	return s + (n > 0 ? n : 1);
}

size_t
text_put(char *to, uint32_t cp)
{
	if (!utf8proc_codepoint_valid((utf8proc_int32_t)cp))
		return 0;
	return (size_t)utf8proc_encode_char(
	    (utf8proc_int32_t)cp, (utf8proc_uint8_t *)to);
}

const char *
text_fold(struct arena *mem, const char *s)
{
	utf8proc_uint8_t *folded;
	const char *to;

	if (utf8proc_map((const utf8proc_uint8_t *)s, 0, &folded,
		UTF8PROC_NULLTERM | UTF8PROC_STABLE | UTF8PROC_COMPAT |
		    UTF8PROC_DECOMPOSE | UTF8PROC_CASEFOLD | UTF8PROC_STRIPMARK) < 0)
		return arena_str(mem, s);
	to = arena_str(mem, (const char *)folded);
	free(folded);
	return to;
}

size_t
text_fold_one(uint32_t cp, uint32_t to[TEXT_FOLD])
{
	utf8proc_int32_t folded[TEXT_FOLD];
	utf8proc_ssize_t n;
	int bound = 0;

	n = utf8proc_decompose_char((utf8proc_int32_t)cp, folded, TEXT_FOLD,
	    UTF8PROC_COMPAT | UTF8PROC_DECOMPOSE | UTF8PROC_CASEFOLD |
		UTF8PROC_STRIPMARK,
	    &bound);
	if (n < 0 || n > TEXT_FOLD) {
		to[0] = cp;
		return 1;
	}
	for (utf8proc_ssize_t i = 0; i < n; i++)
		to[i] = (uint32_t)folded[i];
	return (size_t)n;
}

bool
text_is_word(uint32_t cp)
{
	utf8proc_category_t c = utf8proc_category((utf8proc_int32_t)cp);

	return (c >= UTF8PROC_CATEGORY_LU && c <= UTF8PROC_CATEGORY_ME) ||
	       c == UTF8PROC_CATEGORY_ND;
}

bool
text_is_ignorable(uint32_t cp)
{
	return utf8proc_get_property((utf8proc_int32_t)cp)->ignorable;
}

uint32_t
text_first_word(const char *s)
{
	uint32_t cp = 0;

	while (*s != '\0') {
		s = text_next(s, &cp);
		if (text_is_word(cp))
			return cp;
	}
	return 0;
}

bool
text_is_upper(uint32_t cp)
{
	utf8proc_category_t c = utf8proc_category((utf8proc_int32_t)cp);

	return c == UTF8PROC_CATEGORY_LU || c == UTF8PROC_CATEGORY_LT;
}

uint32_t
text_title(uint32_t cp)
{
	return (uint32_t)utf8proc_totitle((utf8proc_int32_t)cp);
}

uint32_t
text_small(uint32_t cp)
{
	return (uint32_t)utf8proc_tolower((utf8proc_int32_t)cp);
}

bool
text_only(const char *s, const char *punctuation)
{
	uint32_t cp;

	while (*s != '\0') {
		s = text_next(s, &cp);
		if (!text_is_word(cp) &&
		    (cp >= 0x80 || strchr(punctuation, (int)cp) == NULL))
			return false;
	}
	return true;
}

const char *
text_lower(struct arena *mem, const char *s)
{
	char *to = arena_str(mem, s);

	for (char *p = to; *p != '\0'; p++)
		if (*p >= 'A' && *p <= 'Z')
			*p = (char)(*p - 'A' + 'a');
	return to;
}

bool
text_has_word(const char *words, const char *word)
{
	size_t n = strlen(word);

	for (const char *s = words; n > 0 && (s = strstr(s, word)) != NULL; s++)
		if (s > words && s[-1] == ' ' && s[n] == ' ')
			return true;
	return false;
}

const char *
text_trim(struct arena *mem, const char *s, const char *blanks)
{
	size_t n;

	s += strspn(s, blanks);
	for (n = strlen(s); n > 0 && strchr(blanks, s[n - 1]) != NULL; n--)
		;
	return arena_dup(mem, s, n);
}

const char *
text_like(struct arena *mem, const char *s)
{
	struct buf b = { .mem = mem };

	buf_str(&b, "%");
	for (s = text_fold(mem, s); *s != '\0'; s++) {
		if (*s == '%' || *s == '_' || *s == '\\')
			buf_str(&b, "\\");
		buf_put(&b, s, 1);
	}
	buf_str(&b, "%");
	return buf_text(&b);
}
