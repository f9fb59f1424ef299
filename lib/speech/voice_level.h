/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef SPEECH_VOICE_LEVEL_H
#define SPEECH_VOICE_LEVEL_H

#include "speech/registry.h"

/*
 * Makes all voices of all engines equally loud: each has one gain, so that the loud and
 * soft words of a sentence stay so.  It follows from all that the voice has said.  A
 * new voice is measured by its first second.
 *
 * No sample exceeds VOICE_PEAK (-3 dBFS), so that peaks between samples stay below
 * -1 dBTP.  A higher target would need a limiter at work in most sentences: the peaks
 * of some voices are 23 dB above their loudness.
 */
#define VOICE_LUFS (-21.0)
#define VOICE_PEAK 0.7F

/* The loudness of voices, by engine, name and language; the oldest of many is
   forgotten. Any thread may call anything. */
struct voice_levels;

struct voice_levels *voice_levels_new(struct arena *);

/* As tts_engine.synthesize() of an engine that speaks, with the gain of the voice. */
enum err voice_level_speak(struct voice_levels *, const struct registry_engine *,
    struct arena *, const struct tts_text *, tts_sink *, void *) MUST_CHECK;
/* Give a whole sound the loudness. */
void voice_level_whole(struct pcm *);

#endif
