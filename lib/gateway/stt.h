#ifndef GATEWAY_STT_H
#define GATEWAY_STT_H

#include "gateway/gate.h"
#include "stream/say.h"
#include "stream/sound_in.h"
#include "stream/task.h"

/*
 * Speech to text, for who sends nothing but sound.  What he wants is said in the
 * query and becomes a task, so all that hears and translates is a run like any
 * other (run.h).
 */
#define STT_FIN "<fin>" /* ends the text that answers "finalize" */

/* The query, as it was sent. */
struct stt_in {
	const char *language, *format;
	const char *targets; /* comma-separated */
	const char *filter;  /* of hesitation words */
	int64_t sample_rate; /* NULL_INT: not said */
};

struct stt_want {
	struct sound_format sound;
	const char *file; /* of live.h; NULL: it is sound_in.h that reads the sound */
	bool unfilled;
	const char *language; /* as it was sent */
	const char *task;     /* as JSON for task_read() */
};

/*
 * What he wants, all of it in the arena.  Whether it can be had; if not, the faults
 * name the parameters.
 */
bool stt_read(struct arena *, struct registry *, const struct stt_in *,
    struct stt_want *, struct fault **) MUST_CHECK;
/* The task of what can be had; false: not any more. */
bool stt_task(struct arena *, struct registry *, const char *json, struct task *,
    struct flaws *) MUST_CHECK;

/*
 * What was heard as a message: final, with the mark behind it that a finalize asks
 * for; or with what is new since the text that was told last, which went as far as
 * text_us.  Whether the mark was told.
 */
bool stt_say(struct buf *, const struct say_stt *, bool final, const char *text,
    int64_t text_us, bool finalizing);

/* The text without hesitation words, in those languages that are known to have any. */
const char *stt_unfilled(struct arena *, const char *lang, const char *text);

#endif
