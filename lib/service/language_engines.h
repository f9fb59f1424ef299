/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef SERVICE_LANGUAGE_ENGINES_H
#define SERVICE_LANGUAGE_ENGINES_H

#include "base/conf.h"
#include "speech/registry.h"

/*
 * The engine that serves each language and pair, its measured quality, and the model of
 * the catalogue that would serve it better.
 */
struct language_engine {
	const char *language; /* recognized, spoken, or translated from */
	const char *target;   /* target of a translation; else NULL */
	const char *engine;   /* the id of the engine that is asked first; NULL: none */
	const char *kind;     /* kind of that engine; NULL: no engine */
	const char *model;    /* model of a server, from its section; or NULL */
	const char *via;      /* language in between of a translation, or NULL */
	const char *quality;  /* good, fair, poor; NULL: it was not measured */
	const char *measure;  /* words_wrong, or a set of sentences; or NULL */
	double measured;      /* percent of words; NAN: it was not measured */
	const char *better;   /* a name in the catalogue of models, or NULL */
	/* megabytes, with the models that it needs; NULL_INT: there is no model */
	int64_t better_mb;
	/* spoken language: a built-in voice whose sample this engine speaks; NULL: none
	 */
	const char *voice_id;
};

struct language_engines { /* lists of struct language_engine */
	struct list recognition, translation, speech;
};

/*
 * Lists all languages that are served, then the languages that a model of the catalogue
 * would add. A regional code is left out if the same engine serves its base.  Lives in
 * the arena; ids are those of the languages.  Without a catalogue, which is logged, no
 * better model is named.
 */
struct language_engines language_engines(
    struct arena *, const struct conf *, struct registry *, const struct languages *);

#endif
