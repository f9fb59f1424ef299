/*
 * The first byte says how many columns the rest should have.  What is taken of a
 * file is itself a file that is taken, whole and unchanged.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "store/terms.h"

int LLVMFuzzerTestOneInput(const uint8_t *, size_t);

static int
lines(const char *s)
{
	int n = 0;

	for (; *s != '\0'; s++)
		n += *s == '\n';
	return n;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	struct terms first, again;
	struct arena *mem;
	const char *text;
	size_t columns;

	if (n == 0)
		return 0;
	mem = arena_new();
	columns = data[0] % 2 + 1u;
	terms_read(mem, (const char *)data + 1, n - 1, columns, &first);
	if ((first.rows == 0) != (first.faults[0] != '\0') ||
	    lines(first.faults) > TERM_FAULTS)
		abort();
	if (first.rows > 0) {
		/* behind a BOM, since one is dropped and a second is text */
		text = arena_printf(mem, "\xef\xbb\xbf%s", first.csv);
		terms_read(mem, text, strlen(text), columns, &again);
		if (again.rows != first.rows || strcmp(again.csv, first.csv) != 0)
			abort();
	}
	arena_free(mem);
	return 0;
}
