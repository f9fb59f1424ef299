#ifndef SPEECH_ENGINE_H
#define SPEECH_ENGINE_H

#include <stdio.h>

#include "base/conf.h"
#include "speech/asr.h"
#include "speech/clone.h"
#include "speech/mt.h"
#include "speech/tts.h"

/*
 * The kinds of engines: a new one costs its file and a line in the table.  What it can
 * tell its tables of functions; of an ability that it has not the table is NULL.
 */
struct engine_kind {
	const char *name; /* `kind` of a section [engine.ID] */
	const char *help; /* for those who set it: what it does */
	/* Which of conf_engine_keys it reads besides kind and languages, with blanks
	   between. */
	const char *settings;
	bool needs_url;
	int timeout_ms; /* of the section of its own name, which need not be written;
			   0: it needs one */
	const struct asr_engine *asr;
	const struct mt_engine *mt;
	const struct tts_engine *tts;
	const struct clone_engine *clone;
};

extern const struct engine_kind engine_kinds[]; /* up to one without a name */

/* The kind of that name; NULL: there is none. */
const struct engine_kind *engine_find(const char *name);

/*
 * The engine of the section [engine.ID] of n bytes, or of the kind of that name that
 * needs no section; its texts are those of the settings.  False: there is none.
 */
bool engine_section(
    const struct conf *, const char *id, size_t n, struct conf_engine *);
/* Its endpoint, with copies of its texts. */
struct engine_at engine_at_section(
    struct arena *, const struct conf *, const struct conf_engine *);

/* conf_print() and the engines' sections; keys are masked, too. */
void engine_conf_print(const struct conf *, FILE *);
/* conf_print_example() and the sections that need not be written. */
void engine_conf_print_example(FILE *);

#endif
