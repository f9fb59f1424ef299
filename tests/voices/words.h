#ifndef TESTS_VOICES_WORDS_H
#define TESTS_VOICES_WORDS_H

#include <string.h>
#include <strings.h>

#define WORDS 256 /* of an utterance */

/* The words of a line, which is cut into them; returns how many there are. */
static inline int
split_words(char *line, char *words[WORDS])
{
	int n = 0;

	for (char *w = strtok(line, " \n\r"); w != NULL && n < WORDS;
	     w = strtok(NULL, " \n\r"))
		words[n++] = w;
	return n;
}

/* Levenshtein's distance in words; both lines are cut.  Their number is added. */
static inline int
word_errors(char *said, char *heard, int *words)
{
	char *x[WORDS], *y[WORDS];
	int d[WORDS + 1], n = split_words(said, x), m = split_words(heard, y);

	for (int j = 0; j <= m; j++)
		d[j] = j;
	for (int i = 1; i <= n; i++) {
		int corner = d[0]++;

		for (int j = 1; j <= m; j++) {
			int swap = corner + (strcasecmp(x[i - 1], y[j - 1]) != 0);
			int least = (d[j] < d[j - 1] ? d[j] : d[j - 1]) + 1;

			corner = d[j];
			d[j] = swap < least ? swap : least;
		}
	}
	*words += n;
	return d[m];
}

#endif
