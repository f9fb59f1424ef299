#ifndef AUDIO_AUDIO_DECODER_H
#define AUDIO_AUDIO_DECODER_H

#include <stddef.h>
#include <stdint.h>

#include "audio/pcm16.h"
#include "base/arena.h"
#include "base/err.h"

#define AUDIO_LEAST_HZ 8000
#define AUDIO_MOST_HZ 48000
#define AUDIO_MOST_S 60 /* of sound from one piece of Opus */

enum audio_encoding {
	AUDIO_PCM, /* s16le */
	AUDIO_OPUS,
	AUDIO_WAV,
	AUDIO_S32LE,
	AUDIO_S32BE,
	AUDIO_F32LE,
	AUDIO_F32BE,
	AUDIO_MULAW, /* ITU-T G.711 */
	AUDIO_ALAW
};

struct audio_format {
	enum audio_encoding form;
	int rate_hz;  /* not Opus; WAV: of sound without a header, 0: there must be one
		       */
	int channels; /* likewise; 1 or 2, which are averaged */
};

/*
 * What a client sends, message by message, made 16 kHz mono.
 *
 *   PCM, S32LE ...  interleaved; what is left of a frame joins the next message
 *   WAV   a header of 16 bit PCM, in as many messages as it takes, then PCM as
 *         above; its rate (AUDIO_LEAST_HZ to AUDIO_MOST_HZ) and channels win.  Its
 *         length is not believed: chunks that a file may have behind its sound are
 *         left out, anything else is more sound.  A message that begins with a
 *         header (RIFF, WAVE) begins a new file.
 *   Opus  the first message begins OggS: an Ogg Opus stream (RFC 7845), cut
 *         anywhere, chained ones too; else each message is a packet (RFC 6716)
 *         of at most 120 ms, until one begins OggS
 *
 * It keeps under 3 MiB whatever comes, and 64 KiB of what usually comes.
 */
struct audio_decoder;

struct audio_decoder *audio_decoder_new(struct arena *, const struct audio_format *);
/*
 * What n bytes make; *to lives in the arena `mem` and may be empty.  ERR_REFUSED: a
 * header or packet that cannot be read; then *to is empty, and after a header the
 * stream is refused until a message begins a new one.  The first is logged.
 * ERR_LIMIT: Opus of more than AUDIO_MOST_S; *to has that much, the rest is lost.
 */
enum err audio_decoder_feed(struct audio_decoder *, const void *, size_t n,
    struct arena *mem, struct pcm16 *to) MUST_CHECK;
/*
 * The same, and the sound at SPOKEN_HZ, for listeners: made of what came, not of the
 * 16 kHz.  It is asked for with every piece or not at all, until
 * audio_decoder_end_fine() gives the rest of it.
 */
enum err audio_decoder_feed_fine(struct audio_decoder *, const void *, size_t n,
    struct arena *mem, struct pcm16 *to, struct pcm16 *fine) MUST_CHECK;
struct pcm16 audio_decoder_end_fine(struct audio_decoder *, struct arena *mem);
/* How much sound was received, in microseconds of its own clock. */
int64_t audio_decoder_us(const struct audio_decoder *);

#endif
