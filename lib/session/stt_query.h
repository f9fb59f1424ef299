#ifndef SESSION_STT_QUERY_H
#define SESSION_STT_QUERY_H

#include "audio/audio_decoder.h"
#include "protocol/output.h"
#include "protocol/task.h"
#include "server/gateway.h"

/*
 * Speech to text, for who sends nothing but sound.  What he wants is said in the
 * query and becomes a task, so all that hears and translates is a pipeline like any
 * other (pipeline.h).
 */

/* The query, as it was sent. */
struct stt_in {
	const char *language, *format;
	const char *targets; /* comma-separated */
	const char *filter;  /* of hesitation words */
	int64_t sample_rate; /* NULL_INT: not said */
};

struct stt_params {
	struct audio_format sound;
	const char *file; /* of stream_decoder.h; NULL: it is audio_decoder.h that reads
			     the sound */
	bool unfilled;
	const char *language; /* as it was sent */
	const char *task;     /* as JSON for task_read() */
};

/*
 * What he wants, all of it in the arena.  Whether it can be had; if not, the faults
 * name the parameters.
 */
bool stt_query_read(struct arena *, struct registry *, const struct stt_in *,
    struct stt_params *, struct fault **) MUST_CHECK;
/* The task of what can be had; false: not any more. */
bool stt_query_task(struct arena *, struct registry *, const char *json, struct task *,
    struct validation_errors *) MUST_CHECK;

#endif
