/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TESTS_WORDS_H
#define TESTS_WORDS_H

/* Splits texts into words, and counts wrongly recognized words. */
#include <ctype.h>
#include <string.h>

#define WORDS_MAX 256 /* of a text */

/*
 * Splits a text, which is changed, into lower-case words. Returns their number, at most
 * `most`.
 */
static inline int
words_of(char *text, const char **to, int most)
{
	char *save, *w;
	int n = 0;

	for (char *c = text; *c != '\0'; c++)
		*c = (char)(isalnum((unsigned char)*c) || *c == '\''
				? tolower((unsigned char)*c)
				: ' ');
	for (w = strtok_r(text, " ", &save); w != NULL && n < most;
	     w = strtok_r(NULL, " ", &save))
		to[n++] = w;
	return n;
}

/* Edit distance in words between a and b; row has room for m + 1 numbers. */
static inline int
words_apart(const char **a, int n, const char **b, int m, int *row)
{
	for (int j = 0; j <= m; j++)
		row[j] = j;
	for (int i = 1; i <= n; i++) {
		int corner = row[0];

		row[0] = i;
		for (int j = 1; j <= m; j++) {
			int changed = corner + (strcmp(a[i - 1], b[j - 1]) != 0);
			int other = (row[j] < row[j - 1] ? row[j] : row[j - 1]) + 1;

			corner = row[j];
			row[j] = changed < other ? changed : other;
		}
	}
	return row[m];
}

/*
 * Counts the spoken words that were recognized wrongly; both texts are changed. Adds
 * the number of spoken words.
 */
static inline int
word_errors(char *said, char *heard, int *words)
{
	const char *a[WORDS_MAX], *b[WORDS_MAX];
	int n = words_of(said, a, WORDS_MAX), m = words_of(heard, b, WORDS_MAX);
	int row[WORDS_MAX + 1];

	*words += n;
	return words_apart(a, n, b, m, row);
}

#endif
