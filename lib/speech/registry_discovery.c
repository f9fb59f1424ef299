/*
 * What engines have to be asked is asked ahead, by a thread that may wait for them; the
 * other threads look at what they said.
 */
#include <pthread.h>

#include "speech/registry_internal.h"

/* What an engine of speech.mt said of its pairs. */
struct known {
	struct arena *mem; /* NULL: it was not asked */
	struct list pairs;
};

/* Apart, since a thread that only looks something up has to lock it, too. */
struct registry_discovery {
	const struct engines *list;
	pthread_mutex_t lock;
	struct known *of; /* each engine of speech.mt; below the lock */
};

static void
forget(void *arg)
{
	struct registry_discovery *l = arg;

	for (size_t i = 0; i < l->list->n; i++)
		arena_free(l->of[i].mem);
	pthread_mutex_destroy(&l->lock);
}

struct registry_discovery *
registry_discovery_new(struct arena *mem, const struct engines *list)
{
	struct registry_discovery *l = arena_alloc(mem, sizeof(*l));

	l->list = list;
	l->of = arena_alloc(mem, (list->n + 1) * sizeof(*l->of));
	pthread_mutex_init(&l->lock, NULL);
	arena_defer(mem, forget, l);
	return l;
}

/* What it said before stays when it does not answer now. */
static bool
learn_of(struct registry_discovery *l, size_t i)
{
	const struct registry_engine *en = &l->list->e[i];
	struct known now = { .mem = arena_new() }, was;
	bool answers = mt_learn(en->mt, &en->at, now.mem, &now.pairs) == OK;

	if (!answers)
		now.pairs = (struct list){ 0 };
	pthread_mutex_lock(&l->lock);
	was = l->of[i];
	if (answers || was.mem == NULL)
		l->of[i] = now;
	else
		was = now;
	pthread_mutex_unlock(&l->lock);
	arena_free(was.mem);
	return answers;
}

bool
registry_learn(struct registry *reg)
{
	struct registry_discovery *l = reg->discovery;
	bool all = true;

	for (size_t i = 0; i < l->list->n; i++)
		if (l->list->e[i].mt->waits)
			all &= learn_of(l, i);
	return all;
}

bool
registry_has(const struct registry *reg, const struct registry_engine *en,
    const char *from, const char *to, const char **via)
{
	struct registry_discovery *l = reg->discovery;
	const struct known *k = &l->of[en - l->list->e];
	bool known, has = false;

	*via = NULL;
	pthread_mutex_lock(&l->lock);
	if ((known = k->mem != NULL))
		has = mt_pairs_known(&en->at, &k->pairs, from, to, via);
	pthread_mutex_unlock(&l->lock);
	return known ? has : mt_pairs(en->mt, &en->at, from, to);
}

bool
registry_able(const struct registry *reg, const struct registry_engine *en,
    const char *from, const char *to)
{
	const char *via;

	if (en->asr != NULL)
		return en->asr->knows(&en->at, from);
	if (en->mt != NULL)
		return registry_has(reg, en, from, to, &via);
	return tts_knows(en->tts, &en->at, from);
}
