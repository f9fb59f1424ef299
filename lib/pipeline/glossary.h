#ifndef PIPELINE_GLOSSARY_H
#define PIPELINE_GLOSSARY_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "speech/mt.h"

/*
 * The glossaries of a task: made once from their rows, then only read, by any
 * number of threads.  Three steps, each of which sees the text of the one before:
 *
 *     recognised --glossary_hotwords--> --glossary_correct--> source text
 * --glossary_terms--> MT
 *
 * Folded means in lower case and without accents.  Codes are in lower case; `lang`
 * is the language that a phrase is in, never "auto".  In zh, yue, ja and th any
 * part of a text counts as a word.
 */
#define GLOSSARY_ENTRIES 10000 /* in a task, at most */

enum glossary_type { GLOSSARY_HOTWORD, GLOSSARY_CORRECTION, GLOSSARY_TRANSLATION };

struct glossary_term {
	enum glossary_type type; /* asr_hot, asr, translation */
	const char *glossary;    /* its id */
	const char *source;      /* code or "auto" */
	const char *target;      /* of a translation */
	const char *a, *b;       /* its columns; one of asr_hot has no b */
};

/* Which glossaries of its type a step may use. */
struct glossary_allow {
	bool off;
	const char *const *ids; /* none: all */
	size_t nids;
};

struct glossary_target {
	const char *lang;
	struct glossary_allow allow;
};

/* What the task wants of them. */
struct glossary_task {
	const char *source; /* code or "auto" */
	struct glossary_allow hot, heard;
	const struct glossary_target *targets;
	size_t ntargets;
};

struct glossary_index;

/*
 * Rows in the order of their glossaries, oldest first, and of their files; those
 * that no step of the task uses are left out.  Everything is copied into the
 * arena.  *truncated: there were more than GLOSSARY_ENTRIES to use.
 */
struct glossary_index *glossary_index_new(struct arena *, const struct glossary_task *,
    const struct glossary_term *, size_t n, bool *truncated);

/*
 * The terms of step 1, as hints for the engine that hears a stream, in order; a list
 * of const char *.  lang may be "auto": then those of the candidates, codes as well,
 * or of every language if there are none.
 */
struct list glossary_hints(const struct glossary_index *, struct arena *,
    const char *lang, const struct list *candidates);

/*
 * Step 1, whatever the engine: a pipeline of 1 to 4 words whose messages are those of a
 * term, but for 1 (of 5 messages or more) or 2 (of 10 or more) that are wrong, yet
 * not the first, becomes the term as written.  The longest run wins, then the
 * leftmost, then the first term; but a pipeline of which a part fits better is none, so
 * that "kubernetes is" does not become "Kubernetes".
 */
const char *glossary_hotwords(
    const struct glossary_index *, struct arena *, const char *lang, const char *text);

/* Step 2: words equal to `heard`, folded, become `written`; longest, then leftmost. */
const char *glossary_correct(
    const struct glossary_index *, struct arena *, const char *lang, const char *text);

/*
 * Step 3: the terms in a text that is to be translated into this target of the
 * task, for struct mt_text; longest, then leftmost.  The capital that a term may
 * need is given to it by mt_translate(), which knows where it ends up.
 */
const struct mt_term *glossary_terms(const struct glossary_index *, struct arena *,
    const char *lang, const char *target, const char *text, size_t *n);

#endif
