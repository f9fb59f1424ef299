/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "speech/clause.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"

/* First code point of Chinese and Japanese characters, which say more than a letter. */
#define WIDE_FROM 0x2e80
#define WIDE_WORTH 4

/*
 * True for a mark that ends a clause. *alone: the mark needs no blank after it, unlike
 * those in "1,000" and "10:30".
 */
static bool
is_mark(uint32_t c, bool *alone)
{
	static const uint32_t marks[] = { ',', ';', ':', 0x2013 /* – */, 0x2014 /* — */,
		0x060c /* ، */, 0x061b /* ؛ */ };
	static const uint32_t wide[] = { 0x3001 /* 、 */, 0xff0c /* ， */,
		0xff1b /* ； */, 0xff1a /* ： */ };

	*alone = false;
	for (size_t i = 0; i < sizeof(marks) / sizeof(marks[0]); i++)
		if (marks[i] == c)
			return true;
	for (size_t i = 0; i < sizeof(wide) / sizeof(wide[0]); i++)
		*alone |= wide[i] == c;
	return *alone;
}

/* True if this much text, or more, follows. */
static bool
is_long(const char *s, int n)
{
	for (uint32_t c; n > 0 && *s != '\0'; n -= c >= WIDE_FROM ? WIDE_WORTH : 1)
		s = text_next(s, &c);
	return n <= 0;
}

const char *
clause_end(const char *s)
{
	bool alone;
	int n = 0;

	for (uint32_t c; *s != '\0';) {
		s = text_next(s, &c);
		n += c >= WIDE_FROM ? WIDE_WORTH : 1;
		if (n >= CLAUSE_LEAST && is_mark(c, &alone) && (alone || *s == ' ') &&
		    is_long(s, CLAUSE_LEAST))
			return s;
	}
	return s;
}
