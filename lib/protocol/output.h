/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PROTOCOL_OUTPUT_H
#define PROTOCOL_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/field.h"
#include "protocol/task.h"
#include "protocol/validation_error.h"

/*
 * Messages of the server.  Each call appends one compact JSON object to the buffer, its
 * members in the order of the protocol document.  A message larger than OUTPUT_BYTES is
 * not appended, and the call returns false.  Texts are UTF-8; NULL is written as null.
 * Times are microseconds, written as seconds.
 */
#define OUTPUT_BYTES (256 * 1024)

struct output_word {
	const char *word;
	int64_t start_us, end_us;
};

struct output_segment {
	const char *text;
	int64_t start_us, end_us; /* microseconds since the first input chunk */
	const struct output_word *words;
	size_t n_words; /* 0: member omitted */
};

/* `T` in section 5 of the protocol document. */
struct output_transcript {
	const char *id; /* transcription_id, 16 hex digits */
	int part;       /* translation_part_id; below 0: omitted */
	const char *language;
	const char *text;
	const struct output_segment *segments;
	size_t n_segments;
	int64_t epoch_us; /* unix time of the first input chunk */
	bool corrected;   /* the text was sent before with other words */
};

struct output_audio {
	const char *id;
	int part;
	const char *language;
	bool last;
	const void *bytes; /* the audio as sent: PCM, compressed PCM, or Opus packets */
	size_t n;
	/* milliseconds from final text to first chunk; NULL_INT for later chunks */
	int64_t delta_ms;
	bool opus; /* the bytes are struct opus_packets */
};

/* Times since the end of the segment. */
struct output_timings {
	int64_t validated_us, translated_us, tts_us, sent_us, total_us;
};

struct output_queue {
	const char *language;
	int64_t level_ms, max_ms;
};

/* The answer to a command. */
struct output_status {
	const char *command, *event;
	const char *status; /* state_status() */
	const char *id;     /* id of a later segment; NULL: omitted */
};

/* ---- S2S ---- */

/* The message type follows from the kind.  A tts_text has no segments. */
bool output_text(struct buf *, enum task_output, const struct output_transcript *);
bool output_audio(struct buf *, const struct output_audio *);
/* JSON to include, or NULL: see bridge_describe() and listeners_describe(). */
bool output_current_task(struct buf *, const struct task *, const char *status,
    bool exclude_hidden, const char *webrtc, const char *listeners);
bool output_languages(
    struct buf *, const struct task *, const char *status, const char *webrtc);
/* The two messages that end a stream. */
bool output_end_of_stream(struct buf *);
bool output_eos(struct buf *);
bool output_task_status(struct buf *, const struct output_status *);
/* Channel state for its listeners: a break, live, or stopped by its organiser. */
enum output_channel { OUTPUT_BREAK, OUTPUT_LIVE, OUTPUT_STOPPED };
bool output_channel_state(struct buf *, enum output_channel);
bool output_timings(struct buf *, const char *id, const struct output_timings *);
bool output_buffer_stats(
    struct buf *, int64_t unix_us, const struct output_queue *, size_t n);
bool output_warning(struct buf *, const char *code, const char *message);
/* Any error except VALIDATION_ERROR, see output_validation_errors(). */
bool output_error(struct buf *, const char *code, const char *desc, const char *param);
/* VALIDATION_ERROR with all validation errors, at least one. */
bool output_validation_errors(struct buf *, const struct validation_errors *);

/* ---- STT: no data envelope ---- */

struct output_stt {
	const char *id, *language, *text;
	int64_t start_us, end_us;
};

/* A partial; before: the previous partial of this segment, or NULL. */
bool output_stt_partial(
    struct buf *, const struct output_stt *, const struct output_stt *before);
bool output_stt_final(struct buf *, const struct output_stt *);
bool output_stt_translated(struct buf *, const struct output_stt *);

/* ---- TTS ---- */

struct output_chunk {
	const void *bytes; /* n == 0: end of the generation */
	size_t n;
	const char *generation;
	int64_t delta_ms; /* NULL_INT except on the first chunk */
	int64_t length_us;
};

bool output_chunk(struct buf *, const struct output_chunk *);

/* ---- parts ---- */

#define OUTPUT_PART 300 /* code points */

/* The text after the first sentence and its trailing blanks; may be empty. */
const char *output_sentence(const char *);
/*
 * Split a final text into parts, const char *, at least one, trimmed.  A text of up to
 * OUTPUT_PART code points is one part.  A longer text is split into groups of whole
 * sentences within that limit; a longer sentence is a separate part.
 */
struct list output_parts(struct arena *, const char *);

/* ---- the end of a connection ---- */

/*
 * The reasons for which a session closes a connection: a WebSocket receives the code
 * and the reason.  A reason in capitals is also the code of the error that is sent
 * before.
 */
#define CLOSES(CLOSE)                                                                  \
	CLOSE(CLOSE_DONE, 1000, "")                                                    \
	CLOSE(CLOSE_SHUTDOWN, 1001, "")                                                \
	CLOSE(CLOSE_STOPPING, 1001, "stopping")                                        \
	CLOSE(CLOSE_NO_AUDIO, 1001, "no audio")                                        \
	CLOSE(CLOSE_NO_MESSAGE, 1001, "no message")                                    \
	CLOSE(CLOSE_REPLACED, 1008, "replaced")                                        \
	CLOSE(CLOSE_TOO_OFTEN, 1008, "connection rate limit")                          \
	CLOSE(CLOSE_BAD_MESSAGES, 1008, "too many bad messages")                       \
	CLOSE(CLOSE_SLOW, 1008, "slow consumer")                                       \
	CLOSE(CLOSE_OTHER_NODE, 1008, "other node")                                    \
	CLOSE(CLOSE_SESSION_CLOSED, 1008, "SESSION_CLOSED")                            \
	CLOSE(CLOSE_BALANCE, 1008, "INSUFFICIENT_BALANCE")                             \
	CLOSE(CLOSE_TIMEOUT, 1008, "SERVICE_TIMEOUT")                                  \
	CLOSE(CLOSE_INVALID, 1008, "VALIDATION_ERROR")

#define CLOSE_NAME(name, code, reason) name,
enum close_why { CLOSES(CLOSE_NAME) CLOSE_KINDS };

extern const struct close_kind {
	int code; /* RFC 6455, 7.4.1 */
	const char *reason;
} close_kinds[CLOSE_KINDS];

#endif
