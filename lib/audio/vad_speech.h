#ifndef AUDIO_VAD_SPEECH_H
#define AUDIO_VAD_SPEECH_H

#include "media/pcm.h"

/*
 * Seconds of speech in a sound of 8,000 to 48,000 Hz, with the pauses of up to half a
 * second in it.  Frames are speech where vad.h finds some and the level moves as
 * syllables do: tones, hum and steady noise are none.  A soft sound is amplified first.
 */
double vad_speech_s(const struct pcm *);

#endif
