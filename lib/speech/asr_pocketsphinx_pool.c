/*
 * Decoders of PocketSphinx.  Loading one takes time and 100 MB, so those that nobody
 * uses wait for the next stream.
 */
#include "speech/asr_pocketsphinx_pool.h"

#include <pthread.h>
#include <string.h>

#include "speech/asr_pocketsphinx_tuned.h"

static struct {
	pthread_mutex_t lock; /* of what follows */
	struct decoder *idle[ASR_POOL_MAX];
	int n;
	int keep; /* idle ones at most, above 0 */
	int used; /* by streams, or being loaded for one; */
	int most; /* no more than that; 0: any number */
} pool = { .lock = PTHREAD_MUTEX_INITIALIZER, .keep = 1 };

/* Below the lock: an idle one with that model; NULL: there is none. */
static struct decoder *
take_idle(const char *model)
{
	struct decoder *d = NULL;

	for (int i = pool.n - 1; d == NULL && i >= 0; i--)
		if (strcmp(pool.idle[i]->model, model) == 0) {
			d = pool.idle[i];
			pool.idle[i] = pool.idle[--pool.n];
		}
	return d;
}

static void
leave(void)
{
	pthread_mutex_lock(&pool.lock);
	pool.used--;
	pthread_mutex_unlock(&pool.lock);
}

enum err
decoder_take(const struct engine_at *at, bool instead, struct decoder **to)
{
	enum err e = OK;
	bool room;

	pthread_mutex_lock(&pool.lock);
	if ((room = instead || pool.most == 0 || pool.used < pool.most)) {
		pool.used++;
		*to = take_idle(decoder_model(at));
	}
	pthread_mutex_unlock(&pool.lock);
	if (!room)
		return ERR_LIMIT;
	if (*to == NULL)
		e = decoder_load(decoder_model(at), to);
	if (e == OK)
		decoder_begin_stream(*to);
	else
		leave();
	return e;
}

void
asr_limit(int n)
{
	pthread_mutex_lock(&pool.lock);
	pool.most = n;
	pthread_mutex_unlock(&pool.lock);
}

/* Into the pool, if there is room. */
static void
put_by(struct decoder *d)
{
	bool kept;

	pthread_mutex_lock(&pool.lock);
	if ((kept = pool.n < pool.keep))
		pool.idle[pool.n++] = d;
	pthread_mutex_unlock(&pool.lock);
	if (!kept)
		decoder_free(d);
}

void
decoder_give(struct decoder *d)
{
	put_by(d);
	leave();
}

enum err
asr_warm(const struct engine_at *at, int n)
{
	struct decoder *d;
	enum err e = OK;
	int more;

	pthread_mutex_lock(&pool.lock);
	pool.keep = n < 1 ? 1 : n > ASR_POOL_MAX ? ASR_POOL_MAX : n;
	more = (n < ASR_POOL_MAX ? n : ASR_POOL_MAX) - pool.n;
	pthread_mutex_unlock(&pool.lock);
	for (; more-- > 0 && (e = decoder_load(decoder_model(at), &d)) == OK;)
		put_by(d);
	return e;
}

void
asr_cool(void)
{
	struct decoder *idle[ASR_POOL_MAX];
	int n;

	pthread_mutex_lock(&pool.lock);
	n = pool.n;
	memcpy(idle, pool.idle, sizeof(idle));
	pool.n = 0;
	pthread_mutex_unlock(&pool.lock);
	while (n-- > 0)
		decoder_free(idle[n]);
	tuned_cool();
}
