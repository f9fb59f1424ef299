#ifndef SPEECH_ASR_REMOTE_H
#define SPEECH_ASR_REMOTE_H

#include "speech/asr.h"
#include "speech/engine_call.h"

/*
 * A recogniser behind HTTP, which is sent the sound of a phrase as a WAV file;
 * private to this folder.  The functions are those of the ops table.
 *
 * Partial texts are asked for by a thread of their own, one at a time, so neither the
 * sound nor the final text waits for them.  One that is under way when the phrase ends
 * is abandoned; where it has all of the speech it becomes the final one.
 */
#define ASR_BEFORE_BYTES 400

struct asr_partial;

struct asr {
	struct arena *mem;
	const struct engine_at *at;
	const char *lang;   /* heard.lang, unless the engine tells */
	bool detect;        /* it is to tell */
	struct list among;  /* the candidates: how codes are to be spelt */
	const char *prompt; /* of the engine; NULL: none */
	int16_t *s;         /* the phrase, room for ASR_PHRASE_MAX_S */
	size_t n;
	/* The end of the last final text, whole words; "": none. */
	char before[ASR_BEFORE_BYTES];
	struct asr_partial *partial; /* of this phrase or an earlier one, or NULL */
	struct arena *said_mem;      /* of said */
	struct heard said;           /* what the last partial result said */
	size_t said_n;               /* samples that it has; 0: there is none */
	size_t asked_n;              /* samples of the last that was asked for */
	/* What the engine calls a language -> its code; NULL: they are codes. */
	const char *(*code_of)(const char *told);
	/* Send the phrase; text and lang may lie in the arena of the call. */
	enum err (*ask)(const struct asr *, const struct engine_call *, struct heard *);
};

#define ASR_ANSWER_BYTES (1 << 20)

enum err asr_remote_open(const struct asr_engine *, const struct engine_at *,
    const struct asr_want *, struct asr **) MUST_CHECK; /* ask is the caller's to set */
enum err asr_remote_feed(struct asr *, const int16_t *, size_t n) MUST_CHECK;
enum err asr_remote_partial(struct asr *, struct arena *, struct heard *) MUST_CHECK;
enum err asr_remote_finish(struct asr *, struct arena *, struct heard *) MUST_CHECK;
void asr_remote_drop(struct asr *);
void asr_remote_close(struct asr *);

struct http_part asr_remote_wav(const struct asr *, struct arena *);
/*
 * Text and language of an answer with `text` and `language`; path is for the log.
 * ERR_REFUSED: it has no text.
 */
enum err asr_remote_read(const struct asr *, const struct engine_call *,
    const char *path, const struct http_answer *, struct heard *) MUST_CHECK;

#endif
