/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TESTS_STREAM_LOAD_H
#define TESTS_STREAM_LOAD_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "stream-load-tell.h"
#include "ws.h"

/*
 * Many clients of the gateway in one thread.  Each has a kind, which acts when it is
 * due and handles received data.
 *
 *	stream-load.c        when clients connect, and the loop
 *	stream-load-call.c   sessions, connections, messages
 *	stream-load-tell.c   figures, counts and errors
 *	stream-load-sound.c  audio: tones or a recording, and its phrases
 *	stream-load-speak.c  speakers: S2S streams whose every phrase is timed
 *	stream-load-hear.c   listeners, STT and TTS
 *	stream-load-odd.c    idle, paused, pinging, reconnecting and bad clients
 */

#define CHUNK_MS 320
#define CHUNK_US (CHUNK_MS * INT64_C(1000))
#define SPEECH_HZ 24000 /* rate of S2S sound */
#define HEARING_HZ 16000
#define NEVER INT64_MAX
#define ANSWER_S 15 /* seconds that anything may take */

struct load;
struct client;

struct session {
	const char *id, *publisher, *subscriber;
	const char *s2s, *stt, *tts; /* addresses */
};

struct kind {
	const char *name;
	size_t size; /* size of the struct at self */
	/* Act when it is due: connect, or continue. Sets the next due time. */
	void (*act)(struct client *, int64_t now_us);
	/* The call was answered and the client is connected. */
	void (*in)(struct client *, int64_t now_us);
	void (*hear)(struct client *, const struct ws_message *, int64_t now_us);
	void (*finish)(struct client *); /* leave, and become done */
};

struct client {
	const struct kind *kind;
	struct load *load;
	int number;               /* number within its kind, from 0 */
	struct arena *mem, *life; /* arena of this connection; of the client */
	struct session session;
	bool ready; /* the session is new */
	struct ws *ws;
	int64_t due_us;
	int64_t called_us; /* since when an answer is awaited; 0: none */
	bool up;           /* connected and working */
	bool ending;       /* finish() was called */
	bool done;         /* it will not reconnect */
	bool quiet;        /* its connection may end in any way */
	void *self;
};

/* The phrase that is repeated; its length is a whole number of chunks. */
struct phrase_at {
	double start_s, end_s; /* times of its first and last voiced sample */
};

struct sound {
	size_t chunks;
	struct {
		const void *p; /* a frame with input_audio_data, or with plain bytes */
		size_t n;
	} * frames;
	struct phrase_at *phrases;
	size_t n;
	double s; /* its length in seconds */
};

struct load {
	struct arena *mem, *scratch; /* memory for one event */
	const char *base, *key;
	const char *to;     /* target language */
	const char *models; /* "ASR,MT,TTS", of speakers; NULL: auto */
	const char *listen; /* further query of listeners, "&format=opus" */
	/* "URL TOKEN" of the channel's speaker; NULL: use sessions */
	const char *channel;
	const char **joined;          /* lines of joined listeners, then NULL */
	struct sound speech, hearing; /* sound for S2S, and for STT */
	struct client *clients;
	size_t n;
	int epoll;
	bool measuring; /* all clients are connected and none leaves yet */
	bool ending;
	bool lines;       /* the n-th phrase is "sentence number n" */
	bool churn;       /* clients that are done reconnect */
	int phrases;      /* phrases before a speaker leaves; 0: until the end */
	int eos_s;        /* eos_timeout of end_task */
	int64_t open_us;  /* time between two clients that connect */
	double silence_s; /* seconds of silence that end a phrase */
};

/* ---- stream-load-tell.c ---- */

/* As figure_always(), only during the measurement. */
void figure(const struct load *, const char *name, int64_t us);
/* Reports that the gateway broke a promise. */
void wrong(const struct client *, const char *, ...)
    __attribute__((format(printf, 2, 3)));
/* Adds billed speech to speech, in started seconds: between these two numbers. */
void meter(int64_t least_us, int64_t most_us);

/* ---- stream-load-call.c ---- */

/* Creates a session by REST, in c->life; false: the error was reported. */
bool session_make(struct client *);
/* Prepares ahead of time for the next session_make(). */
void session_ready(struct client *);
/*
 * Calls the address, with "?token=" and the query added; in() of the kind is called
 * when it is answered. The client has no due time until then.
 */
void client_call(
    struct client *, const char *url, const char *token, const char *query);
/* True if the client is connected; in() was called, or an error was reported. */
bool client_answered(struct client *);
void client_hang_up(struct client *);
bool client_say(struct client *, const char *type, const char *data);
bool client_send(struct client *, enum ws_kind, const void *, size_t n);
/* The task of all speakers. */
const char *task_of(struct load *);
/* Returns a member of a received message; "" if there is none. The JSON is the
   scratch's. */
json_t *message_read(struct load *, const struct ws_message *);
const char *type_of(const json_t *);
const char *text_in(const json_t *, const char *name);

/* ---- stream-load-sound.c ---- */

/* Makes tones, one phrase in each period; json: as input_audio_data. */
struct sound sound_tones(struct arena *, int hz, bool json);
/* Reads a mono WAV file of 16 bits at SPEECH_HZ. */
struct sound sound_file(struct arena *, const char *name);
/* Number of the chunk in which the phrase ends. */
int64_t sound_chunk(double at_s);
/* True if there is silence between this chunk, counted from 0, and the next. */
bool sound_rests(const struct sound *, int64_t chunk);
/* Returns how many phrases have ended when this chunk is sent. */
int64_t sound_said(const struct sound *, int64_t chunk);
/* Returns where the n-th phrase ends, counted from 0. */
double sound_end_s(const struct sound *, int64_t n);

/* ---- kinds ---- */

extern const struct kind speaker_kind, listener_kind, stt_kind, tts_kind, idle_kind,
    paused_kind, probe_kind, door_kind, dropper_kind, bad_kind;
/* Number at the end of the text "sentence number n"; -1: none. */
int sentence_number(const char *text);
/* The speaker of the n-th listener; NULL: no speaker is up. */
const struct client *speaker_for(const struct load *, int n);
/* Returns when the last sound of the speaker's n-th phrase was sent, counted from 1. */
int64_t speaker_ended_us(const struct client *, int n);

#endif
