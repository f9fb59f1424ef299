#ifndef PROTOCOL_TASK_H
#define PROTOCOL_TASK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/field.h"
#include "base/json.h"
#include "protocol/language_code.h"
#include "protocol/validation_error.h"

/*
 * A task: what a client's set_task asks for, with every default in its place,
 * and the tree as it was sent, to tell it again.
 */
enum task_source { TASK_WS, TASK_WEBRTC };
enum task_in { TASK_PCM, TASK_OPUS, TASK_WAV };
enum task_out { TASK_OUT_PCM, TASK_OUT_ZLIB };

/* Starred messages; a set of them is an unsigned with 1u << each. */
enum task_output {
	OUTPUT_PARTIAL,
	OUTPUT_VALIDATED,
	OUTPUT_PARTIAL_TRANSLATED,
	OUTPUT_TRANSLATED,
	OUTPUT_TIMINGS,
	OUTPUT_BUFFER_STATS,
	OUTPUT_TTS_TEXT,
	OUTPUT_STARRED /* how many */
};

/* Lists of glossaries hold uuids in lower case; none: all of the account's. */
struct task_glossaries {
	bool allowed;
	struct list ids;
};

struct task_queue {
	int64_t desired_ms, max_ms;
	bool auto_tempo;
	double min_tempo, max_tempo;
};

struct task_voice {
	const char *id; /* "default_low" or what was sent; not looked up */
	const char *model;
	bool cloning, timbre;
	struct list high, low; /* const char *: ids of voices; never empty */
};

struct task_target {
	struct language_code language; /* .said goes into messages, .code to engines */
	struct list sources;           /* const char *, folded; none: all */
	bool partials;
	bool speech; /* not of a task without output, see task.text_only */
	const char *model;
	struct task_glossaries glossaries;
	struct task_voice voice;
	struct task_queue queue;
};

/* What only reading and writing the tree need. */
struct task_form {
	int content_type, source_type, target_type; /* as they are called there */
	int64_t target_rate, target_channels;
	struct task_queue global;
	bool queues_on_top, types_on_top; /* not in the pipeline */
};

#define TASK_TARGETS 10

struct task {
	int source;                    /* enum task_source */
	int in;                        /* enum task_in; of WS */
	int64_t sample_rate, channels; /* rate 0: not told, and not PCM */
	bool text_only;
	int out; /* enum task_out */

	struct language_code language; /* code "auto": to be detected */
	struct list detectable; /* const char *: what of it engines know; none: all */
	const char *asr_model;
	double silence_s;            /* ends a phrase */
	bool splitter, only_silence; /* it works when it is so and not so */
	int64_t splitter_characters;
	double splitter_s;
	struct task_glossaries hotwords, verification;
	bool vad;
	double vad_threshold;

	struct task_target *targets;
	size_t n_targets;
	unsigned unserved;    /* 1u << each target that no engine serves */
	struct list left_out; /* const char *: targets of a channel, as they were said,
				 that are not among the task's: no engine serves them */
	unsigned starred;     /* 1u << enum task_output */

	const struct json *tree; /* as sent */
	struct task_form form;
};

/* What engines can do; they are asked for exact codes and for bases. */
struct task_engines {
	void *arg;
	bool (*knows)(void *arg, const char *source);
	bool (*pairs)(void *arg, const char *source, const char *target);
	bool webrtc; /* a media server is there */
};

#define TASK_BYTES (248 * 1024) /* of a task when it is told in full */

/*
 * Read the data of a set_task.  Whether it was taken; if not, what is wrong is in
 * the flaws and the task is of no use.  All of the task lives in mem, nothing in
 * the tree, and mem also gets what was only needed for reading.
 */
bool task_read(struct arena *mem, const struct json *tree, const struct task_engines *,
    struct task *, struct validation_errors *) MUST_CHECK;
/*
 * The same for a channel: of the tree only input_stream counts, the rest is the
 * channel's: `pipeline`, as in section 6, with its languages in it.  A target that
 * no engine serves is left out, and what remains is the task; with "auto" a target is
 * served if there is a pair from any language that can be recognised.  When none of
 * the targets is served the task is refused, and left_out has all of them if nothing
 * else is wrong.
 */
bool task_read_channel(struct arena *mem, const struct json *tree,
    const struct json *pipeline, const struct task_engines *, struct task *,
    struct validation_errors *) MUST_CHECK;

/* Members of an object: the tree, with the defaults of what was not sent if hidden. */
void task_write(struct json_writer *, const struct task *, bool hidden);
/* A sentence that names what was left out; NULL: nothing was. */
const char *task_left_out(struct arena *, const struct task *);
/* What listeners may know: "languages":["es","fr"]. */
void task_write_languages(struct json_writer *, const struct task *);

/* Whether this message is to be sent. */
bool task_sends(const struct task *, enum task_output);
/* The name of a starred message. */
const char *task_output_name(enum task_output);
/*
 * The target with the code, or else the first with its base; NULL: none.  The code
 * may be spelled in any way.
 */
const struct task_target *task_target(
    struct arena *, const struct task *, const char *code);
/* Whether a phrase in this language (folded) is translated to the target. */
bool task_takes(const struct task *, const struct task_target *, const char *source);

#endif
