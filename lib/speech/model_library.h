/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef SPEECH_MODEL_LIBRARY_H
#define SPEECH_MODEL_LIBRARY_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "speech/model_message.h"

/*
 * Libraries with models. Only the process that loads a model may call these functions
 * (model_server.h).
 */
struct model_want {
	const char *library, *model;
	int threads;
};

/* Receives a part of an utterance; false: no more is wanted. */
typedef bool model_sink(void *, const float *, size_t n, int rate_hz);

/* The end of a phrase, with the members of MODEL_END. */
struct model_end {
	const char *lang;       /* a code, or "auto" */
	const char *candidates; /* with "auto": codes separated by blanks; "": any */
	const char *prompt;     /* context: text likely said before; "": none */
};

/* The functions of a library. A failure ends the process by model_fault(). */
struct model_library {
	const char *name;
	void (*recognize)(
	    struct arena *, const struct model_want *); /* load; NULL: not supported */
	/*
	 * Begin a phrase with likely terms, separated by ", ", that hold until its end;
	 * NULL: not supported.
	 */
	void (*hint)(const char *terms);
	/*
	 * Feed more of the phrase, samples from -1 to 1 at 16 kHz. Returns the text so
	 * far; NULL: unknown.
	 */
	const char *(*feed)(const float *, size_t n);
	/*
	 * Instead of feed and finish: feed more samples, or end the phrase, and write
	 * the body of MODEL_HEARD.
	 */
	void (*hear)(struct buf *, const int16_t *, size_t n);
	void (*end)(struct buf *);
	void (*follow)(const void *, size_t n); /* the body of MODEL_MEAN */
	/* Learn the body of MODEL_WORDS, which is overwritten; false: none of them. */
	bool (*learn)(struct arena *, char *words);
	/* End the phrase and return its text. On entry the result is zero except for
	   lang. */
	const char *(*finish)(
	    struct arena *, const struct model_end *, struct model_final *);
	void (*drop)(void);
	/* In a forked process, before its first phrase; NULL: it cannot fork. */
	void (*begin)(void);
	void (*speak)(
	    struct arena *, const struct model_want *); /* load; NULL: not supported */
	void (*synthesize)(
	    const char *text, float rate, int speaker, model_sink *, void *);
};

extern const struct model_library model_pocketsphinx, model_sherpa, model_whisper;

/*
 * Redirect standard error to a file in memory, so that the engine receives the reason
 * of a library's failure, even if it ends the process.
 */
void model_watch_errors(void);
/* Send the reason and the stored standard error, and end the process. */
_Noreturn void model_fault(const char *, ...) __attribute__((format(printf, 1, 2)));

/* A function of a library, and the pointer that receives its address. */
struct model_symbol {
	const char *name;
	void *to; /* address of a function pointer */
};

/* Load the library and set the pointers to its functions; the last symbol has no name.
 */
void model_load(const char *library, const struct model_symbol *);
/* True if the version, such as "1.13.8", is one of a list: "1.12. 1.13.". */
bool model_is_version(const char *version, const char *known);
/* Fail unless it is. */
void model_check_version(const char *version, const char *known);
/*
 * Returns a file of the model's folder that matches the first pattern with a match;
 * NULL: none matches.
 */
const char *model_file(
    struct arena *, const struct model_want *, const char *const *patterns);

#endif
