#ifndef AUDIO_OPUS_DECODER_H
#define AUDIO_OPUS_DECODER_H

#include <stddef.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"

/*
 * Opus to 16 kHz mono by libopus, which mixes channels and limits the band itself.
 * Samples are added to a buf as int16_t, up to `most` bytes in it: ERR_LIMIT.
 */
struct opus_decoder;

struct opus_decoder *opus_decoder_new(struct arena *);
/* One packet, RFC 6716, at most 120 ms; ERR_REFUSED: it is none. */
enum err opus_decoder_packet(
    struct opus_decoder *, const void *, size_t, struct buf *) MUST_CHECK;
/*
 * A piece of an Ogg Opus stream, RFC 7845, cut anywhere: of the first stream in it
 * that is Opus of one or two channels, and of those chained behind it.  Pages that
 * are torn and packets that are broken are left out.  ERR_REFUSED: there is
 * no Opus in it, or a packet of over a megabyte.
 */
enum err opus_decoder_stream(
    struct opus_decoder *, const void *, size_t, struct buf *, size_t most) MUST_CHECK;
/*
 * Add the sound at SPOKEN_HZ to this buf as well, of the packets that follow; NULL: no
 * more.  It is decoded once more for that.
 */
void opus_decoder_fine(struct opus_decoder *, struct buf *);
/* Forget the stream; another one begins. */
void opus_decoder_restart(struct opus_decoder *);

#endif
