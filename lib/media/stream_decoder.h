#ifndef MEDIA_STREAM_DECODER_H
#define MEDIA_STREAM_DECODER_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"

/*
 * Sound that is decoded while it comes, for strangers' streams: a child of its own
 * for each (workers/dragoman-decode.c), walled in like the one of media.h, lives as
 * long as the stream.  What comes out is 16 kHz mono s16 of this machine's byte
 * order, all that the bytes so far decide.
 *
 *   aac    ADTS frames       mp3    layer III frames, ID3 tags among them
 *   flac   a native FLAC     ogg    Opus, Vorbis or FLAC in Ogg
 *   webm   Opus or Vorbis in WebM; other tracks are left out
 *
 * A stream may be cut anywhere.  Where a piece begins like a file, a new file begins;
 * frames of aac and mp3 are found wherever they begin.
 */
struct stream_decoder;

#define MEDIA_LIVE_BYTES (1 << 20) /* of one piece, at most */
#define MEDIA_LIVE_BUSY 4          /* times its time, where others use the processors */

/*
 * program: the path of dragoman-decode.  It lives in the arena, and must be stopped.
 * It dies with the calling thread.  NULL: it could not be started; logged.
 */
struct stream_decoder *stream_decoder_start(
    struct arena *, const char *program, const char *format);
/*
 * What n bytes become is put behind *to; waits until the child has read them all,
 * for timeout_ms of processor time, and MEDIA_LIVE_BUSY times that in all. ERR_REFUSED:
 * some make no sense, and maybe the following ones neither, until a piece begins like a
 * file.  ERR_LIMIT: more than `most` samples; the others are lost.  ERR_TIMEOUT,
 * ERR_FAILED: it is dead, and is to be stopped; the first of it is logged here, why it
 * died when it is stopped.
 */
enum err stream_decoder_feed(struct stream_decoder *, const void *, size_t n,
    struct buf *to, size_t most, int timeout_ms) MUST_CHECK;
/* Kill it and wait until it is gone.  NULL is fine. */
void stream_decoder_stop(struct stream_decoder *);

#endif
