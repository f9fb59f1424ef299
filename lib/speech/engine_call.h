/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef SPEECH_ENGINE_CALL_H
#define SPEECH_ENGINE_CALL_H

#include <stdbool.h>
#include <stdint.h>

#include "base/json.h"
#include "net/http.h"
#include "speech/clone.h"

/*
 * Calls of engines behind HTTP; private to this folder. Errors are those of the tables
 * of functions: only ERR_BUSY and ERR_TIMEOUT are worth another try. All errors have
 * been logged, once and without secrets.
 */

/* An operation of one or more calls, which together have at->timeout_ms. */
struct engine_call {
	const struct engine_at *at;
	struct arena *mem;
	const char *auth; /* the header line with the credential, or NULL */
	int64_t until_us; /* time limit, monotonic_us() */
	/*
	 * For a partial result: returns true when the result is no longer wanted. Such
	 * a call does not wait for a place at the server, and ends with ERR_BUSY,
	 * unlogged, as soon as another call waits for a place. NULL: the result is
	 * final.
	 */
	bool (*unwanted)(void *arg);
	void *arg;
};

/* auth: the beginning of the header line, "Authorization: Bearer "; NULL: no such line.
 */
struct engine_call engine_start(
    const struct engine_at *, struct arena *, const char *auth) MUST_CHECK;
/*
 * Call at->url followed by path. The caller sets method and body; the rest is filled
 * in, including headers unless it sets a Content-Type, and max_bytes unless it is set.
 * OK: an answer of any status. The wait for a place at the server, at most
 * at->timeout_ms, does not count; ERR_BUSY: there was no place.
 */
enum err engine_ask(const struct engine_call *, struct http_call, const char *path,
    struct http_answer *) MUST_CHECK;
/* As engine_ask(), with a JSON body and for an answer that may be large. */
enum err engine_ask_sound(const struct engine_call *, const char *path,
    const struct buf *json, struct http_answer *) MUST_CHECK;
/* Returns http_verdict() of an answer to that path, and logs it when it is not OK. */
enum err engine_verdict(const struct engine_call *, const char *path,
    const struct http_answer *) MUST_CHECK;
/* Log a refusal that the HTTP status does not show, and return ERR_REFUSED. */
enum err engine_refuse(const struct engine_call *, const char *path, const char *why);
/* The body as an object; NULL if it is not one. */
const struct json *engine_object(
    const struct engine_call *, const struct http_answer *);

/* True if a path may contain this name of a voice: 1 to 128 of A-Z a-z 0-9 - _. */
bool engine_name_ok(const char *);
/* DELETE a voice below that path. is_gone() returns true if the answer means that the
   voice does not exist. */
enum err engine_delete(const struct engine_call *, const char *path, const char *voice,
    bool (*is_gone)(const struct engine_call *, const struct http_answer *)) MUST_CHECK;
/* The voice's name at the provider: CLONE_NAME with our id. */
const char *engine_voice_name(struct arena *, const char *ref);
/* The sample as a file "sample.wav", s16 mono, at most 9 MB of it. */
struct http_part engine_sample_part(
    struct arena *, const char *field, const struct pcm *);

/* A WAV file of s16 mono as a part of a form; its data alone can be a body. */
struct http_part engine_wav_part(
    struct arena *, const char *filename, const int16_t *, size_t n, int rate_hz);

/* ---- places at a server ---- */

/*
 * Limits the requests at a server to at->parallel at a time.  Requests for partial
 * results get a place only while no other request waits for one.
 */
struct engine_gate;

/* The gate of the URL, never freed; NULL: there is no limit. */
struct engine_gate *engine_gate_of(const struct engine_at *);
/*
 * Get a place; a NULL gate always has one. Waits until until_us, monotonic_us(); 0:
 * does not wait, for a partial result. False: no place was free.
 */
bool engine_gate_enter(struct engine_gate *, int64_t until_us);
void engine_gate_leave(struct engine_gate *);
/* True if a request waits for a place, so that a request for a partial result must end.
 */
bool engine_gate_is_crowded(struct engine_gate *);

/* ---- facts about a server ---- */

/*
 * Facts learnt from a server's answers, for example that it refuses a format. They are
 * stored until the program ends, for each URL and model. Any thread may call.
 */
bool engine_has_fact(const struct engine_at *, const char *fact);
void engine_store_fact(const struct engine_at *, const char *fact);

#endif
