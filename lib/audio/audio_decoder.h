/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef AUDIO_AUDIO_DECODER_H
#define AUDIO_AUDIO_DECODER_H

#include <stddef.h>
#include <stdint.h>

#include "audio/opus_packets.h"
#include "audio/pcm16.h"
#include "base/arena.h"
#include "base/err.h"

#define AUDIO_LEAST_HZ 8000
#define AUDIO_MOST_HZ 48000
#define AUDIO_MOST_S 60 /* seconds of sound from one feed of Opus, at most */

enum audio_encoding {
	AUDIO_PCM, /* s16le */
	AUDIO_OPUS,
	AUDIO_WAV,
	AUDIO_S32LE,
	AUDIO_S32BE,
	AUDIO_F32LE,
	AUDIO_F32BE,
	AUDIO_MULAW, /* ITU-T G.711 */
	AUDIO_ALAW,
	AUDIO_U8,
	AUDIO_S24LE,
	AUDIO_F64LE,
	AUDIO_RECEIVED /* Opus packets, each after its struct opus_gap */
};

struct audio_format {
	enum audio_encoding form;
	/* Unused by Opus.  WAV: for sound without a header; 0: a header is required. */
	int rate_hz;
	int channels; /* WAV: as rate_hz; 1, or 2, which downmix.h mixes */
};

/*
 * Decodes the messages of a client to 16 kHz mono.
 *
 *   PCM, S32LE ...  interleaved; an incomplete frame is continued by the next message.
 *         A first message that begins like an Ogg, WebM, FLAC, MP4 or ID3 file (see
 *         sound_magic.h) is refused, and all that follow.
 *   WAV   a header of PCM, float, A-law or mu-law, in any number of messages, then
 *         samples as above.  The header's rate (AUDIO_LEAST_HZ to AUDIO_MOST_HZ) and
 *         channels replace those of the format.  The header's length is not trusted:
 *         after it, known chunks of a WAV file are skipped and anything else is sound.
 *         A message that begins with a header (RIFF, WAVE) begins a new file.
 *   Opus  if the first message begins with OggS: an Ogg Opus stream (RFC 7845), cut
 *         anywhere, possibly chained; else each message is a packet (RFC 6716) of at
 *         most 120 ms, until a message begins with OggS
 *   RECEIVED  each message is a packet of jitter_buffer_next(): lost sound is
 *         concealed, sound that was not sent is silence
 *
 * Memory: under 3 MiB for any input, about 64 KiB for usual input.
 */
struct audio_decoder;

struct audio_decoder *audio_decoder_new(struct arena *, const struct audio_format *);
/*
 * Decode n bytes; *to lives in the arena `mem` and may be empty.  ERR_REFUSED: an
 * unreadable header or packet; *to is empty.  After an unreadable header all input is
 * refused until a message begins a new stream.  Only the first refusal is logged.
 * ERR_LIMIT: Opus of more than AUDIO_MOST_S; *to is cut to that, the rest is lost.
 */
enum err audio_decoder_feed(struct audio_decoder *, const void *, size_t n,
    struct arena *mem, struct pcm16 *to) MUST_CHECK;
/*
 * As audio_decoder_feed(); also decodes the input to SPOKEN_HZ, for subscribers, into
 * *fine. After the first call, use this one for every piece until
 * audio_decoder_end_fine() returns the rest.
 */
enum err audio_decoder_feed_fine(struct audio_decoder *, const void *, size_t n,
    struct arena *mem, struct pcm16 *to, struct pcm16 *fine) MUST_CHECK;
struct pcm16 audio_decoder_end_fine(struct audio_decoder *, struct arena *mem);
/* Why input was refused, a sentence in lower case; NULL: it was not. */
const char *audio_decoder_why(const struct audio_decoder *);
/* The packets lost so far, and how they were replaced; NULL: not RECEIVED. */
const struct opus_losses *audio_decoder_losses(const struct audio_decoder *);
/* Duration of the sound so far in microseconds, counted at the rate of the input. */
int64_t audio_decoder_us(const struct audio_decoder *);

#endif
