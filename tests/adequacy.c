/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * usage: adequacy [-v]
 *
 * How well conferences come out of Apertium in Spanish, by the lists of adequacy.h: of
 * sentences how many are good, understandable, or else, and of the terms of a glossary
 * how many are lost, have a "de" beside them that the English has not, or the article
 * of another gender. With -v also what came out of each.  Needs apertium-eng-spa.
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
