/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * usage: adequacy [-v]
 *
 * Measures Apertium's Spanish translations of conference texts by the lists of
 * adequacy.h. It counts the sentences that are good, understandable, or neither, and
 * the glossary terms that are lost, get a "de" that the English does not have, or get
 * an article of the wrong gender. -v also prints each translation. Needs
 * apertium-eng-spa.
 */
#include "adequacy.h"

int
main(int argc, char **argv)
{
	struct arena *mem = arena_new();
	struct adequacy_counts c = { 0 };
	bool verbose = argc > 1 && strcmp(argv[1], "-v") == 0;

	judge_sentences(mem, &c, verbose);
	judge_terms(mem, &c, verbose);
	printf("sentences: %zu, good %d, understandable %d, others %d\n",
	    ADEQUACY_SENTENCES, c.good, c.understood,
	    (int)ADEQUACY_SENTENCES - c.good - c.understood);
	printf("a small \"i\": %d, no \"¿\": %d\n", c.small_i, c.uninverted);
	printf("terms: %zu, lost %d, stray \"de\" %d, wrong article %d\n",
	    ADEQUACY_TERMS, c.lost, c.stray, c.article);
	arena_free(mem);
	return 0;
}
