/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Calls of engines behind HTTP: limits for each server, time limits, and results. */
#include "speech/engine_call.h"

#include <assert.h>
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>

#include "audio/wav.h"
#include "base/arena.h"
#include "base/clock.h"
#include "base/log.h"

/* ---- places at a server: a counting semaphore, which knows whether a request waits
 * ---- */

#define GATES 64 /* servers; more have no limit */

struct engine_gate {
	const char *url;
	pthread_cond_t left; /* waits on monotonic time */
	int most, used, waiting;
};

/* Guards all gates; held for short times only. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct engine_gate gates[GATES];
static int ngates;
static struct arena *gates_mem;

/* Add a gate. Called with the lock. */
static struct engine_gate *
add_gate(const char *url)
{
	struct engine_gate *g = &gates[ngates];
	pthread_condattr_t attr;

	if (ngates == GATES)
		return NULL;
	if (gates_mem == NULL)
		gates_mem = arena_new();
	g->url = arena_str(gates_mem, url);
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&g->left, &attr);
	pthread_condattr_destroy(&attr);
	ngates++;
	return g;
}

struct engine_gate *
engine_gate_of(const struct engine_at *at)
{
	struct engine_gate *g = gates;

	if (at->parallel <= 0)
		return NULL;
	pthread_mutex_lock(&lock);
	while (g < gates + ngates && strcmp(g->url, at->url) != 0)
		g++;
	if (g == gates + ngates)
		g = add_gate(at->url);
	if (g != NULL)
		g->most = at->parallel;
	pthread_mutex_unlock(&lock);
	return g;
}

/* Wait for a place at the server. Called with the lock. */
static bool
await_slot(struct engine_gate *g, int64_t until_us)
{
	const struct timespec until = { until_us / S_US, until_us % S_US * 1000 };
	int how = 0;

	g->waiting++;
	while (how == 0 && g->used >= g->most)
		how = pthread_cond_timedwait(&g->left, &lock, &until);
	g->waiting--;
	return g->used < g->most;
}

bool
engine_gate_enter(struct engine_gate *g, int64_t until_us)
{
	bool in;

	if (g == NULL)
		return true;
	pthread_mutex_lock(&lock);
	in = until_us > 0 ? await_slot(g, until_us)
			  : g->used < g->most && g->waiting == 0;
	g->used += in;
	pthread_mutex_unlock(&lock);
	return in;
}

void
engine_gate_leave(struct engine_gate *g)
{
	if (g == NULL)
		return;
	pthread_mutex_lock(&lock);
	g->used--;
	pthread_cond_signal(&g->left);
	pthread_mutex_unlock(&lock);
}

bool
engine_gate_is_crowded(struct engine_gate *g)
{
	bool crowded = false;

	if (g == NULL)
		return false;
	pthread_mutex_lock(&lock);
	crowded = g->waiting > 0;
	pthread_mutex_unlock(&lock);
	return crowded;
}

/* ---- facts about a server: hashes in a ring, the oldest is overwritten ---- */

#define FACTS 256

static atomic_uint_least64_t facts[FACTS];
static atomic_uint next;

/* Add the text and its NUL to a hash: FNV-1a, 64 bits. */
static uint64_t
hash_text(uint64_t h, const char *text)
{
	if (text == NULL)
		text = "";
	do
		h = (h ^ (unsigned char)*text) * UINT64_C(0x100000001b3);
	while (*text++ != '\0');
	return h;
}

static uint64_t
hash_fact(const struct engine_at *at, const char *fact)
{
	uint64_t h = hash_text(UINT64_C(0xcbf29ce484222325), at->url);

	return hash_text(hash_text(h, at->model), fact);
}

bool
engine_has_fact(const struct engine_at *at, const char *fact)
{
	uint64_t h = hash_fact(at, fact);
	int i = 0;

	while (i < FACTS && facts[i] != h)
		i++;
	return i < FACTS;
}

void
engine_store_fact(const struct engine_at *at, const char *fact)
{
	if (!engine_has_fact(at, fact))
		facts[next++ % FACTS] = hash_fact(at, fact);
}

/* ---- calls ---- */

/* longest sound to send: 12 minutes of 44.1 kHz, 16-bit mono */
#define SOUND_BYTES (64 << 20)
#define ANSWER_BYTES (8 << 20) /* longest answer: a list of some thousand voices */
#define SAMPLE_BYTES (9 << 20) /* longest sample; servers accept 10 MB */

struct engine_call
engine_start(const struct engine_at *at, struct arena *mem, const char *auth)
{
	return (struct engine_call){
		.at = at,
		.mem = mem,
		.auth = auth != NULL && at->key != NULL
			    ? arena_printf(mem, "%s%s", auth, at->key)
			    : NULL,
		.until_us = monotonic_us() + (int64_t)at->timeout_ms * 1000,
	};
}

/* A call for a partial result, and the gate through which it has passed. */
struct partial_call {
	const struct engine_call *en;
	struct engine_gate *gate;
};

static bool
is_unwanted(void *arg)
{
	const struct partial_call *p = arg;

	return p->en->unwanted(p->en->arg) || engine_gate_is_crowded(p->gate);
}

/* Make the call in a place at the server. */
static enum err
ask_in_turn(
    const struct engine_call *en, struct http_call *call, struct http_answer *to)
{
	struct engine_gate *gate = engine_gate_of(en->at);
	struct partial_call partial = { en, gate };
	bool waits = en->unwanted == NULL;
	enum err e;

	if (!engine_gate_enter(gate,
		waits ? monotonic_us() + en->at->timeout_ms * INT64_C(1000) : 0)) {
		if (waits)
			log_warn("engine %s: %d requests are under way, no place "
				 "came free",
			    en->at->id, en->at->parallel);
		return ERR_BUSY;
	}
	if (!waits) {
		call->unwanted = is_unwanted;
		call->arg = &partial;
	}
	e = http_do(en->mem, call, to);
	engine_gate_leave(gate);
	return e;
}

enum err
engine_ask(const struct engine_call *en, struct http_call call, const char *path,
    struct http_answer *to)
{
	const char *type = call.headers != NULL ? call.headers[0]
			   : call.body != NULL  ? "Content-Type: application/json"
						: NULL;
	const char *const headers[] = { en->auth != NULL ? en->auth : type,
		en->auth != NULL ? type : NULL, NULL };
	int64_t left_ms = (en->until_us - monotonic_us()) / 1000;

	call.url = arena_printf(en->mem, "%s%s", en->at->url, path);
	call.headers = headers;
	call.timeout_ms = (int)left_ms;
	if (call.max_bytes == 0)
		call.max_bytes = call.body != NULL ? SOUND_BYTES : ANSWER_BYTES;
	call.allow_private = en->at->allow_private;
	if (left_ms > 0)
		return ask_in_turn(en, &call, to);
	log_warn("engine: no time left for %s", http_loggable_url(en->mem, call.url));
	return ERR_TIMEOUT;
}

enum err
engine_ask_sound(const struct engine_call *en, const char *path, const struct buf *json,
    struct http_answer *to)
{
	struct http_call call = {
		.method = "POST", .body = json->p, .body_len = json->len
	};

	return engine_ask(en, call, path, to);
}

static const char *
shown(const struct engine_call *en, const char *path)
{
	return http_loggable_url(
	    en->mem, arena_printf(en->mem, "%s%s", en->at->url, path));
}

enum err
engine_verdict(
    const struct engine_call *en, const char *path, const struct http_answer *a)
{
	enum err e = http_verdict(a->status);

	if (e != OK)
		log_warn("engine: %s answered %d", shown(en, path), a->status);
	return e;
}

enum err
engine_refuse(const struct engine_call *en, const char *path, const char *why)
{
	log_warn("engine: %s: %s", shown(en, path), why);
	return ERR_REFUSED;
}

const struct json *
engine_object(const struct engine_call *en, const struct http_answer *a)
{
	const char *why;
	const struct json *v = json_read(en->mem, a->body, a->body_len, &why);

	return v != NULL && v->type == JSON_OBJ ? v : NULL;
}

bool
engine_name_ok(const char *name)
{
	size_t n = strspn(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
				"abcdefghijklmnopqrstuvwxyz0123456789-_");

	return n > 0 && n <= 128 && name[n] == '\0';
}

enum err
engine_delete(const struct engine_call *en, const char *path, const char *voice,
    bool (*is_gone)(const struct engine_call *, const struct http_answer *))
{
	const char *whole = arena_printf(en->mem, "%s/%s", path, voice);
	struct http_call call = { .method = "DELETE" };
	struct http_answer a;
	enum err e;

	if (!engine_name_ok(voice))
		return engine_refuse(en, path, "the voice's name is invalid");
	if ((e = engine_ask(en, call, whole, &a)) != OK)
		return e;
	return is_gone(en, &a) ? OK : engine_verdict(en, whole, &a);
}

const char *
engine_voice_name(struct arena *mem, const char *ref)
{
	assert(engine_name_ok(ref));
	return arena_printf(mem, CLONE_NAME, ref);
}

struct http_part
engine_wav_part(
    struct arena *mem, const char *filename, const int16_t *s, size_t n, int rate_hz)
{
	char *wav = arena_alloc(mem, WAV_HEADER + n * 2);

	wav_header_write(wav, rate_hz, n * 2);
	memcpy(wav + WAV_HEADER, s, n * 2);
	return (struct http_part){
		.name = "file",
		.data = wav,
		.len = WAV_HEADER + n * 2,
		.filename = filename,
		.mime_type = "audio/wav",
	};
}

struct http_part
engine_sample_part(struct arena *mem, const char *field, const struct pcm *pcm)
{
	size_t n = pcm->n < SAMPLE_BYTES / 2 ? pcm->n : SAMPLE_BYTES / 2;
	int16_t *s = arena_alloc(mem, n * sizeof(*s));
	struct http_part part;

	for (size_t i = 0; i < n; i++)
		s[i] = (int16_t)lrintf(fmaxf(-1, fminf(1, pcm->s[i])) * 32767);
	part = engine_wav_part(mem, "sample.wav", s, n, pcm->rate_hz);
	part.name = field;
	return part;
}
