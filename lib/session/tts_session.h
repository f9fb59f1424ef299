/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef SESSION_TTS_SESSION_H
#define SESSION_TTS_SESSION_H

#include "gateway/gateway.h"
#include "protocol/message.h"
#include "speech/voice_select.h"

/*
 * Text to speech.  The client of a TTS socket sends only text.
 *
 *	tts.c         messages of the client, timers
 *	tts_queue.c   texts to synthesize, messages to send
 *	tts_input.c   joins texts and cuts them into pieces
 *	tts_worker.c  the actor that synthesizes one piece after the other
 *	tts_mp3.c     makes MP3 files that can be joined
 */
struct session;

/* ---- tts_input.c ---- */

/* Joined texts of one generation and one voice.  Allocated in mem, freed with it. */
struct tts_input {
	struct tts_input *next;
	struct arena *mem;
	int number;             /* unique in its session */
	const char *generation; /* id */
	const char *voice;      /* voice as requested */
	double rate;            /* 1: normal speed */
	bool looking;           /* being looked up in the database */
	bool known;             /* the voice was found there */
	struct voice_found found;
	struct buf text;
	size_t from;      /* bytes of text already synthesized */
	bool closed;      /* no more text will be joined */
	bool eos;         /* no more text in this generation */
	int64_t asked_us; /* time at which its last text came, monotonic_us() */
};

struct tts_input *tts_input_new(const char *generation, const char *voice, double rate);
/* Join another text, as sent. */
void tts_input_join(struct tts_input *, const char *);
/* Cut off the next piece to synthesize, in the arena. "": there is none yet. */
const char *tts_input_next(struct arena *, struct tts_input *);
/* True if all its text was taken and no more will come. */
bool tts_input_over(const struct tts_input *);

/* ---- tts_mp3.c ---- */

/* The frames of an MP3 file of *n bytes that may follow another file; sets *n. */
const char *tts_mp3_audio(const char *, size_t *n);

/* ---- tts_worker.c ---- */

/* Settings of all pieces of a session: its init message. */
struct tts_params {
	const char *language, *model; /* model NULL: any */
	enum message_format format;
	int rate_hz; /* rate of the audio */
};

/* A text to synthesize. The worker frees it. */
struct tts_piece {
	struct actor_message message;
	const char *text, *generation, *voice;
	double rate; /* 1: normal speed */
	bool known;  /* found is set */
	struct voice_found found;
	bool first;       /* first piece of its generation */
	int64_t asked_us; /* time at which its text came, monotonic_us() */
	int epoch;        /* see tts_worker_new() */
};

enum tts_event_kind {
	TTS_MESSAGE, /* an output message: a chunk or a warning */
	TTS_DONE,    /* a piece is finished */
	TTS_GONE,    /* the worker is freed; the last event */
};

/* An event of the worker for the event loop, which frees it. */
struct tts_event {
	struct thread_call call;
	struct session *session;
	enum tts_event_kind kind;
	int epoch;              /* epoch of the piece */
	bool sound;             /* MESSAGE: it is a chunk; DONE: the piece had chunks */
	enum err how;           /* DONE */
	int64_t characters;     /* DONE: code points of the piece */
	const char *generation; /* MESSAGE: its id; NULL: a warning */
	const char *text;       /* MESSAGE */
	size_t n;               /* bytes of text */
};

/*
 * Make an actor for struct tts_piece, which passes events to receive(). The session and
 * want must outlive it. It skips pieces whose epoch is not *epoch.
 */
struct actor *tts_worker_new(struct gateway *, struct session *,
    const struct tts_params *, atomic_int *epoch,
    void (*receive)(struct gateway *, struct thread_call *));

#endif
