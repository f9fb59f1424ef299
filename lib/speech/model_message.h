/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef SPEECH_MODEL_MESSAGE_H
#define SPEECH_MODEL_MESSAGE_H

#include <stdbool.h>
#include <stdint.h>

/* A kind whose models are loaded once for all processes: model_loader.h. */
#define MODEL_FORKS "whisper"
/* So are those of this kind, whose processes have a program of their own. */
#define MODEL_SPHINX "pocketsphinx"
#define MODEL_HEARS "dragoman-hear"

/*
 * The messages between an engine of kind sherpa, whisper or pocketsphinx and its
 * process (model_process.h), over a stream socket, in this machine's byte order: a
 * head, then n bytes.
 *
 *	dragoman-speech --model KIND TASK LIBRARY MODEL THREADS
 *
 * KIND is sherpa or whisper (pocketsphinx: dragoman-hear), TASK is MODEL_RECOGNIZE
 * or MODEL_SPEAK; LIBRARY is loaded, and then MODEL, a file or a folder.  The process
 * sends MODEL_READY, or MODEL_FAULT and ends.
 *
 *	phrase:     HINTS SOUND ... SOUND ─▶ END   utterance:  SAY
 *	            ◀─ TEXT ...        ◀─ FINAL                ◀─ AUDIO ... ◀─ DONE
 *
 * HINTS, which may be left out, has likely terms separated by ", ".
 * PocketSphinx answers each SOUND, and END, with HEARD. MEAN may stand between phrases;
 * WORDS, which it answers after a while, before the first.
 * The text of MODEL_END has two lines: the language, or "auto" and the codes of the
 * candidates, if there are any; and a prompt, which may be empty.
 */
#define MODEL_RECOGNIZE "recognize"
#define MODEL_SPEAK "speak"
#define MODEL_BYTES (64 << 10) /* bytes after a head at most */

enum model_kind {
	MODEL_READY = 1, /* the model is loaded; of a forked process: its pid_t */
	MODEL_FAULT,     /* text: why the process ends */
	MODEL_HINTS,     /* text: likely terms of the phrase that begins */
	MODEL_SOUND,     /* samples, int16_t, 16 kHz */
	MODEL_END,       /* text: languages and prompt, see above */
	MODEL_DROP,      /* cancel the phrase of that turn */
	MODEL_TEXT,      /* text: the phrase so far; only if it has changed */
	MODEL_FINAL,     /* struct model_final, text */
	MODEL_UTTERANCE, /* struct model_utterance, text */
	MODEL_AUDIO,     /* int32_t rate in Hz, then samples, int16_t */
	MODEL_DONE,
	MODEL_HEARD, /* see heard_write() of asr_pocketsphinx_phrase.h */
	MODEL_MEAN,  /* struct decoder_mean */
	/* words of an event, see vocabulary_write(); the answer is a byte, 1 if it has
	   learnt some */
	MODEL_WORDS,
	MODEL_FORK, /* a byte, and a descriptor: fork a process that uses that */
};

struct model_head {
	uint32_t kind;
	uint32_t turn; /* number of the phrase or utterance */
	uint32_t n;
};

struct model_final {
	char lang[16];    /* the wanted language, or with "auto" the detected one */
	char foreign[16]; /* the language that was spoken instead; "": none */
	float confidence; /* 0 to 1; 0: unknown */
};

struct model_utterance {
	float rate;      /* speed; 1: normal */
	int32_t speaker; /* number of the speaker in a model with several */
};

#endif
