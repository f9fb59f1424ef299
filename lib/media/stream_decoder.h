/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef MEDIA_STREAM_DECODER_H
#define MEDIA_STREAM_DECODER_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"

/*
 * Decodes untrusted streams while they are received.  Each has a child process
 * (workers/dragoman-decode.c), sandboxed as in media.h, as long as it lasts.  The
 * output is 16 kHz mono s16 in host byte order: all samples that the bytes so far
 * determine.
 *
 *   aac    ADTS frames       mp3    layer III frames, ID3 tags among them
 *   flac   a native FLAC     ogg    Opus, Vorbis or FLAC in Ogg
 *   webm   Opus or Vorbis in WebM; other tracks are ignored
 *
 * Pieces may end anywhere.  A piece that begins like a file begins a new file; frames
 * of aac and mp3 may begin anywhere.
 */
struct stream_decoder;

#define MEDIA_LIVE_BYTES (1 << 20) /* longest piece */
#define MEDIA_LIVE_BUSY 4 /* elapsed time allowed, in units of processor time */

/*
 * program: the path of dragoman-decode.  The decoder lives in the arena and must be
 * stopped.  The child ends with the calling thread.  NULL: it could not be started;
 * logged.
 */
struct stream_decoder *stream_decoder_start(
    struct arena *, const char *program, const char *format);
/*
 * Decode n bytes and append the samples to *to. Waits until the child has read all
 * bytes, for timeout_ms of its processor time and MEDIA_LIVE_BUSY times that of elapsed
 * time. ERR_REFUSED: some bytes are invalid; the next ones may be invalid too, until a
 * piece begins like a file. ERR_LIMIT: more than `most` samples; the others are lost.
 * ERR_TIMEOUT, ERR_FAILED: stop the decoder. Both are logged; the child's status is
 * logged when it is stopped.
 */
enum err stream_decoder_feed(struct stream_decoder *, const void *, size_t n,
    struct buf *to, size_t most, int timeout_ms) MUST_CHECK;
/* Kill the child and wait for its end.  NULL is allowed. */
void stream_decoder_stop(struct stream_decoder *);

#endif
