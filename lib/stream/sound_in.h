#ifndef STREAM_SOUND_IN_H
#define STREAM_SOUND_IN_H

#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/err.h"
#include "stream/pcm16.h"

#define SOUND_LEAST_HZ 8000
#define SOUND_MOST_HZ 48000
#define SOUND_MOST_S 60 /* of sound from one piece of Opus */

enum sound_form {
	SOUND_PCM, /* s16le */
	SOUND_OPUS,
	SOUND_WAV,
	SOUND_S32LE,
	SOUND_S32BE,
	SOUND_F32LE,
	SOUND_F32BE,
	SOUND_MULAW, /* ITU-T G.711 */
	SOUND_ALAW
};

struct sound_format {
	enum sound_form form;
	int rate_hz;  /* not Opus; WAV: of sound without a header, 0: there must be one
		       */
	int channels; /* likewise; 1 or 2, which are averaged */
};

/*
 * What a client sends, message by message, made 16 kHz mono.
 *
 *   PCM, S32LE ...  interleaved; what is left of a frame joins the next message
 *   WAV   a header of 16 bit PCM, in as many messages as it takes, then PCM as
 *         above; its rate (SOUND_LEAST_HZ to SOUND_MOST_HZ) and channels win.  Its
 *         length is not believed: chunks that a file may have behind its sound are
 *         left out, anything else is more sound.  A message that begins with a
 *         header (RIFF, WAVE) begins a new file.
 *   Opus  the first message begins OggS: an Ogg Opus stream (RFC 7845), cut
 *         anywhere, chained ones too; else each message is a packet (RFC 6716)
 *         of at most 120 ms, until one begins OggS
 *
 * It keeps under 3 MiB whatever comes, and 64 KiB of what usually comes.
 */
struct sound_in;

struct sound_in *sound_in_new(struct arena *, const struct sound_format *);
/*
 * What n bytes make; *to lives in the arena `mem` and may be empty.  ERR_REFUSED: a
 * header or packet that cannot be read; then *to is empty, and after a header the
 * stream is refused until a message begins a new one.  The first is logged.
 * ERR_LIMIT: Opus of more than SOUND_MOST_S; *to has that much, the rest is lost.
 */
enum err sound_in_feed(struct sound_in *, const void *, size_t n, struct arena *mem,
    struct pcm16 *to) MUST_CHECK;
/*
 * The same, and the sound at SPOKEN_HZ, for listeners: made of what came, not of the
 * 16 kHz.  It is asked for with every piece or not at all, until sound_in_end_fine()
 * gives the rest of it.
 */
enum err sound_in_feed_fine(struct sound_in *, const void *, size_t n,
    struct arena *mem, struct pcm16 *to, struct pcm16 *fine) MUST_CHECK;
struct pcm16 sound_in_end_fine(struct sound_in *, struct arena *mem);
/* How much sound was received, in microseconds of its own clock. */
int64_t sound_in_us(const struct sound_in *);

#endif
