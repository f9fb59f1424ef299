/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PIPELINE_GLOSSARY_H
#define PIPELINE_GLOSSARY_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "speech/mt.h"

/*
 * The glossaries of a task.  An index is built once from the glossaries' rows; then any
 * number of threads may read it.  Each of the three steps gets the text of the previous
 * step:
 *
 *	ASR text -> glossary_hotwords() -> glossary_correct() -> source text
 *	source text -> glossary_terms() -> translation
 *
 * Folded means in lower case and without accents.  Codes are in lower case; `lang`
 * is the language of the segment, never "auto".  In zh, yue, ja and th any part of a
 * text counts as a word.
 */
#define GLOSSARY_ENTRIES 10000 /* the most entries of a task */

enum glossary_type { GLOSSARY_HOTWORD, GLOSSARY_CORRECTION, GLOSSARY_TRANSLATION };

struct glossary_term {
	enum glossary_type type; /* type of the row: asr_hot, asr, translation */
	const char *glossary;    /* its id */
	const char *source;      /* code or "auto" */
	const char *target;      /* code; translation only */
	const char *a, *b;       /* the columns of the row; asr_hot has no b */
	bool phrase;             /* translation: struct mt_term */
	/* column a matches only as it is written: "US", not "us" */
	bool match_case;
};

/* The glossaries that a step may use. */
struct glossary_allow {
	bool off;               /* use none */
	const char *const *ids; /* ids of the usable glossaries; nids 0: all */
	size_t nids;
};

struct glossary_target {
	const char *lang;
	struct glossary_allow allow;
};

/* The glossary settings of a task. */
struct glossary_task {
	const char *source; /* code or "auto" */
	struct glossary_allow hotwords, corrections;
	const struct glossary_target *targets;
	size_t ntargets;
};

struct glossary_index;

/*
 * Rows in the order of their glossaries, oldest first, then in the order of the files.
 * Rows that no step of the task uses are left out.  Everything is copied into the
 * arena.  *truncated: more than GLOSSARY_ENTRIES rows were usable.
 */
struct glossary_index *glossary_index_new(struct arena *, const struct glossary_task *,
    const struct glossary_term *, size_t n, bool *truncated);

/*
 * Returns the hotwords, in order, as hints for the ASR engine: a list of const char *.
 * With lang "auto": the hotwords of the candidates (codes), or of every language if
 * there are no candidates.
 */
struct list glossary_hints(const struct glossary_index *, struct arena *,
    const char *lang, const struct list *candidates);

/*
 * Step 1, for any engine: 1 to 4 successive words whose letters match a term are
 * replaced by the term. One letter may be wrong in a term of 5 letters or more, two in
 * a term of 10 or more; the first letter must match. The longest match wins, then the
 * leftmost, then the first term. If a part of the words matches the term better than
 * all of them, they do not match: "kubernetes is" does not become "Kubernetes".
 */
const char *glossary_hotwords(
    const struct glossary_index *, struct arena *, const char *lang, const char *text);

/*
 * Step 2: words whose folded form equals column a are replaced by column b. The longest
 * match wins, then the leftmost.
 */
const char *glossary_correct(
    const struct glossary_index *, struct arena *, const char *lang, const char *text);

/*
 * Step 3: returns the terms in a text for translation into one target of the task, for
 * struct mt_text. The longest match wins, then the leftmost. mt_translate() capitalizes
 * a term where needed.
 */
const struct mt_term *glossary_terms(const struct glossary_index *, struct arena *,
    const char *lang, const char *target, const char *text, size_t *n);

#endif
