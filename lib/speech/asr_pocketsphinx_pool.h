#ifndef SPEECH_ASR_POCKETSPHINX_POOL_H
#define SPEECH_ASR_POCKETSPHINX_POOL_H

#include "speech/asr_pocketsphinx_decoder.h"

/* Decoders, loaded once and used by one stream after another; private. */

/* Nouns: decoder. */

/*
 * One to oneself, as if it had just been loaded.  ERR_LIMIT: as many as asr_limit()
 * allows are taken, and it is not instead of one of these; ERR_UNSUPPORTED: the model
 * is not installed, or cannot be loaded.
 */
enum err decoder_take(
    const struct engine_at *, bool instead, struct decoder **) MUST_CHECK;
/* Between phrases only. */
void decoder_give(struct decoder *);

#endif
