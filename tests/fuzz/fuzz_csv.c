/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The first byte is the number of columns that the rest should have. An accepted file
 * has the reported number of rows, each with that number of terms.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "service/terms.h"

int LLVMFuzzerTestOneInput(const uint8_t *, size_t);

static int
count(const char *s, char c)
{
	int n = 0;

	for (; *s != '\0'; s++)
		n += *s == c;
	return n;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	struct terms first;
	struct arena *mem;
	struct terms_form form;
	int ends, least;

	if (n == 0)
		return 0;
	mem = arena_new();
	form = (struct terms_form){ data[0] % 2 + 1u, (data[0] & 2) != 0 };
	terms_read(mem, (const char *)data + 1, n - 1, &form, &first);
	if ((first.rows == 0) != (first.faults[0] != '\0') ||
	    count(first.faults, '\n') > TERM_FAULTS)
		abort();
	/* a third column may say whether the terms' case matters */
	ends = count(first.terms, TERM_END[0]);
	least = (int)(form.columns - 1) * (int)first.rows;
	if (first.rows > 0 && (count(first.terms, TERMS_END[0]) != first.rows ||
				  ends < least || ends > 2 * least))
		abort();
	arena_free(mem);
	return 0;
}
