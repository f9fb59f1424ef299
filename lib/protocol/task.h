/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PROTOCOL_TASK_H
#define PROTOCOL_TASK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/field.h"
#include "base/json.h"
#include "base/lang.h"
#include "protocol/validation_error.h"

/*
 * A task: the data of a set_task with all defaults, and the JSON tree as sent, to write
 * it again.
 */
enum task_source { TASK_WS, TASK_WEBRTC };
enum task_in { TASK_PCM, TASK_OPUS, TASK_WAV };
enum task_out { TASK_OUT_PCM, TASK_OUT_ZLIB };

/* Optional ("starred") message types; a set is an unsigned of 1u << each. */
enum task_output {
	OUTPUT_PARTIAL,
	OUTPUT_VALIDATED,
	OUTPUT_PARTIAL_TRANSLATED,
	OUTPUT_TRANSLATED,
	OUTPUT_TIMINGS,
	OUTPUT_BUFFER_STATS,
	OUTPUT_TTS_TEXT,
	OUTPUT_STARRED /* count */
};

/* Glossary ids: uuids in lower case.  An empty list: all of the account. */
struct task_glossaries {
	bool allowed;
	struct list ids;
};

struct task_queue {
	int64_t desired_ms, max_ms; /* queued speech */
	bool auto_tempo;
	double min_tempo, max_tempo; /* 0.5 to 2; 1: normal speed */
};

struct task_voice {
	const char *id; /* "default_low", or the id as sent; not checked */
	const char *model;
	bool cloning, timbre;
	struct list high, low; /* const char *, voice ids; never empty */
};

struct task_target {
	struct language_code language; /* .said for messages, .code for engines */
	struct list sources;           /* const char *, folded; empty: all */
	bool partials;
	bool speech; /* false if task.text_only */
	const char *model;
	struct task_glossaries glossaries;
	struct task_voice voice;
	struct task_queue queue;
};

/* Values needed only to read and write the tree. */
struct task_form {
	/* indexes of the names in the tree */
	int content_type, source_type, target_type;
	int64_t target_rate, target_channels;
	struct task_queue global;
	/* these members were sent at the top level, not in the pipeline */
	bool queues_on_top, types_on_top;
};

#define TASK_TARGETS 10

struct task {
	int source;                    /* enum task_source */
	int in;                        /* enum task_in; if TASK_WS */
	int64_t sample_rate, channels; /* rate 0: unknown, and not PCM */
	bool text_only;
	int out; /* enum task_out */

	struct language_code language; /* code "auto": to be detected */
	struct list detectable; /* const char *, known to the engines; empty: all */
	const char *asr_model;
	double silence_s; /* silence that ends a segment */
	/* the splitter is active if set and not only_silence */
	bool splitter, only_silence;
	int64_t splitter_characters;
	double splitter_s;
	struct task_glossaries hotwords, verification;
	bool vad;
	double vad_threshold;

	struct task_target *targets;
	size_t n_targets;
	unsigned unserved; /* 1u << each target without an engine */
	/* const char *: channel targets as sent, without an engine */
	struct list left_out;
	struct list blocked; /* const char *: words of a channel that are masked */
	unsigned starred;    /* 1u << enum task_output */

	const struct json *tree; /* the task as sent */
	struct task_form form;
};

/* Capabilities of the engines; queried with exact codes and with bases. */
struct task_engines {
	void *arg;
	bool (*knows)(void *arg, const char *source);
	bool (*pairs)(void *arg, const char *source, const char *target);
	bool webrtc; /* a media server is configured */
};

#define TASK_BYTES (248 * 1024) /* largest task, with all defaults */

/*
 * Read the data of a set_task.  False: the validation errors say why, and the task is
 * unusable.  The task lives in mem and does not reference the tree.  Temporary data is
 * also allocated in mem.
 */
bool task_read(struct arena *mem, const struct json *tree, const struct task_engines *,
    struct task *, struct validation_errors *) MUST_CHECK;
/*
 * As task_read(), for a channel. Only input_stream is read from the tree; `pipeline`
 * (section 6, with its languages) comes from the channel. Targets without an engine are
 * removed from the task. With "auto" a target needs a pair with at least one language
 * that can be recognized. If no target is left, the task is refused; left_out then
 * contains all targets if there is no other error.
 */
bool task_read_channel(struct arena *mem, const struct json *tree,
    const struct json *pipeline, const struct task_engines *, struct task *,
    struct validation_errors *) MUST_CHECK;

/*
 * Write the members of an object: the tree; if hidden, also the defaults of members
 * that were not sent.
 */
void task_write(struct json_writer *, const struct task *, bool hidden);
/* A sentence that names the targets left out; NULL: none. */
const char *task_left_out(struct arena *, const struct task *);
/* The part for listeners: "languages":["es","fr"]. */
void task_write_languages(struct json_writer *, const struct task *);

/* True if the task sends this message type. */
bool task_sends(const struct task *, enum task_output);
/* The type name of such a message. */
const char *task_output_name(enum task_output);
/*
 * Returns the target with this code, else the first with the same base; NULL: none. The
 * code need not be folded.
 */
const struct task_target *task_target(
    struct arena *, const struct task *, const char *code);
/* True if a segment in this language (folded) is translated to the target. */
bool task_translates(
    const struct task *, const struct task_target *, const char *source);

#endif
