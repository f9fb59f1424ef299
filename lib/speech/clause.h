/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef SPEECH_CLAUSE_H
#define SPEECH_CLAUSE_H

/*
 * Cuts text for an engine that returns a sentence as a whole, so that the first clause
 * is heard while later clauses are synthesized. Text is cut after a comma, semicolon,
 * colon or dash.  The mark stays with its clause, because voices end a clause by it
 * with another melody than a sentence.  Text is cut nowhere else: a voice would pause
 * there, too. The engines themselves cut at the ends of sentences.
 */
#define CLAUSE_LEAST 20 /* least number of code points of either part */

/* Returns the end of the first clause; the end of the text if it is not cut. */
const char *clause_end(const char *);

#endif
