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
 * What the server says: each call puts one message behind what is in the buffer,
 * one compact object, its members in the order of the document.  A message that
 * would be over OUTPUT_BYTES is not put, and the answer is false.  Texts are UTF-8,
 * NULL is null.  Times are microseconds, written as seconds.
 */
#define OUTPUT_BYTES (256 * 1024)

struct output_word {
	const char *word;
	int64_t start_us, end_us;
};

struct output_segment {
	const char *text;
	int64_t start_us, end_us; /* since the first input chunk */
	const struct output_word *words;
	size_t n_words; /* 0: left out */
};

/* `T` of section 5. */
struct output_transcript {
	const char *id; /* of the phrase, 16 hex digits */
	int part;       /* translation_part_id; below 0: none */
	const char *language;
	const char *text;
	const struct output_segment *segments;
	size_t n_segments;
	int64_t epoch_us; /* unix time of the first input chunk */
};

struct output_audio {
	const char *id;
	int part;
	const char *language;
	bool last;
	const void *bytes; /* as it goes out: PCM, or PCM compressed */
	size_t n;
	int64_t delta_ms; /* from final text to first chunk; NULL_INT on later ones */
};

/* Since the end of the phrase. */
struct output_timings {
	int64_t validated_us, translated_us, tts_us, sent_us, total_us;
};

struct output_queue {
	const char *language;
	int64_t level_ms, max_ms;
};

/* ---- S2S ---- */

/* What is starred takes its name from the kind; of tts_text segments are left out. */
bool output_text(struct buf *, enum task_output, const struct output_transcript *);
bool output_audio(struct buf *, const struct output_audio *);
/* webrtc is JSON that the answer gains with Janus, or NULL. */
bool output_current_task(struct buf *, const struct task *, const char *status,
    bool exclude_hidden, const char *webrtc);
bool output_languages(
    struct buf *, const struct task *, const char *status, const char *webrtc);
bool output_eos(struct buf *);
/* Of a channel, to its listeners: it is live, or there is a break. */
bool output_channel_state(struct buf *, bool live);
bool output_timings(struct buf *, const char *id, const struct output_timings *);
bool output_buffer_stats(
    struct buf *, int64_t unix_us, const struct output_queue *, size_t n);
bool output_warning(struct buf *, const char *code, const char *message);
/* VALIDATION_ERROR is said with output_flaws(), as it also tells places. */
bool output_error(struct buf *, const char *code, const char *desc, const char *param);
/* VALIDATION_ERROR with all that is wrong; at least one flaw. */
bool output_flaws(struct buf *, const struct validation_errors *);

/* ---- STT: flat ---- */

struct output_stt {
	const char *id, *language, *text;
	int64_t start_us, end_us;
};

/* Not final: before is what was last said of this phrase, or NULL. */
bool output_stt_partial(
    struct buf *, const struct output_stt *, const struct output_stt *before);
bool output_stt_final(struct buf *, const struct output_stt *);
bool output_stt_translated(struct buf *, const struct output_stt *);

/* ---- TTS ---- */

struct output_chunk {
	const void *bytes; /* n == 0: the end of the generation */
	size_t n;
	const char *generation;
	int64_t delta_ms; /* NULL_INT but on the first */
	int64_t length_us;
};

bool output_chunk(struct buf *, const struct output_chunk *);

/* ---- parts ---- */

#define OUTPUT_PART 300 /* code points */

/* Behind the first sentence and the blanks that follow it; at its end if it is one. */
const char *output_sentence(const char *);
/*
 * The parts of a final text, const char *, at least one: it whole, or if it has
 * over OUTPUT_PART code points as many sentences each as have not; a sentence that is
 * longer is a part of its own.  Without blanks around them.
 */
struct list output_parts(struct arena *, const char *);

#endif
