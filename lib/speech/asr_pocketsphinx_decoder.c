/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Loads decoders of PocketSphinx.  Loading one takes time and 100 MB, so unused ones
 * are kept in a pool for the next stream.
 */
#include "speech/asr_pocketsphinx_decoder.h"

#include <pocketsphinx.h>
#include <pthread.h>
#include <sphinxbase/err.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"

#define MODEL "/usr/share/pocketsphinx/model/en-us"
/*
 * Open hypotheses, fewer than the library's default of 30000. On real speech the word
 * error rate stays the same (22.9 % and 23.0 %), and the longest time of a feed is
 * halved. With the words of an event, more hypotheses make lattices that take minutes.
 */
#define HYPOTHESES "3000"
/*
 * Frames that are compared with all phones before a hypothesis enters one. It saves a
 * tenth of the processor time, with as many words wrong.
 */
#define LOOKAHEAD "3"

/* The library's loader keeps state in static variables. */
static pthread_mutex_t loading = PTHREAD_MUTEX_INITIALIZER;

/* Log only errors that end the process. */
static void
receive_log(void *arg, err_lvl_t level, const char *format, ...)
{
	char text[256];
	va_list ap;

	(void)arg;
	if (level < ERR_FATAL)
		return;
	va_start(ap, format);
	vsnprintf(text, sizeof(text), format, ap);
	va_end(ap);
	log_error("pocketsphinx: %.*s", (int)strcspn(text, "\n"), text);
}

static void
quieten(void)
{
	err_set_callback(receive_log, NULL);
	err_set_logfp(NULL); /* the library would print its settings to the log file */
}

const char *
decoder_model(const struct engine_at *at)
{
	return at->model != NULL ? at->model : MODEL;
}

void
decoder_free(struct decoder *d)
{
	if (d->ps != NULL)
		ps_free(d->ps);
	arena_free(d->mem);
}

static bool
is_installed(struct arena *mem, const char *model)
{
	static const char *const parts[] = { "en-us/mdef", "en-us.lm.bin",
		"cmudict-en-us.dict" };

	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		if (access(arena_printf(mem, "%s/%s", model, parts[i]), R_OK) != 0)
			return false;
	return true;
}

/* Load a decoder. Silence is kept, or the times of words would be wrong. */
static ps_decoder_t *
load_model(struct arena *mem, const char *model)
{
	cmd_ln_t *c = cmd_ln_init(NULL, ps_args(), TRUE, "-hmm",
	    arena_printf(mem, "%s/en-us", model), "-dict",
	    arena_printf(mem, "%s/cmudict-en-us.dict", model), "-lm",
	    arena_printf(mem, "%s/en-us.lm.bin", model), "-fwdflat", "no",
	    "-remove_silence", "no", "-maxhmmpf", HYPOTHESES, "-pl_window", LOOKAHEAD,
	    (char *)NULL);
	ps_decoder_t *ps;

	if (c == NULL)
		return NULL;
	ps = ps_init(c);
	cmd_ln_free_r(c);
	return ps;
}

static cmn_t *
cmn_of(const struct decoder *d)
{
	return ps_get_feat(d->ps)->cmn_struct;
}

static bool
has_mean(const struct decoder *d)
{
	return d->ps != NULL && cmn_of(d) != NULL && cmn_of(d)->veclen <= DECODER_MEAN;
}

void
decoder_mean(const struct decoder *d, struct decoder_mean *to)
{
	const cmn_t *cmn = cmn_of(d);

	*to = (struct decoder_mean){ .frames = cmn->nframe };
	memcpy(to->mean, cmn->cmn_mean, (size_t)cmn->veclen * sizeof(*to->mean));
	memcpy(to->sum, cmn->sum, (size_t)cmn->veclen * sizeof(*to->sum));
}

enum err
decoder_load(const char *model, struct decoder **to)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	struct arena *mem = arena_new();
	struct decoder *d = arena_alloc(mem, sizeof(*d));
	bool installed = is_installed(mem, model);

	d->mem = mem;
	d->model = arena_str(mem, model);
	pthread_once(&once, quieten);
	if (installed) {
		pthread_mutex_lock(&loading);
		d->ps = load_model(mem, model);
		pthread_mutex_unlock(&loading);
	}
	if (!has_mean(d)) {
		log_warn("pocketsphinx: its model in %s %s", model,
		    installed ? "cannot be loaded" : "is not installed");
		decoder_free(d);
		return ERR_UNSUPPORTED;
	}
	d->mean = arena_alloc(mem, sizeof(*d->mean));
	decoder_mean(d, d->mean);
	memset(d->mean->sum, 0, sizeof(d->mean->sum));
	d->mean->frames = 0;
	*to = d;
	return OK;
}

void
decoder_follow(struct decoder *d, const struct decoder_mean *from)
{
	cmn_t *to = cmn_of(d);

	ps_start_stream(d->ps);
	memcpy(to->cmn_mean, from->mean, (size_t)to->veclen * sizeof(*from->mean));
	memcpy(to->sum, from->sum, (size_t)to->veclen * sizeof(*from->sum));
	to->nframe = from->frames;
}

void
decoder_begin_stream(struct decoder *d)
{
	decoder_follow(d, d->mean);
}

/* ---- the pool ---- */

static struct {
	pthread_mutex_t lock; /* lock of the following members */
	struct decoder *idle[ASR_POOL_MAX];
	int n;
	int keep; /* idle decoders to keep at most, above 0 */
} pool = { .lock = PTHREAD_MUTEX_INITIALIZER, .keep = 1 };

/* With the lock held: take an idle decoder with that model; NULL: there is none. */
static struct decoder *
pop_idle(const char *model)
{
	struct decoder *d = NULL;

	for (int i = pool.n - 1; d == NULL && i >= 0; i--)
		if (strcmp(pool.idle[i]->model, model) == 0) {
			d = pool.idle[i];
			pool.idle[i] = pool.idle[--pool.n];
		}
	return d;
}

enum err
decoder_acquire(const struct engine_at *at, struct decoder **to)
{
	enum err e = OK;

	pthread_mutex_lock(&pool.lock);
	*to = pop_idle(decoder_model(at));
	pthread_mutex_unlock(&pool.lock);
	if (*to == NULL)
		e = decoder_load(decoder_model(at), to);
	if (e == OK)
		decoder_begin_stream(*to);
	return e;
}

void
decoder_release(struct decoder *d)
{
	bool kept;

	pthread_mutex_lock(&pool.lock);
	if ((kept = pool.n < pool.keep))
		pool.idle[pool.n++] = d;
	pthread_mutex_unlock(&pool.lock);
	if (!kept)
		decoder_free(d);
}

enum err
decoder_warm(const struct engine_at *at, int n)
{
	struct decoder *d;
	enum err e = OK;
	int more;

	pthread_mutex_lock(&pool.lock);
	pool.keep = n < 1 ? 1 : n > ASR_POOL_MAX ? ASR_POOL_MAX : n;
	more = (n < ASR_POOL_MAX ? n : ASR_POOL_MAX) - pool.n;
	pthread_mutex_unlock(&pool.lock);
	for (; more-- > 0 && (e = decoder_load(decoder_model(at), &d)) == OK;)
		decoder_release(d);
	return e;
}

void
decoder_free_idle(void)
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
}
