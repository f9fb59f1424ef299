/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef SPEECH_SYNTH_FLITE_H
#define SPEECH_SYNTH_FLITE_H

#include <stdbool.h>

#include "audio/pcm.h"
#include "base/arena.h"
#include "base/err.h"

/*
 * flite 2, loaded while the program runs, so that it is optional. It keeps state in
 * globals, so each utterance has a process of its own (workers/dragoman-speech.c).
 */

/* True if a voice can be loaded; tried once in the life of a process. */
bool synth_flite_is_installed(void);
/* Load a voice of Debian's packages: awb, kal, kal16, rms, slt. ERR_REFUSED: it is not
   installed. */
enum err synth_flite_open(struct arena *, const char *voice) MUST_CHECK;
/*
 * Speak at `rate` times the voice's normal speed; the sound has UTTERANCE_FLITE_HZ.
 * flite reads ASCII: letters lose their accents, other characters become blanks.
 * ERR_REFUSED: there is no sound, or it has another sample rate.
 */
enum err synth_flite_speak(
    struct arena *, const char *text, double rate, struct pcm *) MUST_CHECK;

#endif
