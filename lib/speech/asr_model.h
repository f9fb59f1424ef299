#ifndef SPEECH_ASR_MODEL_H
#define SPEECH_ASR_MODEL_H

#include "speech/asr.h"
#include "speech/model_process.h"

/*
 * A recognizer whose model is in another process; private to this folder.  The phrase
 * is kept here: it is sent as it is said if a process is free, else at its end.
 */
struct asr {
	struct arena *mem;
	const struct engine_at *at;
	const char *lang;  /* heard.lang, unless the process tells */
	const char *asked; /* the code that the process is told */
	struct list among; /* of const char *, with asked "auto": how codes are spelt */
	bool early;        /* a process has the phrase from its beginning */
	int16_t *s;        /* room for ASR_PHRASE_MAX_S */
	size_t n, sent;
	struct model_process *process; /* NULL: none has the phrase */
	enum err lost;                 /* how its process failed */
	struct arena *text_mem;        /* of text */
	const char *text;              /* of the phrase so far */
};

enum err asr_model_open(const struct asr_engine *, const struct engine_at *,
    const struct asr_want *, bool early, struct asr **) MUST_CHECK;
enum err asr_model_feed(struct asr *, const int16_t *, size_t n) MUST_CHECK;
enum err asr_model_partial(struct asr *, struct arena *, struct heard *) MUST_CHECK;
enum err asr_model_finish(struct asr *, struct arena *, struct heard *) MUST_CHECK;
void asr_model_drop(struct asr *);
void asr_model_close(struct asr *);

#endif
