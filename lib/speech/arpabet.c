/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "speech/arpabet.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "base/buf.h"

#define STRESS "',%="
#define BLANKS " \n\r\t"

/* clang-format off */
static const struct {
	const char *mnemonic, *phones;
} table[] = {
	/* vowels */
	{ "a", "AE" }, { "aa", "AE" }, { "a#", "AH" }, { "A:", "AA" }, { "A", "AA" }, { "A@", "AA R" },
	{ "0", "AA" }, { "O:", "AO" }, { "O", "AO" }, { "O2", "AO" }, { "O@", "AO R" }, { "o@", "AO R" },
	{ "oU", "OW" }, { "E", "EH" }, { "E2", "EH" }, { "eI", "EY" }, { "e@", "EH R" },
	{ "I", "IH" }, { "I2", "IH" }, { "I#", "IH" }, { "i", "IY" }, { "i:", "IY" },
	{ "i@", "IY AH" }, { "i@3", "IH R" }, { "u:", "UW" }, { "u", "UW" }, { "U", "UH" }, { "U@", "UH R" },
	{ "V", "AH" }, { "@", "AH" }, { "@2", "AH" }, { "@5", "AH" }, { "@L", "AH L" }, { "@-", "" },
	{ "3", "ER" }, { "3:", "ER" }, { "aI", "AY" }, { "aI@", "AY AH" }, { "aI3", "AY ER" },
	{ "aU", "AW" }, { "OI", "OY" }, { "A~", "AA N" }, { "O~", "AO N" },
	/* consonants */
	{ "b", "B" }, { "d", "D" }, { "D", "DH" }, { "dZ", "JH" }, { "f", "F" }, { "g", "G" }, { "h", "HH" },
	{ "j", "Y" }, { "k", "K" }, { "l", "L" }, { "m", "M" }, { "n", "N" }, { "n-", "AH N" }, { "N", "NG" },
	{ "p", "P" }, { "r", "R" }, { "r-", "" }, { "s", "S" }, { "S", "SH" }, { "t", "T" }, { "t#", "T" },
	{ "t2", "T" }, { "tS", "CH" }, { "T", "TH" }, { "v", "V" }, { "w", "W" }, { "x", "K" },
	{ "z", "Z" }, { "Z", "ZH" }, { "?", "T" }, /* only before n-: "written" */
	/* a pause */
	{ "_", "" }, { "_:", "" }, { "", "" },
};
/* clang-format on */

/* Returns the phones of a mnemonic; NULL: it is unknown. */
static const char *
find(const char *s, size_t n)
{
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++)
		if (strlen(table[i].mnemonic) == n &&
		    memcmp(table[i].mnemonic, s, n) == 0)
			return table[i].phones;
	return NULL;
}

static bool
ends_in_r(const struct buf *b)
{
	return b->len > 0 && b->p[b->len - 1] == 'R';
}

/* eSpeak writes the second vowel of "radio" as "I2 ;". */
static void
make_long(struct buf *b)
{
	if (b->len > 1 && memcmp(b->p + b->len - 2, "IH", 2) == 0)
		memcpy(b->p + b->len - 2, "IY", 2);
}

const char *
arpabet_phones(struct arena *mem, const char *s)
{
	struct buf b = { .mem = mem };

	for (size_t n; *(s += strspn(s, BLANKS STRESS)) != '\0'; s += n) {
		const char *phones = find(s, n = strcspn(s, BLANKS STRESS));

		if (n == 1 && *s == ';') {
			make_long(&b);
			continue;
		}
		if (phones == NULL)
			return NULL;
		/* "3 r" and "o@ r" have one R */
		if (*phones == '\0' || (strcmp(phones, "R") == 0 && ends_in_r(&b)))
			continue;
		buf_printf(&b, "%s%s", b.len > 0 ? " " : "", phones);
	}
	return b.len > 0 ? buf_text(&b) : NULL;
}
