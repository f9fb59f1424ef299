/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/credits.h"

#include <stdlib.h>
#include <string.h>

#define DIGITS "0123456789"

bool
credits_read(const char *s, int64_t *to)
{
	bool minus = *s == '-';
	int64_t unit = MICRO;
	size_t whole, more = 0;

	s += minus;
	whole = strspn(s, DIGITS);
	if (s[whole] == '.')
		more = 1 + strspn(s + whole + 1, DIGITS);
	if (whole == 0 || whole > 9 || more == 1 || more > 7 || s[whole + more] != '\0')
		return false;
	*to = strtoll(s, NULL, 10) * unit;
	for (size_t i = 1; i < more; i++)
		*to += (s[whole + i] - '0') * (unit /= 10);
	if (minus)
		*to = -*to;
	return true;
}

const char *
credits_text(struct arena *mem, int64_t micro)
{
	uint64_t n = micro < 0 ? -(uint64_t)micro : (uint64_t)micro;
	char *s = arena_printf(mem, "%s%llu.%06llu", micro < 0 ? "-" : "",
	    (unsigned long long)(n / (uint64_t)MICRO),
	    (unsigned long long)(n % (uint64_t)MICRO));
	size_t len = strlen(s);

	while (s[len - 1] == '0')
		s[--len] = '\0';
	if (s[len - 1] == '.')
		s[len - 1] = '\0';
	return s;
}

int64_t
credits_round(int64_t n, int64_t unit)
{
	int64_t rest = n % unit;

	n /= unit;
	if (rest < 0)
		return n - (-rest >= unit + rest);
	return n + (rest >= unit - rest);
}
