/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The server's messages: a table of the members of each, and a sample written by its
 * function.
 */
#include "protocol/output_types.h"

#include <string.h>

#include "protocol/output.h"

#define ID "1a0e9048dfeed5a3"
#define EPOCH INT64_C(1795170000000000)

/* ---- members ---- */

/* clang-format off */
#define TRANSCRIPTION_ID { "transcription_id", RULE_TEXT, 0, 16, 16, .help = "of the segment; all its messages have it" }
#define NULLABLE_INT(name, text) { name, RULE_INT, .flags = RULE_NULLABLE, .help = text }

static const struct rule word_rules[] = {
	{ "word",  RULE_TEXT, .help = "of the segment" },
	{ "start", RULE_REAL, .help = "seconds since the first chunk" },
	{ "end",   RULE_REAL, .help = "likewise" },
	RULES_END,
};
static const struct rule segment_rules[] = {
	{ "text",            RULE_TEXT, .help = "one segment or more" },
	{ "start",           RULE_REAL, .help = "seconds since the first chunk" },
	{ "end",             RULE_REAL, .help = "likewise" },
	{ "start_timestamp", RULE_REAL, .help = "Unix time in seconds" },
	{ "end_timestamp",   RULE_REAL, .help = "likewise" },
	{ "words", RULE_OWN, .flags = RULE_LIST | RULE_OPTIONAL, .of = word_rules, .help = "of final texts of the source, where the engine tells words" },
	RULES_END,
};

#define PART     { "translation_part_id", RULE_INT, .help = "0, 1, ...: part of a long text" }
#define LANGUAGE { "language", RULE_TEXT, .help = "the language of the text" }
#define TEXT     { "text", RULE_TEXT, .help = "the whole text, no difference to an earlier one" }
#define SEGMENTS { "segments", RULE_OWN, .flags = RULE_LIST, .of = segment_rules, .help = "when it was said" }
#define CORRECTED { "corrected", RULE_BOOL, .flags = RULE_OPTIONAL, .help = "true: it was sent before, with another text" }
#define TRANSCRIPTION(rules, what) static const struct rule what[] = { \
	{ "transcription", RULE_OBJ, .of = rules, .help = "the text" }, RULES_END }

static const struct rule source_text[] = { TRANSCRIPTION_ID, LANGUAGE, TEXT, SEGMENTS, CORRECTED, RULES_END };
static const struct rule target_text[] = { TRANSCRIPTION_ID, PART, LANGUAGE, TEXT, SEGMENTS, CORRECTED, RULES_END };
static const struct rule spoken_text[] = { TRANSCRIPTION_ID, PART, LANGUAGE, TEXT, RULES_END };
TRANSCRIPTION(source_text, source_rules);
TRANSCRIPTION(target_text, target_rules);
TRANSCRIPTION(spoken_text, spoken_rules);

static const char *const opus[] = { "opus", NULL };
static const struct rule audio_rules[] = {
	TRANSCRIPTION_ID,
	{ "translation_part_id", RULE_TEXT, .help = "as a string" },
	{ "language",            RULE_TEXT, .help = "the language of the speech" },
	{ "last_chunk",          RULE_BOOL, .help = "nothing more of this comes" },
	{ "format",              RULE_ENUM, .names = opus, .flags = RULE_OPTIONAL, .help = "to listeners with `format=opus`" },
	{ "data",                RULE_TEXT, .help = "audio in base64: 24 kHz mono, 16 bit little-endian" },
	NULLABLE_INT("chunk_generation_delta", "ms from the text to the first chunk; null later"),
	RULES_END,
};

static const char *const statuses[] = { "running", "paused", NULL };
static const struct rule mountpoint_rules[] = {
	{ "id",  RULE_TEXT, .help = "of a Streaming mountpoint" },
	{ "pin", RULE_TEXT, .flags = RULE_NULLABLE, .help = "to listen" },
	RULES_END,
};
static const struct rule mountpoints_rules[] = {
	{ RULE_ANY, RULE_OBJ, .of = mountpoint_rules, .help = "of a target" },
	RULES_END,
};
static const struct rule webrtc_rules[] = {
	{ "backend",     RULE_TEXT, .help = "`janus`" },
	{ "url",         RULE_TEXT, .help = "of the Janus" },
	{ "room",        RULE_TEXT, .flags = RULE_OPTIONAL, .help = "of its AudioBridge, to speakers" },
	{ "pin",         RULE_TEXT, .flags = RULE_OPTIONAL | RULE_NULLABLE, .help = "of the room" },
	{ "mountpoints", RULE_OBJ,  .of = mountpoints_rules, .help = "what can be heard" },
	RULES_END,
};
static const struct rule listeners_rules[] = {
	{ RULE_ANY, RULE_INT, .help = "of a language, or of `original`" },
	RULES_END,
};
static const struct rule task_members[] = {
	{ "task_status", RULE_ENUM,  .names = statuses, .help = "while it starts there is no answer" },
	{ "languages",   RULE_CODES, .flags = RULE_OPTIONAL, .help = "to listeners, in the place of the task: the targets" },
	{ "listeners",   RULE_OBJ,   .flags = RULE_OPTIONAL, .of = listeners_rules, .help = "to speakers, unless `exclude_hidden` was true: how many listen; screens and previews do not count" },
	{ "webrtc",      RULE_OBJ,   .flags = RULE_OPTIONAL, .of = webrtc_rules, .help = "where the server has a Janus: the room" },
	RULES_END,
};

static const char *const commands[] = { "set_task", "pause_task", "flush_task", "interrupt_task", "tts_task", NULL };
static const char *const events[] = { "started", "updated", "unchanged", "resumed", "paused", "interrupted", "queued", NULL };
static const struct rule status_rules[] = {
	{ "command",     RULE_ENUM, .names = commands, .help = "that is answered" },
	{ "event",       RULE_ENUM, .names = events, .help = "`started`, `updated`, `unchanged` (the same tree again) or `resumed` of `set_task`; `paused` of `pause_task`; `interrupted` of `flush_task` and `interrupt_task`; `queued` of `tts_task`" },
	{ "task_status", RULE_ENUM, .names = statuses, .help = "of the task now" },
	{ "transcription_id", RULE_TEXT, 0, 16, 16, .flags = RULE_OPTIONAL, .help = "of `tts_task`: the segment that its texts and audio will have" },
	RULES_END,
};
static const char *const states[] = { "live", "break", NULL };
static const struct rule channel_rules[] = {
	{ "state", RULE_ENUM, .names = states, .help = "of the speaker" },
	RULES_END,
};
static const struct rule seconds_rules[] = {
	{ "validated_transcription",  RULE_REAL, .help = "seconds since the end of the segment" },
	{ "translated_transcription", RULE_REAL, .help = "likewise" },
	{ "tts",                      RULE_REAL, .help = "likewise: the first audio was made" },
	{ "sent",                     RULE_REAL, .help = "likewise: it was sent" },
	{ "total",                    RULE_REAL, .help = "likewise: all of it was sent" },
	RULES_END,
};
static const struct rule timings_rules[] = {
	TRANSCRIPTION_ID,
	{ "timings", RULE_OBJ, .of = seconds_rules, .help = "how long each step took" },
	RULES_END,
};
static const struct rule queue_rules[] = {
	{ "current_queue_level_ms", RULE_INT, .help = "speech of the target that waits" },
	{ "max_queue_level_ms",     RULE_INT, .help = "more is left out" },
	RULES_END,
};
static const struct rule queues_rules[] = {
	{ "timestamp", RULE_REAL, .help = "Unix time in seconds" },
	{ RULE_ANY,    RULE_OBJ, .of = queue_rules, .help = "of a target" },
	RULES_END,
};
static const struct rule stats_rules[] = {
	{ "stats", RULE_OBJ, .of = queues_rules, .help = "how far speech is behind" },
	RULES_END,
};

static const char *const warning_codes[] = { "AUDIO_STREAM_TOO_FAST", "AUDIO_STREAM_TOO_SLOW", "AUDIO_STREAM_STALLED",
	"QUEUE_OVERFLOW", "VOICE_NOT_FOUND", "TTS_UNAVAILABLE", "TRANSLATION_FAILED", "OVERLOADED",
	"GLOSSARY_NOT_APPLIED", "GLOSSARY_TRUNCATED", "LANGUAGE_MISMATCH", "LANGUAGE_UNSURE", "NEGATION_UNSURE", NULL };
static const struct rule warning_rules[] = {
	{ "code",    RULE_ENUM, .names = warning_codes, .help = "see below" },
	{ "message", RULE_TEXT, .help = "for people" },
	RULES_END,
};
static const char *const error_codes[] = { "NOT_FOUND", "CONFLICT", "VALIDATION_ERROR", "RATE_LIMIT_EXCEEDED",
	"PERMISSION_DENIED", "ENGINE_UNAVAILABLE", "SERVICE_TIMEOUT", "INSUFFICIENT_BALANCE", "SESSION_CLOSED", NULL };
static const char *const error_types[] = { "missing", "type", "range", "enum", "length", "duplicate", "unsupported", NULL };
static const struct rule errors_rules[] = {
	{ "loc",  RULE_PATH, .help = "path of each member that is wrong" },
	{ "msg",  RULE_TEXT, .help = "what is wrong with it" },
	{ "type", RULE_ENUM, .names = error_types, .help = "likewise, for programs" },
	RULES_END,
};
static const struct rule error_rules[] = {
	{ "code",        RULE_ENUM, .names = error_codes, .help = "see below" },
	{ "desc",        RULE_TEXT, .help = "for people" },
	{ "param",       RULE_TEXT, .flags = RULE_NULLABLE, .help = "path of the member that is wrong" },
	{ "description", RULE_TEXT, .help = "the same as `desc`" },
	{ "errors",      RULE_OWN,  .flags = RULE_LIST | RULE_OPTIONAL, .of = errors_rules, .help = "of `VALIDATION_ERROR`" },
	RULES_END,
};

static const struct rule stretch_rules[] = {
	{ "text",       RULE_TEXT, .help = "the whole text" },
	{ "start_time", RULE_REAL, .help = "seconds since the first audio" },
	{ "end_time",   RULE_REAL, .help = "likewise" },
	RULES_END,
};
static const struct rule delta_rules[] = {
	{ "text",       RULE_TEXT, .help = "the text after the part that it shares with the previous one" },
	{ "start_time", RULE_REAL, .help = "likewise" },
	{ "end_time",   RULE_REAL, .help = "likewise" },
	RULES_END,
};
static const struct rule stt_rules[] = {
	{ "transcription_id", RULE_TEXT, 0, 16, 16, .help = "of the segment" },
	{ "language", RULE_TEXT, .help = "the language of the text" },
	{ "is_eos",   RULE_BOOL, .help = "the text is final" },
	{ "segment",  RULE_OBJ,  .of = stretch_rules, .help = "the segment so far" },
	{ "delta",    RULE_OBJ,  .flags = RULE_OPTIONAL, .of = delta_rules, .help = "what is new; not of final texts" },
	RULES_END,
};
static const struct rule chunk_rules[] = {
	{ "audio",         RULE_TEXT, .help = "in base64, as `init` asked for it" },
	{ "size",          RULE_INT,  .help = "bytes of the audio when decoded" },
	{ "generation_id", RULE_TEXT, .help = "of the texts that are spoken" },
	{ "last_chunk",    RULE_BOOL, .help = "nothing more of this comes" },
	NULLABLE_INT("chunk_generation_delta", "ms from the text to the first chunk; null later"),
	{ "audio_len",     RULE_REAL, .flags = RULE_NULLABLE, .help = "length in seconds; null at the end" },
	RULES_END,
};
static const struct rule no_rules[] = { RULES_END };
/* clang-format on */

/* ---- samples ---- */

static bool
sample_text(
    struct buf *b, enum task_output kind, int part, const char *lang, const char *text)
{
	static const struct output_word words[] = { { "good", 320000, 600000 } };
	const struct output_segment segment = { text, 320000, 1600000, words,
		kind == OUTPUT_VALIDATED };
	const struct output_transcript t = { ID, part, lang, text, &segment, 1, EPOCH };

	return output_text(b, kind, &t);
}

static bool
partial(struct buf *b)
{
	return sample_text(b, OUTPUT_PARTIAL, -1, "en", "good morning every");
}

static bool
validated(struct buf *b)
{
	return sample_text(b, OUTPUT_VALIDATED, -1, "en", "Good morning, everyone.");
}

static bool
partial_translated(struct buf *b)
{
	return sample_text(b, OUTPUT_PARTIAL_TRANSLATED, 0, "es", "buenos días");
}

static bool
translated(struct buf *b)
{
	return sample_text(b, OUTPUT_TRANSLATED, 0, "es", "Buenos días a todos.");
}

static bool
tts_text(struct buf *b)
{
	return sample_text(b, OUTPUT_TTS_TEXT, 0, "es", "Buenos días a todos.");
}

static bool
audio(struct buf *b)
{
	const struct output_audio a = { ID, 0, "es", false, "\0\0\1\0\2\0", 6, 62 };

	return output_audio(b, &a);
}

static bool
timings(struct buf *b)
{
	const struct output_timings t = { 1070000, 1100000, 1160000, 1160000, 2500000 };

	return output_timings(b, ID, &t);
}

static bool
buffer_stats(struct buf *b)
{
	const struct output_queue q = { "es", 1400, 20000 };

	return output_buffer_stats(b, EPOCH + 2500000, &q, 1);
}

static bool
warning(struct buf *b)
{
	return output_warning(b, "VOICE_NOT_FOUND",
	    "Voice ID 'anna' is not available, using default voice");
}

static bool
error(struct buf *b)
{
	struct validation_errors f = { .mem = b->mem };
	const struct json_path whole = json_path_whole(NULL),
			       at = json_path_member(&whole, "eos_timeout");

	validation_error_add(&f, &at, VALIDATION_RANGE, "must be between 1 and 30");
	return output_validation_errors(b, &f);
}

static bool
knows(void *arg, const char *source)
{
	(void)arg, (void)source;
	return true;
}

static bool
current_task(struct buf *b)
{
	static const struct task_engines engines = { .knows = knows };
	static const char sent[] =
	    "{\"input_stream\":{\"source\":{\"sample_rate\":24000}},\"pipeline\":{"
	    "\"transcription\":{\"source_language\":\"en\"},\"translations\":[]}}";
	struct validation_errors errors;
	const char *why;
	struct task t;

	return task_read(b->mem, json_read(b->mem, sent, strlen(sent), &why), &engines,
		   &t, &errors) &&
	       output_current_task(
		   b, &t, "running", true, NULL, "{\"es\":30,\"fr\":11}");
}

static bool
task_status(struct buf *b)
{
	return output_task_status(
	    b, &(struct output_status){ "tts_task", "queued", "running", ID });
}

static bool
channel_state(struct buf *b)
{
	return output_channel_state(b, OUTPUT_BREAK);
}

static const struct output_stt heard = { "77aa01c2d3e4f506", "en", "good morning",
	320000, 960000 };

static bool
stt_transcription(struct buf *b)
{
	const struct output_stt before = { heard.id, "en", "good", 320000, 640000 };

	return output_stt_partial(b, &heard, &before);
}

static bool
stt_translated(struct buf *b)
{
	const struct output_stt t = { heard.id, "es", "Buenos días.", 320000, 1020000 };

	return output_stt_translated(b, &t);
}

static bool
audio_chunk(struct buf *b)
{
	const struct output_chunk c = { "\0\0\1\0\2\0", 6, "5f1d0c3a", 42, 200000 };

	return output_chunk(b, &c);
}

/* ---- messages ---- */

#define SPEAKER OUTPUT_TO_SPEAKER
#define BOTH (OUTPUT_TO_SPEAKER | OUTPUT_TO_LISTENER)

/* clang-format off */
const struct output_type	 output_types[] = {
	{ "partial_transcription", MESSAGE_S2S, BOTH | OUTPUT_STARRED_TYPE, source_rules, partial,
	  "The text so far, at most every 300 ms." },
	{ "validated_transcription", MESSAGE_S2S, BOTH | OUTPUT_STARRED_TYPE, source_rules, validated,
	  "The final text of a segment, once." },
	{ "partial_translated_transcription", MESSAGE_S2S, BOTH | OUTPUT_STARRED_TYPE, target_rules, partial_translated,
	  "The translation so far, at most every second, to targets with `translate_partial_transcriptions`." },
	{ "translated_transcription", MESSAGE_S2S, BOTH | OUTPUT_STARRED_TYPE, target_rules, translated,
	  "The final translation. A text of more than 300 characters comes in several parts." },
	{ "output_audio_data", MESSAGE_S2S, BOTH, audio_rules, audio,
	  "200 ms of speech. The last chunk of each segment, part and language has `last_chunk` true; its `data` may be empty. "
	  "To listeners with `format=opus` it has `\"format\":\"opus\"`, comes with up to 600 ms, and takes less than 40 kbit/s: "
	  "`data` is base64 of Opus packets (RFC 6716) of 20 ms, mono, each after its length in 16 bits, big-endian." },
	{ "current_task", MESSAGE_S2S, BOTH | OUTPUT_WITH_TASK, task_members, current_task,
	  "The answer to `get_task`: the members of `set_task`, with the defaults of those that were not sent unless "
	  "`exclude_hidden` was true, and:" },
	{ "task_status", MESSAGE_S2S, SPEAKER, status_rules, task_status,
	  "A command has been carried out. A command that is refused gets its `error` alone, and `end_task` gets none." },
	{ "end_of_stream", MESSAGE_S2S, SPEAKER, no_rules, output_end_of_stream,
	  "All output is sent; after each `end_task`, before `eos`." },
	{ "eos", MESSAGE_S2S, BOTH, no_rules, output_eos,
	  "All output is sent; before the close with 1000." },
	{ "channel_state", MESSAGE_S2S, OUTPUT_TO_LISTENER, channel_rules, channel_state,
	  "To listeners of a channel: the speaker paused or ended (`break`), or goes on (`live`)." },
	{ "pipeline_timings", MESSAGE_S2S, SPEAKER | OUTPUT_STARRED_TYPE, timings_rules, timings,
	  "With the last chunk of a segment, for each target." },
	{ "tts_buffer_stats", MESSAGE_S2S, SPEAKER | OUTPUT_STARRED_TYPE, stats_rules, buffer_stats,
	  "Every second while speech is waiting, for each target." },
	{ "tts_text", MESSAGE_S2S, SPEAKER | OUTPUT_STARRED_TYPE, spoken_rules, tts_text,
	  "A text goes to the synthesizer." },
	{ "warning", MESSAGE_S2S, BOTH, warning_rules, warning,
	  "Something is not as it was asked for; the task goes on." },
	{ "error", MESSAGE_S2S, BOTH, error_rules, error,
	  "A message was refused, or the task ends." },
	{ "transcription", MESSAGE_STT, SPEAKER, stt_rules, stt_transcription,
	  "The text so far, then the final one with `is_eos` true and without `delta`." },
	{ "translated_transcription", MESSAGE_STT, SPEAKER, stt_rules, stt_translated,
	  "The final text in each of `translate_languages`." },
	{ "audio_chunk", MESSAGE_TTS, SPEAKER, chunk_rules, audio_chunk,
	  "200 ms of speech, as fast as it is made. The end of a generation has no audio and `last_chunk` true." },
	{ NULL },
};
/* clang-format on */
