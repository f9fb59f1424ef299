/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PIPELINE_AUDIO_INPUT_H
#define PIPELINE_AUDIO_INPUT_H

#include "media/stream_decoder.h"
#include "pipeline/pipeline.h"

/*
 * Decodes the input of a pipeline to 16 kHz mono: in this process by audio_decoder.h
 * or, for untrusted file formats, in a child process (stream_decoder.h) that lives as
 * long as the pipeline. Used by an actor on a pool thread. A call waits for the child,
 * for at most AUDIO_INPUT_MS of the child's processor time.
 */
#define AUDIO_INPUT_MS 5000

struct audio_input;

/* The arena must outlive it. */
struct audio_input *audio_input_new(struct arena *, const struct pipeline *);
/* Start the child if one is needed; audio_input_close() stops it. */
void audio_input_open(struct audio_input *);
/*
 * As audio_decoder_feed_fine(), or with `fine` NULL as audio_decoder_feed().  With a
 * child, *fine is empty.  Also ERR_REFUSED: the child died or could not be started; a
 * feed five seconds later starts another.
 */
enum err audio_input_feed(struct audio_input *, const void *, size_t n,
    struct arena *mem, struct pcm16 *to, struct pcm16 *fine) MUST_CHECK;
/* Like audio_decoder_end_fine(). */
struct pcm16 audio_input_end_fine(struct audio_input *, struct arena *);
/* Duration of the sound so far, in microseconds. */
int64_t audio_input_us(const struct audio_input *);
/* Like audio_decoder_why(). */
const char *audio_input_why(const struct audio_input *);
/* Like audio_decoder_losses(). */
const struct opus_losses *audio_input_losses(const struct audio_input *);
void audio_input_close(struct audio_input *);

#endif
