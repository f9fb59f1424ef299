/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef SPEECH_SYNTH_FLITE_H
#define SPEECH_SYNTH_FLITE_H

#include <stdbool.h>

#include "audio/pcm.h"
#include "base/arena.h"
#include "base/err.h"

/*
 * flite 2, loaded while the program runs, so that it is optional.  It keeps state in
 * globals: each utterance has a process (workers/dragoman-speech.c).
 */

/* True if a voice can be loaded; it is tried once in the life of a process. */
bool synth_flite_is_installed(void);
/* Load one of Debian's: awb, kal, kal16, rms, slt.  ERR_REFUSED: it is not there. */
enum err synth_flite_open(struct arena *, const char *voice) MUST_CHECK;
/*
 * Speak at `rate` times the voice's own speed; the sound is of UTTERANCE_FLITE_HZ. It
 * reads ASCII: letters lose their accents, other characters become blanks. ERR_REFUSED:
 * it makes no sound, or has another sample rate.
 */
enum err synth_flite_speak(
    struct arena *, const char *text, double rate, struct pcm *) MUST_CHECK;

#endif
