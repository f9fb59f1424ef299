/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef SPEECH_UTTERANCE_H
#define SPEECH_UTTERANCE_H

#include "speech/tts.h"

/*
 * The interface between the engines espeak and flite and their program,
 * dragoman-speech:
 *
 *	dragoman-speech LANG [VOICE [RATE]] <TEXT >SOUND
 *
 * LANG is a code of the API, VOICE a profile as voice_profile.h describes it, or
 * UTTERANCE_FLITE and the name of a voice of flite; RATE a factor of its speed (1.5),
 * TEXT plain UTF-8, SOUND signed 16-bit samples of this machine's byte order, mono, of
 * UTTERANCE_RATE_HZ or UTTERANCE_FLITE_HZ.  Their full scale stands for UTTERANCE_MOST,
 * because a profile may make sound louder.
 */
#define UTTERANCE_RATE_HZ 22050
#define UTTERANCE_FLITE_HZ 16000
#define UTTERANCE_MOST 4.0F
#define UTTERANCE_FLITE "flite:"
#define UTTERANCE_MAX_BYTES (64 << 10) /* longest text */
#define UTTERANCE_MAX_S 1500           /* longest sound */

enum { /* exit status */
	UTTERANCE_FAILED = 1,
	UTTERANCE_UNSUPPORTED = 2, /* language not supported */
	UTTERANCE_REFUSED = 3,     /* text or voice refused */
};

#endif
