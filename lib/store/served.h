/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef STORE_SERVED_H
#define STORE_SERVED_H

#include "db/db.h"
#include "store/channels.h"

/*
 * The languages that engines offer for one source language.  The worker channel_retry
 * writes a row for each source language and one for "auto", which has the targets of
 * all. Before its first run there are no rows, and every language counts as served.
 */
struct served {
	const char *source;
	bool heard;            /* an engine recognises it; else it has no targets */
	const char *targets;   /* JSON array: the languages it is translated into */
	const char *text_only; /* JSON array: the targets that no engine speaks */
	const char *settings;  /* hash of the engines' settings, the same in all rows */
};

extern const struct sql served_sql[];

/* All rows by source, as struct served. */
enum err served_list(struct db *, struct arena *, struct list *) MUST_CHECK;
/* Replace all rows by these, in the caller's transaction. */
enum err served_replace(struct db *, const struct list *) MUST_CHECK;
/*
 * Set the result to true if any language is translated into this one, by the row
 * "auto".
 */
enum err served_reached(
    struct db *, struct arena *, const char *language, bool *) MUST_CHECK;

/* Set unserved and text_only of the channel from its languages and its pipeline.
   served_judge_by() uses these rows, a list of struct served. */
enum err served_judge(struct db *, struct arena *, struct channel *) MUST_CHECK;
void served_judge_by(struct arena *, const struct list *, struct channel *);

/* Nouns: languages. */

/* True if a list of const char * contains this language. */
bool languages_have(const struct list *, const char *language);
/* True if the list contains the language or has fewer than `most` (0: no limit). */
bool languages_fit(const struct list *, const char *language, int64_t most);
/* Add the languages of the second list that the first does not contain; its items are
   copied. */
void languages_add(struct arena *, struct list *, const struct list *);

#endif
