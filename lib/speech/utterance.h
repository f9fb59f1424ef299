#ifndef SPEECH_UTTERANCE_H
#define SPEECH_UTTERANCE_H

/*
 * What tts_espeak.c and the program it runs, dragoman-speech, say
 * to each other:
 *
 *	dragoman-speech LANG [PROFILE [RATE]] <TEXT >SOUND
 *
 * LANG is a code of the API, PROFILE what profile.h describes, RATE how much faster
 * than that it speaks (1.5), TEXT plain UTF-8, SOUND signed 16-bit samples of this
 * machine's byte order, mono.
 */
#define UTTERANCE_RATE_HZ 22050
#define UTTERANCE_MAX_BYTES (64 << 10) /* of text */
#define UTTERANCE_MAX_S 1500           /* of sound */

enum { /* exit status */
	UTTERANCE_FAILED = 1,
	UTTERANCE_UNSUPPORTED = 2, /* not this language */
	UTTERANCE_REFUSED = 3,     /* not this text or profile */
};

#endif
