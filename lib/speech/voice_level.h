/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef SPEECH_VOICE_LEVEL_H
#define SPEECH_VOICE_LEVEL_H

#include "speech/registry.h"

/*
 * Makes all voices of all engines equally loud. Each voice has one gain, so that loud
 * and soft words of a sentence keep their difference. The gain follows from all sound
 * of the voice so far; for a new voice, from its first second.
 *
 * No sample exceeds VOICE_PEAK (-3 dBFS), so that peaks between samples stay below -1
 * dBTP.  With a higher target the limiter would act in most sentences, because the
 * peaks of some voices are 23 dB above their loudness.
 */
#define VOICE_LUFS (-21.0)
#define VOICE_PEAK 0.7F

/*
 * The loudness of voices, by engine, name and language; when the table is full, the
 * entry used longest ago is replaced. Any thread may call anything.
 */
struct voice_levels;

struct voice_levels *voice_levels_new(struct arena *);

/* As tts_engine.synthesize(), with the gain of the voice applied. */
enum err voice_level_speak(struct voice_levels *, const struct registry_engine *,
    struct arena *, const struct tts_text *, tts_sink *, void *) MUST_CHECK;
/* Bring a whole sound to VOICE_LUFS. */
void voice_level_whole(struct pcm *);

#endif
