#include "service/backend.h"

#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/token.h"
#include "broadcast/broadcast.h"
#include "service/node.h"
#include "service/stream.h"
#include "work/queue.h"

#define STREAM_KEY "stream_key" /* the secret member of an output */

/* ---- what it is told ---- */

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

/* What the backend lacks for this channel, a sentence; or NULL. */
static const char *
lacking(const struct broadcast_driver *d, struct arena *mem, const struct channel *c)
{
	const char *why, *protocol;
	const struct json *outputs, *o;

	if (!broadcast_takes(d, c->input_type))
		return arena_printf(
		    mem, "The broadcasting backend takes no %s input.", c->input_type);
	outputs = json_read(mem, c->outputs, strlen(c->outputs), &why);
	for (o = outputs != NULL ? outputs->kids : NULL; o != NULL; o = o->next)
		if ((protocol = json_get_text(o, "protocol")) != NULL &&
		    !broadcast_gives(d, protocol))
			return arena_printf(mem,
			    "The broadcasting backend has no %s output.", protocol);
	return NULL;
}

enum err
backend_call(const struct conf *conf, struct arena *mem, const struct channel *c,
    bool made, const char **why)
{
	const struct broadcast_driver *d = broadcast_driver(conf);
	struct broadcast b = as_broadcast(mem, c);
	enum err e;

	*why = d != NULL ? lacking(d, mem, c) : "There is no broadcasting backend.";
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

/* ---- what a reader sees ---- */

/*
 * The same for everybody who reads the channel, for half of the time that it is
 * good for; then there is another.
 */
static const char *
input_token(const struct conf *conf, struct arena *mem, const struct channel *c)
{
	int64_t life_us = conf->session_token_days * 86400 * S_US,
		step_us = life_us / 2;
	int64_t steps = (now_us() - c->created_us) / step_us;
	int64_t from_us = c->created_us + steps * step_us;
	const struct stream_token t = { .role = STREAM_PUBLISHER,
		.sid = c->id,
		.room = c->broadcast,
		.expires_us = from_us + life_us,
		.seed = arena_printf(mem, "%s %lld", c->broadcast, (long long)steps) };

	return stream_token_make(mem, conf->session_jwt_keys, from_us, &t);
}

static const char *
input_json(const struct conf *conf, struct arena *mem, const struct channel *c,
    const struct broadcast_driver *d, bool secrets)
{
	const struct conf *at = node_conf(conf, mem, c->node, c->node_url);
	struct buf b = { .mem = mem };
	struct jw j = { .out = &b };

	jw_open(&j, NULL);
	jw_text(&j, "protocol", c->input_type);
	jw_text(&j, "url",
	    d->webrtc ? d->webrtc_url(at, mem) : stream_ws_url(at, mem, c->id));
	jw_text(&j, "token", secrets ? input_token(conf, mem, c) : NULL);
	if (d->admit != NULL)
		d->admit(conf, mem, c->broadcast, secrets, &j);
	jw_close(&j);
	return buf_text(&b);
}

static void
write_output(struct jw *j, const struct json *output)
{
	jw_open(j, NULL);
	for (const struct json *m = output->kids; m != NULL; m = m->next)
		if (strcmp(m->key, STREAM_KEY) == 0)
			jw_null(j, m->key);
		else
			jw_json(j, m->key, m);
	jw_close(j);
}

/* The outputs with null for every stream key. */
static const char *
hide_keys(struct arena *mem, const char *outputs)
{
	const char *why;
	const struct json *list = json_read(mem, outputs, strlen(outputs), &why), *o;
	struct buf b = { .mem = mem };
	struct jw j = { .out = &b };

	jw_list(&j, NULL);
	for (o = list != NULL ? list->kids : NULL; o != NULL; o = o->next)
		write_output(&j, o);
	jw_close(&j);
	return buf_text(&b);
}

void
channel_tell(
    const struct conf *conf, struct arena *mem, struct channel *c, bool secrets)
{
	const struct broadcast_driver *d = broadcast_driver(conf);

	if (!secrets && strstr(c->outputs, STREAM_KEY) != NULL)
		c->outputs = hide_keys(mem, c->outputs);
	if (c->broadcast != NULL && d != NULL)
		c->input = input_json(conf, mem, c, d, secrets);
}

/* ---- a backend that does not answer ---- */

#define SILENT_US (60 * S_US) /* unless it is said again */

/* Each host has a way of its own to the backend. */
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
backend_heard(struct db *db, struct arena *mem)
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
