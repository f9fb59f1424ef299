/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef SPEECH_CLAUSE_H
#define SPEECH_CLAUSE_H

/*
 * Where to cut text for an engine that returns a sentence as a whole, so that the first
 * clause is heard while the next ones are made: behind a comma, semicolon, colon or
 * dash.  The mark stays with its clause, because voices end a clause by it with another
 * melody than a sentence.  Text is cut nowhere else: a voice would pause there, too.
 * The engines themselves cut at the ends of sentences.
 */
#define CLAUSE_LEAST 20 /* code points of either part */

/* The end of the first clause; the end of the text if it is not cut. */
const char *clause_end(const char *);

#endif
