#ifndef PIPELINE_AUDIO_INPUT_H
#define PIPELINE_AUDIO_INPUT_H

#include "media/stream_decoder.h"
#include "pipeline/pipeline.h"

/*
 * Where the sound of a pipeline comes in and becomes 16 kHz mono: in this process as
 * audio_decoder.h does it, or for the files of strangers by a child of its own
 * (stream_decoder.h), which lives as long as the pipeline does.  Of an actor on the
 * pool, whose threads last; it waits for its child, for AUDIO_INPUT_MS of the child's
 * processor time.
 */
#define AUDIO_INPUT_MS 5000

struct audio_input;

/* The arena must outlive it. */
struct audio_input *audio_input_new(struct arena *, const struct pipeline *);
/* Start what it needs; from here on audio_input_close() is needed. */
void audio_input_open(struct audio_input *);
/*
 * As audio_decoder_feed_fine(), or with `fine` NULL as audio_decoder_feed(); what a
 * child decodes has nothing fine.  Also ERR_REFUSED: its child has died, or could not
 * be started; the first bytes after five seconds have another one.
 */
enum err audio_input_feed(struct audio_input *, const void *, size_t n,
    struct arena *mem, struct pcm16 *to, struct pcm16 *fine) MUST_CHECK;
/* As audio_decoder_end_fine(). */
struct pcm16 audio_input_end_fine(struct audio_input *, struct arena *);
/* How much sound came in, in microseconds. */
int64_t audio_input_us(const struct audio_input *);
void audio_input_close(struct audio_input *);

#endif
