/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "service/backend.h"

#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "broadcast/broadcast.h"
#include "service/channel.h"
#include "service/channel_outputs.h"
#include "service/channel_source.h"
#include "work/queue.h"

/* ---- calls ---- */

const char *
backend_name(struct arena *mem, const char *id, int64_t attempt)
{
	return arena_printf(mem, "%s-%lld", id, (long long)attempt);
}

const char *
backend_name_of(struct arena *mem, const struct channel *c)
{
	return backend_name(mem, c->id, c->attempt);
}

static struct broadcast
as_broadcast(struct arena *mem, const struct channel *c)
{
	return (struct broadcast){
		.name = backend_name_of(mem, c),
		.input = c->input_type,
		.input_url = c->input_url,
		.stream_key = c->stream_key,
		.source_language = c->source_language,
		.target_languages = c->target_languages,
		.region = c->region,
		.ignore_video = c->ignore_video,
		.original_delay_s = c->original_delay_s,
		.original_volume = c->original_volume,
		.audio_settings = c->audio_settings,
		.outputs = c->outputs,
		.pipeline = c->pipeline,
	};
}

/* True if the backend, or the gateway itself, makes this output. */
static bool
makes_output(
    const struct broadcast_driver *d, const struct json *o, const char *protocol)
{
	return strcmp(protocol, "captions_push") == 0 || channel_outputs_makes(o) ||
	       broadcast_has_output(d, protocol);
}

/* The feature that the backend lacks for this channel, a sentence; or NULL. */
static const char *
lacking(const struct conf *conf, const struct broadcast_driver *d, struct arena *mem,
    const struct channel *c)
{
	const char *why, *protocol;
	const struct json *outputs, *o;

	if (!broadcast_has_input(d, c->input_type))
		return arena_printf(mem,
		    "The broadcasting backend does not support %s input.",
		    c->input_type);
	if ((why = channel_source_lacks(conf, c)) != NULL)
		return why;
	outputs = json_read(mem, c->outputs, strlen(c->outputs), &why);
	for (o = outputs != NULL ? outputs->kids : NULL; o != NULL; o = o->next)
		if ((why = channel_outputs_lacks(conf, o)) != NULL)
			return why;
		else if ((protocol = json_get_text(o, "protocol")) != NULL &&
			 !makes_output(d, o, protocol))
			return arena_printf(mem,
			    "The broadcasting backend does not support %s output.",
			    protocol);
	return NULL;
}

enum err
backend_call(const struct conf *conf, struct arena *mem, const struct channel *c,
    bool made, const char **why)
{
	const struct broadcast_driver *d = broadcast_driver(conf);
	struct broadcast b = as_broadcast(mem, c);
	enum err e;

	*why =
	    d != NULL ? lacking(conf, d, mem, c) : "There is no broadcasting backend.";
	if (*why != NULL)
		return ERR_UNSUPPORTED;
	e = made ? d->change(conf, mem, &b) : d->create(conf, mem, &b);
	if (e == OK)
		return OK;
	if (e == ERR_NOT_FOUND && made) {
		*why = "The broadcasting backend has lost the channel.";
		return e;
	}
	*why = e == ERR_REFUSED || e == ERR_UNSUPPORTED
		   ? "The broadcasting backend refused the channel."
		   : BACKEND_NO_ANSWER;
	return e == ERR_REFUSED || e == ERR_UNSUPPORTED ? e : ERR_TIMEOUT;
}

enum err
backend_destroy(const struct conf *conf, struct arena *mem, const struct channel *c)
{
	const struct broadcast_driver *d = broadcast_driver(conf);
	enum err e =
	    d != NULL ? d->destroy(conf, mem, backend_name_of(mem, c)) : ERR_REFUSED;

	return e == OK || e == ERR_REFUSED ? e : ERR_TIMEOUT;
}

/* ---- a backend that does not answer ---- */

#define SILENT_US (60 * S_US) /* time before the backend's state is recorded again */

/* Recorded per host: each has its own route to the backend. */
static const char *
silence(struct arena *mem)
{
	char host[256] = "";

	gethostname(host, sizeof(host) - 1);
	return arena_printf(mem, "broadcast: silent for %s", host);
}

enum err
backend_silent(struct db *db, struct arena *mem)
{
	return chore_done(db, silence(mem));
}

enum err
backend_answered(struct db *db, struct arena *mem)
{
	return chore_forget(db, silence(mem));
}

enum err
backend_known_silent(struct db *db, struct arena *mem, bool *known)
{
	int64_t us;
	enum err e = chore_last(db, silence(mem), &us);

	*known = e == OK && us != NULL_INT;
	return e;
}

bool
backend_is_silent(struct db *db, struct arena *mem)
{
	int64_t us, now = now_us();

	return chore_last(db, silence(mem), &us) == OK && us != NULL_INT &&
	       us > now - SILENT_US && us <= now;
}

/* ---- its return ---- */

#define EACH_US (S_US / 50)     /* time between two jobs that waited */
#define WAKE_US (20 * S_US)     /* time within which all of them become due */
#define NEXT_WAKE_US (4 * S_US) /* shorter than the interval of the checks */
#define WOKEN "broadcast: waiting jobs are due now"

static const char *const kinds[] = { CHANNEL_CREATE, CHANNEL_RESTORE, CHANNEL_REMOVE,
	CHANNEL_LANGUAGE, NULL };

static bool
waits(const struct queue_row *row)
{
	const char *const *k = kinds;

	while (*k != NULL && strcmp(*k, row->kind) != 0)
		k++;
	return *k != NULL && strcmp(row->state, "ready") == 0;
}

/* Spread many jobs over a longer time than few. */
static enum err
find_spread(struct db *db, struct arena *mem, int64_t *us)
{
	struct list l;
	enum err e = queue_counts(db, mem, &l);
	int64_t n = 0;

	for (size_t i = 0; e == OK && i < l.n; i++) {
		const struct queue_row *row = (const struct queue_row *)l.items + i;

		n += waits(row) ? row->n : 0;
	}
	*us = n < WAKE_US / EACH_US ? (n + 1) * EACH_US : WAKE_US;
	return e;
}

enum err
backend_health_over(struct db *db, struct arena *mem)
{
	int64_t woken_us, spread_us, now = now_us();
	bool silent;
	enum err e = backend_known_silent(db, mem, &silent);

	if (e != OK || !silent)
		return e;
	if ((e = backend_answered(db, mem)) != OK ||
	    (e = chore_last(db, WOKEN, &woken_us)) != OK)
		return e;
	if (woken_us != NULL_INT && woken_us <= now && woken_us >= now - NEXT_WAKE_US)
		return OK;
	e = find_spread(db, mem, &spread_us);
	for (const char *const *k = kinds; e == OK && *k != NULL; k++)
		e = queue_wake(db, *k, spread_us);
	return e != OK ? e : chore_done(db, WOKEN);
}
