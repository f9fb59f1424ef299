/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef SPEECH_MODEL_LIBRARY_H
#define SPEECH_MODEL_LIBRARY_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "speech/model_message.h"

/*
 * Libraries with models, for the process that loads one (model_server.h).  No other
 * program may call these functions.
 */
struct model_want {
	const char *library, *model;
	int threads;
};

/* More of an utterance; false: no more is wanted. */
typedef bool model_sink(void *, const float *, size_t n, int rate_hz);

/* The end of a phrase, as MODEL_END has it. */
struct model_end {
	const char *lang; /* a code, or "auto" */
	const char
	    *candidates;    /* codes with blanks between them, with "auto"; "": any */
	const char *prompt; /* what may have been said before; "": nothing */
};

/* A library.  A failure ends the process by model_fault(). */
struct model_library {
	const char *name;
	void (*recognize)(
	    struct arena *, const struct model_want *); /* load; NULL: not supported */
	/* More of the phrase, -1 to 1, 16 kHz.  The text so far; NULL: it is not known.
	 */
	const char *(*feed)(const float *, size_t n);
	/* End the phrase and return its text.  The result is zero but for lang. */
	const char *(*finish)(
	    struct arena *, const struct model_end *, struct model_final *);
	void (*drop)(void);
	void (*speak)(
	    struct arena *, const struct model_want *); /* load; NULL: not supported */
	void (*say)(const char *text, float rate, int speaker, model_sink *, void *);
};

extern const struct model_library model_sherpa, model_whisper;

/*
 * From now on standard error goes to a file in memory, so that the engine receives the
 * reason of a library's failure, even if that ends the process.
 */
void model_watch_errors(void);
/* Send the reason, with the contents of standard error, and end. */
_Noreturn void model_fault(const char *, ...) __attribute__((format(printf, 1, 2)));

/* A function of a library, and where its address goes. */
struct model_symbol {
	const char *name;
	void *to; /* a pointer to a function */
};

/* Load the library and find its functions, up to one without a name. */
void model_load(const char *library, const struct model_symbol *);
/* Fail unless the version, "1.13.8", is one of a list: "1.12. 1.13.". */
void model_check_version(const char *version, const char *known);
/*
 * A file of the model's folder whose name fits one of the patterns, the first that any
 * fits; NULL: there is none.
 */
const char *model_file(
    struct arena *, const struct model_want *, const char *const *patterns);

#endif
