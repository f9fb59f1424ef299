#ifndef STORE_SERVED_H
#define STORE_SERVED_H

#include "db/db.h"
#include "store/channels.h"

/*
 * What engines make of one spoken language.  The worker channel_retry keeps a row
 * for each language that a channel can be spoken in, and one for "auto", which has
 * what any of them is translated into.  Before it has looked for the first time
 * there are none, and everything passes for served.
 */
struct served {
	const char *source;
	bool heard;            /* an engine recognises it; if not, it has no targets */
	const char *targets;   /* JSON array: what it is translated into */
	const char *text_only; /* JSON array: those of them that no engine speaks */
	const char *settings;  /* hash of the engines' settings, of all rows alike */
};

extern const struct sql served_sql[];

/* All of them, by source: a list of struct served. */
enum err served_list(struct db *, struct arena *, struct list *) MUST_CHECK;
/* These in the place of all, in the caller's transaction. */
enum err served_replace(struct db *, const struct list *) MUST_CHECK;
/* Whether any of the languages is translated into this one: the row of "auto". */
enum err served_reached(
    struct db *, struct arena *, const char *language, bool *) MUST_CHECK;

/*
 * Set unserved and text_only of the channel from its languages and its pipeline.
 * served_judge_by(): from these rows, a list of struct served.
 */
enum err served_judge(struct db *, struct arena *, struct channel *) MUST_CHECK;
void served_judge_by(struct arena *, const struct list *, struct channel *);

/* Nouns: languages. */

/* Whether a list of const char * has this one. */
bool languages_have(const struct list *, const char *language);
/* Whether there is room for it beside them, of at most so many (0: any number). */
bool languages_fit(const struct list *, const char *language, int64_t most);
/* Add those of the second list that the first has not; its items are its own. */
void languages_add(struct arena *, struct list *, const struct list *);

#endif
