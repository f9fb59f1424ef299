#ifndef SPEECH_SPEAK_STREAM_H
#define SPEECH_SPEAK_STREAM_H

#include "base/buf.h"
#include "speech/speak.h"

/*
 * What the engines behind HTTP share: ask, and hear the answer as it comes.
 * Private to this folder.
 */

/*
 * POST the JSON below at->url.  An answer that begins as a WAV file is heard as
 * that (16-bit PCM, 1 or 2 channels); other bytes are s16 little-endian at
 * rate_hz, or refused when that is 0.  Answers as speak_engine.speak() does.
 */
enum err speak_stream(const struct engine_at *, const char *path,
    const struct buf *json, int rate_hz, speak_sink *, void *) MUST_CHECK;

/* ---- the answer's bytes to sound ---- */

struct audio_reader {
	speak_sink *sink;
	void *to;
	int rate_hz;           /* of bare samples; 0: must be a WAV file */
	int channels;          /* 0: not known yet what it is */
	struct buf head;       /* its beginning, as long as that is so */
	unsigned char rest[4]; /* of a sample that was cut */
	size_t nrest;
	bool enough;  /* the sink wants no more */
	bool refused; /* it is no sound */
};

/* The next bytes.  False: no more are wanted, as enough or refused tells. */
bool audio_reader_take(struct audio_reader *, const void *, size_t n);
/* After the last of them: whether it was sound, from beginning to end. */
bool audio_reader_done(const struct audio_reader *);

#endif
