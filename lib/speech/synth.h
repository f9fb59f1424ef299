/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef SPEECH_SYNTH_H
#define SPEECH_SYNTH_H

#include "audio/pcm.h"
#include "base/arena.h"
#include "base/err.h"

#include "speech/utterance.h"

/* Nouns: create_audio_device. */

/*
 * eSpeak NG. It keeps its state in globals and reads untrusted text, so each utterance
 * has a process of its own (workers/dragoman-speech.c).
 */
struct synth {
	const char *lang;    /* voice file below espeak-ng-data/lang, "gmw/en" */
	const char *variant; /* a file below espeak-ng-data/voices/!v, or NULL */
	const char *lines;   /* more lines of a voice file, or "" */
	int rate_wpm;        /* words a minute, 80 to 450; the default is 175 */
};

/*
 * Load the engine, its data and the voice. ERR_UNSUPPORTED: the voice is not installed.
 * A variant that is not installed is ignored.
 */
enum err synth_open(struct arena *, const struct synth *) MUST_CHECK;
/* Returns the folder of the engine's data after synth_open(); the engine also reads
   there later. */
const char *synth_data(void);
/*
 * Speak. The text is always plain text: SSML, phoneme codes and embedded commands have
 * no effect; bytes that are no UTF-8 and control and private characters become blanks.
 * ERR_REFUSED: the sound would be longer than UTTERANCE_MAX_S or empty.
 */
enum err synth_speak(struct arena *, const char *text, struct pcm *) MUST_CHECK;
/* Returns the pronunciation of a word as mnemonics, separated by blanks; "": none. */
const char *synth_phonemes(struct arena *, const char *word);

#endif
