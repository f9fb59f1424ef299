/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Collects the recognizer's speech. A separate actor then makes the voice, as this
 * takes more than a second and the recognizer must not wait.
 */
#include "pipeline/speaker_voice.h"

#include <pthread.h>
#include <string.h>

#include "pipeline/pipeline_internal.h"
#include "speech/engine.h"

#define ENOUGH ((size_t)SPEAKER_VOICE_S * HEARD_HZ) /* samples that a voice needs */
/* attempts; after sound that gives no voice, later sound may be better */
#define TRIES 3

struct speaker_voice {
	pthread_mutex_t lock;
	struct arena *sound_mem; /* arena of the sound; NULL: there is none */
	int16_t *sound;          /* ENOUGH samples; n are used */
	size_t n;
	int tries;                /* attempts begun */
	bool making;              /* an actor has the sound */
	struct arena *mem;        /* arena of the following members */
	const char *server, *ref; /* see speaker_voice_allow(); NULL: not allowed */
	const char *voice;        /* NULL: not made yet */
	bool at_server; /* true: the voice is at the server; false: it is a profile */
};

static void
forget(void *arg)
{
	struct speaker_voice *v = arg;

	arena_free(v->sound_mem);
	arena_free(v->mem);
	pthread_mutex_destroy(&v->lock);
}

struct speaker_voice *
speaker_voice_new(struct arena *mem)
{
	struct speaker_voice *v = arena_alloc(mem, sizeof(*v));

	pthread_mutex_init(&v->lock, NULL);
	v->mem = arena_new();
	arena_defer(mem, forget, v);
	return v;
}

const char *
speaker_voice_get(struct speaker_voice *v)
{
	const char *voice;

	if (v == NULL)
		return NULL;
	pthread_mutex_lock(&v->lock);
	voice = v->voice;
	pthread_mutex_unlock(&v->lock);
	return voice;
}

const char *
speaker_voice_for(struct speaker_voice *v, const struct registry_engine *engine)
{
	const char *voice = speaker_voice_get(v);
	bool can = (engine->tts->can & TTS_PROFILE) != 0;

	if (voice != NULL && v->at_server)
		can = strcmp(engine->at.id, v->server) == 0;
	return can ? voice : NULL;
}

void
speaker_voice_allow(struct speaker_voice *v, const char *engine, const char *ref)
{
	pthread_mutex_lock(&v->lock);
	v->ref = arena_str(v->mem, ref);
	v->server = arena_str(v->mem, engine);
	pthread_mutex_unlock(&v->lock);
}

const char *
speaker_voice_ref(struct speaker_voice *v, const char **engine)
{
	const char *ref;

	*engine = NULL;
	if (v == NULL)
		return NULL;
	pthread_mutex_lock(&v->lock);
	*engine = v->server;
	ref = v->ref;
	pthread_mutex_unlock(&v->lock);
	return ref;
}

static const char *
server_of(struct speaker_voice *v)
{
	const char *server;

	return speaker_voice_ref(v, &server) != NULL ? server : NULL;
}

void
speaker_voice_lose(struct speaker_voice *v)
{
	pthread_mutex_lock(&v->lock);
	if (v->at_server) {
		v->voice = NULL;
		v->tries = TRIES;
	}
	pthread_mutex_unlock(&v->lock);
}

/* ---- making it ---- */

struct making {
	struct actor_message message;
	struct pipeline *pipeline; /* lives until the actor has ended */
	struct speaker_voice *voice;
	const struct registry_engine *engine;
};

static struct pcm
as_pcm(struct arena *mem, const struct speaker_voice *v)
{
	struct pcm p = { .n = v->n, .rate_hz = HEARD_HZ };

	p.s = arena_alloc(mem, p.n * sizeof(*p.s));
	for (size_t i = 0; i < p.n; i++)
		p.s[i] = (float)v->sound[i] / 32768;
	return p;
}

/* Store a result. After a refusal no more speech is sent to that server. */
static void
store_voice(struct speaker_voice *v, bool at_server, enum err how, const char *voice)
{
	pthread_mutex_lock(&v->lock);
	if (how == OK) {
		v->at_server = at_server;
		v->voice = arena_str(v->mem, voice);
	} else if (at_server && how == ERR_REFUSED)
		v->tries = TRIES;
	arena_free(v->sound_mem);
	v->sound_mem = NULL;
	v->n = 0;
	v->making = false;
	pthread_mutex_unlock(&v->lock);
}

static void
make(void *self, struct actor_message *message)
{
	struct making *m = (struct making *)message;
	struct speaker_voice *v = m->voice;
	const struct registry_engine *en = m->engine;
	bool at_server = (en->tts->can & TTS_PROFILE) == 0;
	const struct clone_engine *by =
	    at_server ? engine_find(en->at.kind)->clone : &clone_profile;
	const struct clone_sample sample = { .name = "speaker",
		.ref = at_server ? v->ref : "speaker",
		.lang = m->pipeline->config->task.language.code,
		.pcm = as_pcm(message->mem, v) };
	const char *voice = NULL;
	enum err how = by->clone(&en->at, message->mem, &sample, &voice);

	(void)self;
	store_voice(v, at_server, how, voice);
	arena_free(message->mem);
}

static void
made(void *pipeline)
{
	pipeline_left(pipeline);
}

static void
start_making(
    struct pipeline *p, struct speaker_voice *v, const struct registry_engine *engine)
{
	struct making *m = ACTOR_MESSAGE(struct making);
	struct actor *actor;

	m->pipeline = p;
	m->voice = v;
	m->engine = engine;
	p->left++;
	actor = actor_new(p->host.pool, p, make, made);
	actor_send(actor, &m->message);
	actor_leave(actor);
}

/* ---- gathering the sound ---- */

/* The engine of the first target that uses the voice; NULL: none. */
static const struct registry_engine *
engine_of(const struct pipeline_config *w, const char *server)
{
	const struct registry_engine *engine = NULL;

	for (size_t i = 0; i < w->task.n_targets && engine == NULL; i++) {
		const struct task_target *t = &w->task.targets[i];

		if (speaker_voice_speaks(t))
			engine = voice_live_engine(
			    w->registry, t->language.code, t->voice.model, server);
	}
	return engine;
}

const struct registry_engine *
speaker_voice_engine(const struct pipeline_config *w, const struct task_target *t)
{
	return voice_live_engine(
	    w->registry, t->language.code, t->voice.model, server_of(w->speaker));
}

const struct registry_engine *
speaker_voice_server(const struct pipeline_config *w)
{
	const struct registry_engine *engine = NULL;

	if (w->speaker != NULL && server_of(w->speaker) == NULL &&
	    speaker_voice_get(w->speaker) == NULL)
		engine = engine_of(w, "");
	return engine != NULL && (engine->tts->can & TTS_PROFILE) == 0 ? engine : NULL;
}

bool
speaker_voice_wanted(const struct pipeline *p)
{
	struct speaker_voice *v = p->config->speaker;

	return v != NULL && speaker_voice_get(v) == NULL &&
	       engine_of(p->config, server_of(v)) != NULL;
}

/* With the lock held.  True: the sound is complete, and the caller must start making
   the voice. */
static bool
gather(struct speaker_voice *v, const int16_t *s, size_t n)
{
	if (v->voice != NULL || v->making || v->tries == TRIES)
		return false;
	if (v->sound_mem == NULL) {
		v->sound_mem = arena_new();
		v->sound = arena_alloc(v->sound_mem, ENOUGH * sizeof(*v->sound));
	}
	n = n < ENOUGH - v->n ? n : ENOUGH - v->n;
	memcpy(v->sound + v->n, s, n * sizeof(*s));
	v->n += n;
	v->making = v->n == ENOUGH;
	v->tries += v->making;
	return v->making;
}

void
speaker_voice_add(struct pipeline *p, const int16_t *s, size_t n)
{
	struct speaker_voice *v = p->config->speaker;
	const struct registry_engine *engine = engine_of(p->config, server_of(v));
	bool complete;

	if (engine == NULL)
		return;
	pthread_mutex_lock(&v->lock);
	complete = gather(v, s, n);
	pthread_mutex_unlock(&v->lock);
	if (complete)
		start_making(p, v, engine);
}
