/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef SPEECH_SYNTH_H
#define SPEECH_SYNTH_H

#include "audio/pcm.h"
#include "base/arena.h"
#include "base/err.h"

#include "speech/utterance.h"

/* Nouns: create_audio_device. */

/*
 * eSpeak NG.  It keeps its state in globals and reads untrusted text: each utterance
 * has a process (workers/dragoman-speech.c).
 */
struct synth {
	const char *lang;    /* voice file below espeak-ng-data/lang, "gmw/en" */
	const char *variant; /* a file below espeak-ng-data/voices/!v, or NULL */
	const char *lines;   /* more lines of a voice file, or "" */
	int rate_wpm;        /* 80 to 450; 175 is its own */
};

/*
 * Load the engine, its data and the voice.  ERR_UNSUPPORTED: the voice is not
 * installed; a variant that is not is left out.
 */
enum err synth_open(struct arena *, const struct synth *) MUST_CHECK;
/* The folder of the engine's data, once it is open: it also reads there later. */
const char *synth_data(void);
/*
 * Speak.  The text is plain text whatever it looks like: no SSML, no phoneme
 * codes, no embedded commands; bytes that are no UTF-8 and control and private
 * characters are blanks.  ERR_REFUSED: it would be longer than UTTERANCE_MAX_S, or
 * makes no sound.
 */
enum err synth_speak(struct arena *, const char *text, struct pcm *) MUST_CHECK;
/* The pronunciation of a word, mnemonics with blanks between; "": none. */
const char *synth_phonemes(struct arena *, const char *word);

#endif
