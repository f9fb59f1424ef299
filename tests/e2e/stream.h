/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef E2E_STREAM_H
#define E2E_STREAM_H

#include "../ws.h"
#include "world.h"

/*
 * Streams for the cases. The engines are of kind script: a tone is recognized as "hello
 * world", whose translation is "[es] hello world".
 */

/* ---- sessions ---- */

struct session {
	const char *id, *publisher, *ws_url;
	json_t *json; /* all messages received */
};

/* Creates a session; body: of POST /session-storage/session, or NULL. */
struct session session_new(const struct account *, const char *body);
bool session_listed(const struct account *, const char *id);
size_t sessions_listed(const struct account *);
/* Remaining credits, read by REST. */
double balance_of(const struct account *);
/* The whole seconds of speech to speech that this price pays for. */
double seconds_for(double credits);

/* ---- connecting ---- */

/* "/streaming-api/NAME/v1/speech-to-speech/stream" of this server, as ws://... */
const char *stream_url(const char *name, const char *query);
/*
 * Connects. The case fails if the answer is no WebSocket. headers: a list that ends
 * with NULL; NULL: none.
 */
struct ws *stream_call(const char *url, const char *const *headers);
struct ws *stream_open(const struct session *, const char *token);
/* A speaker on a session of its own, whose task runs; NULL: without a task. */
struct ws *stream_begin(const struct account *, const char *task);
/* Sends an ordinary HTTP request with the headers of an upgrade and others. */
struct answer stream_refused(const char *url, const char *header, const char *other);

/* ---- saying ---- */

void say_text(struct ws *, const char *message);
void say(struct ws *, const char *type, const char *data);

/* 16 kHz, one target, as most cases use. */
#define SOURCE(hz)                                                                     \
	"\"input_stream\":{\"content_type\":\"audio\",\"source\":{\"type\":\"ws\","    \
	"\"format\":\"pcm_s16le\",\"sample_rate\":" #hz ",\"channels\":1}}"
#define SINK                                                                           \
	"\"output_stream\":{\"content_type\":\"audio\",\"target\":{\"type\":\"ws\","   \
	"\"format\":\"pcm_s16le\"}}"
#define PIPELINE(more)                                                                 \
	"\"pipeline\":{\"transcription\":{\"source_language\":\"en\"},"                \
	"\"translations\":[{\"target_language\":\"es\"}]" more "}"
#define TASK "{" SOURCE(16000) "," SINK "," PIPELINE("") "}"

/* Sends set_task, and get_task until it runs; returns the task from the answer. */
json_t *start_task(struct ws *, const char *task);
json_t *started(struct ws *);

/* Sends sound at once, in chunks of so many bytes: a tone of 300 Hz, or silence. */
struct sound_of_task {
	int hz;
	size_t chunk; /* bytes of a chunk; 0: 320 ms */
	double every_s;
};
void send_sound(struct ws *, const struct sound_of_task *, struct bytes pcm);
struct bytes tone_then_silence(int hz, double tone_s, double silence_s);
void speak(struct ws *, double tone_s, double silence_s); /* at 16 kHz */

/* ---- hearing ---- */

/*
 * Receives the next message within s seconds, checked by all rules of section 3; NULL:
 * none.
 */
json_t *hear_any(struct ws *, double s);
/*
 * Reads messages until one of this type; returns its data. Fails if none arrives in s x
 * PATIENCE.
 */
json_t *hear(struct ws *, const char *type, double s);
/* As hear(), but fails on any other message except warnings and channel_state. */
json_t *hear_next(struct ws *, const char *type, double s);
/* Waits for a channel_state, "live" or "break", within s seconds. */
void hear_state(struct ws *, const char *state, double s);
void hear_error(struct ws *, const char *code, double s);
void hear_nothing(struct ws *, double s);
/*
 * Reads until the connection is closed with this code; returns the reason. *eos: eos
 * came before.
 */
const char *hear_close(struct ws *, int code, double s, bool *eos);

/* The speech of one group, from its first chunk to its last. */
struct speech {
	const char *id, *part, *language;
	size_t chunks, bytes; /* before base64 */
	double first_s;       /* seconds() at which it arrived */
};
struct speech hear_speech(struct ws *, const char *language, double s);

/* Writes a WAV file, for webrtc-client: so often a tone and silence. */
const char *tone_file(int times, double tone_s, double silence_s);

#endif
