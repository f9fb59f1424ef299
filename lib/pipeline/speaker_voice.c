/*
 * Gathers the speech of the recognizer, then has an actor of its own make the voice: it
 * takes more than a second, for which the recognizer must not wait.
 */
#include "pipeline/speaker_voice.h"

#include <pthread.h>
#include <string.h>

#include "pipeline/pipeline_internal.h"
#include "speech/engine.h"

#define ENOUGH ((size_t)SPEAKER_VOICE_S * HEARD_HZ) /* samples */
#define TRIES 3 /* sound without a voice may be followed by sound with one */

struct speaker_voice {
	pthread_mutex_t lock;
	struct arena *sound_mem; /* of the sound; NULL: there is none */
	int16_t *sound;          /* ENOUGH samples, of which there are: */
	size_t n;
	int tries;           /* begun */
	bool making;         /* an actor has the sound */
	struct arena *mem;   /* of the profile */
	const char *profile; /* NULL: not yet */
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
speaker_voice_profile(struct speaker_voice *v)
{
	const char *profile;

	if (v == NULL)
		return NULL;
	pthread_mutex_lock(&v->lock);
	profile = v->profile;
	pthread_mutex_unlock(&v->lock);
	return profile;
}

/* ---- making it ---- */

struct making {
	struct actor_message message;
	struct pipeline *pipeline; /* is not gone before the actor has ended */
	struct speaker_voice *voice;
	const struct engine_at *at;
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

static void
make(void *self, struct actor_message *message)
{
	struct making *m = (struct making *)message;
	struct speaker_voice *v = m->voice;
	const struct clone_sample sample = { .name = "speaker",
		.ref = "speaker",
		.lang = "auto",
		.pcm = as_pcm(message->mem, v) };
	const char *profile = NULL;

	(void)self;
	if (clone_profile.clone(m->at, message->mem, &sample, &profile) != OK)
		profile = NULL;
	pthread_mutex_lock(&v->lock);
	if (profile != NULL)
		v->profile = arena_str(v->mem, profile);
	arena_free(v->sound_mem);
	v->sound_mem = NULL;
	v->n = 0;
	v->making = false;
	pthread_mutex_unlock(&v->lock);
	arena_free(message->mem);
}

static void
made(void *pipeline)
{
	pipeline_left(pipeline);
}

static void
start_making(struct pipeline *p, struct speaker_voice *v, const struct engine_at *at)
{
	struct making *m = ACTOR_MESSAGE(struct making);
	struct actor *actor;

	m->pipeline = p;
	m->voice = v;
	m->at = at;
	p->left++;
	actor = actor_new(p->host.pool, p, make, made);
	actor_send(actor, &m->message);
	actor_leave(actor);
}

/* ---- gathering the sound ---- */

/* The engine of the first target that is to speak with it; NULL: none. */
static const struct registry_engine *
engine_of(const struct pipeline *p)
{
	const struct task *t = &p->config->task;
	const struct registry_engine *engine = NULL;

	for (size_t i = 0; i < t->n_targets && engine == NULL; i++)
		if (speaker_voice_speaks(&t->targets[i]))
			engine = voice_profile_engine(p->config->registry,
			    t->targets[i].language.code, t->targets[i].voice.model);
	return engine;
}

bool
speaker_voice_wanted(const struct pipeline *p)
{
	struct speaker_voice *v = p->config->speaker;

	return v != NULL && speaker_voice_profile(v) == NULL && engine_of(p) != NULL;
}

/* Below the lock.  True: the sound is complete, and the caller has it worked on. */
static bool
gather(struct speaker_voice *v, const int16_t *s, size_t n)
{
	if (v->profile != NULL || v->making || v->tries == TRIES)
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
speaker_voice_hear(struct pipeline *p, const int16_t *s, size_t n)
{
	struct speaker_voice *v = p->config->speaker;
	const struct registry_engine *engine = engine_of(p);
	bool complete;

	if (engine == NULL)
		return;
	pthread_mutex_lock(&v->lock);
	complete = gather(v, s, n);
	pthread_mutex_unlock(&v->lock);
	if (complete)
		start_making(p, v, &engine->at);
}
