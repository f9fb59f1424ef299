/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef SPEECH_ASR_REMOTE_H
#define SPEECH_ASR_REMOTE_H

#include "speech/asr.h"
#include "speech/engine_call.h"

/*
 * A recognizer behind HTTP: the sound of a phrase is sent as a WAV file; private to
 * this folder.  The functions are those of the ops table.
 *
 * A thread requests partial texts, one at a time, so neither the sound nor the final
 * text waits for them. A request that is under way when the phrase ends is abandoned,
 * unless it contains all the speech: then its text becomes the final one.
 */
struct asr_partial;

struct asr {
	struct arena *mem;
	const struct engine_at *at;
	/* value of asr_result.lang, unless the engine detects the language */
	const char *lang;
	bool detect;        /* the engine must detect the language */
	struct list among;  /* the candidates, whose spelling is used */
	const char *prompt; /* prompt of the engine; NULL: none */
	int16_t *s;         /* the phrase, room for ASR_PHRASE_MAX_S */
	size_t n;
	/* The end of the last final text, in whole words; "": none. */
	char before[ASR_BEFORE_BYTES];
	/* request of this phrase or an earlier one, or NULL */
	struct asr_partial *partial;
	struct arena *said_mem; /* arena of said */
	struct asr_result said; /* the last partial result */
	size_t said_n;  /* samples that the result covers; 0: there is no result */
	size_t asked_n; /* samples of the last request */
	/* Returns the code of a language's name at the engine; NULL: the engine uses
	   codes. */
	const char *(*code_of)(const char *name);
	/* Send the phrase; its text and lang may lie in the arena of the call. */
	enum err (*ask)(
	    const struct asr *, const struct engine_call *, struct asr_result *);
};

#define ASR_ANSWER_BYTES (1 << 20)

enum err asr_remote_open(const struct asr_engine *, const struct engine_at *,
    /* open(); the caller sets ask */
    const struct asr_want *, struct asr **) MUST_CHECK;
enum err asr_remote_feed(struct asr *, const int16_t *, size_t n) MUST_CHECK;
enum err asr_remote_partial(
    struct asr *, struct arena *, struct asr_result *) MUST_CHECK;
enum err asr_remote_finish(
    struct asr *, struct arena *, struct asr_result *) MUST_CHECK;
void asr_remote_drop(struct asr *);
void asr_remote_close(struct asr *);

struct http_part asr_remote_wav(const struct asr *, struct arena *);
/*
 * Read text and language from the members `text` and `language` of an answer; path is
 * for the log. ERR_REFUSED: it has no text.
 */
enum err asr_remote_read(const struct asr *, const struct engine_call *,
    const char *path, const struct http_answer *, struct asr_result *) MUST_CHECK;

#endif
