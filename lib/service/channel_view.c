/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "service/channel_view.h"

#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "base/problem.h"
#include "base/token.h"
#include "broadcast/broadcast.h"
#include "service/channel_outputs.h"
#include "service/channel_source.h"
#include "service/node.h"
#include "store/channel_outputs.h"

#define STREAM_KEY "stream_key"  /* the secret member of an output, */
#define CAPTIONS "captions_push" /* but for this protocol the url is secret */

/* ---- input ---- */

/* A cache of the last tokens that this process made, by the first digit of the
   channel's id. */
static struct made {
	struct arena *mem;
	const char *of, *token; /* the token, and all data that it depends on */
} made[128];

/* Tokens are deterministic, and making one takes most of the time of an answer. */
static const char *
made_once(const struct conf *conf, struct arena *mem, int64_t from_us,
    const struct stream_token *t)
{
	struct made *m = &made[t->sid[0] & 127];
	const char *of = arena_printf(mem, "%s %s %lld %lld %s", t->sid, t->seed,
	    (long long)from_us, (long long)t->expires_us, conf->session_jwt_keys);

	if (m->mem != NULL && strcmp(m->of, of) == 0)
		return m->token;
	arena_free(m->mem);
	m->mem = arena_new();
	m->of = arena_str(m->mem, of);
	m->token = stream_token_make(m->mem, conf->session_jwt_keys, from_us, t);
	return m->token;
}

/*
 * Returns the token, which is the same for every reader of the channel for half of its
 * life; then a new one is made.
 */
static const char *
input_token(const struct conf *conf, struct arena *mem, const struct channel *c)
{
	int64_t life_us = conf->session_token_days * 86400 * S_US,
		step_us = life_us / 2;
	int64_t steps = (now_us() - c->created_us) / step_us;
	int64_t from_us = c->created_us + steps * step_us;

	return made_once(conf, mem, from_us,
	    &(const struct stream_token){ .role = STREAM_PUBLISHER,
		.sid = c->id,
		.room = c->broadcast,
		.expires_us = from_us + life_us,
		.speaker_version = c->speaker_version,
		.seed = arena_printf(mem, "%s %lld %lld", c->broadcast,
		    (long long)steps, (long long)c->speaker_version) });
}

/* The settings of the node that serves it. */
static const struct conf *
conf_of(const struct conf *conf, struct arena *mem, const struct channel *c)
{
	return node_conf(conf, mem,
	    &(const struct node){ .id = c->node,
		.public_url = c->node_url,
		.ingest_host = c->node_ingest_host });
}

static const char *
input_json(const struct conf *conf, struct arena *mem, const struct channel *c,
    const struct broadcast_driver *d, bool secrets)
{
	const struct conf *at = conf_of(conf, mem, c);
	struct buf b = { .mem = mem };
	struct json_writer j = { .out = &b };
	const char *whip;

	jw_open(&j, NULL);
	jw_text(&j, "protocol", c->input_type);
	if (channel_source_write(at, mem, c, secrets, &j)) {
		jw_close(&j);
		return buf_text(&b);
	}
	jw_text(&j, "url",
	    d->admit != NULL ? d->webrtc_url(at, mem) : stream_ws_url(at, mem, c->id));
	jw_text(&j, "token", secrets ? input_token(conf, mem, c) : NULL);
	if ((whip = stream_whip_url(at, mem, c->id)) != NULL)
		jw_text(&j, "whip_url", whip);
	if (d->admit != NULL)
		d->admit(conf, mem, c->broadcast, secrets, &j);
	jw_close(&j);
	return buf_text(&b);
}

/* ---- outputs ---- */

/* The settings for showing outputs. */
struct outputs {
	const struct conf *conf; /* settings of the channel's node */
	const struct channel *of;
	const struct list *made; /* struct channel_output */
	bool secrets;
};

/* An active output is stopped while its channel is not active. */
static const char *
runtime_of(const struct channel *c, const struct channel_output *is)
{
	bool speaks = c->runtime != NULL && strcmp(c->runtime, "active") == 0;

	if (is == NULL)
		return "pending";
	return strcmp(is->runtime, "active") == 0 && !speaks ? "stopped" : is->runtime;
}

/* Write the state of an output that this service makes itself. */
static void
write_made(struct json_writer *j, struct arena *mem, const struct outputs *all,
    const struct json *o, bool posts)
{
	const struct channel_output *is =
	    channel_output_of(all->made, channel_output_id(mem, o));
	const char *url = channel_outputs_hls_url(all->conf, mem, all->of, o, "index");

	if (url != NULL)
		jw_text(j, "url", url);
	jw_text(j, "runtime_status", runtime_of(all->of, is));
	jw_text(j, "error", is != NULL ? is->error : NULL);
	if (posts)
		jw_int(j, "dropped", is != NULL ? is->dropped : 0);
	else
		jw_real(j, "bitrate", is != NULL ? is->bitrate : NAN);
}

static void
write_output(struct json_writer *j, struct arena *mem, const struct outputs *all,
    const struct json *o)
{
	const char *protocol = json_get_text(o, "protocol");
	bool posts = protocol != NULL && strcmp(protocol, CAPTIONS) == 0;

	jw_open(j, NULL);
	for (const struct json *m = o->kids; m != NULL; m = m->next)
		if (!all->secrets && strcmp(m->key, posts ? "url" : STREAM_KEY) == 0)
			jw_null(j, m->key);
		else
			jw_json(j, m->key, m);
	if (posts || channel_outputs_makes(o))
		write_made(j, mem, all, o, posts);
	jw_close(j);
}

static const char *
outputs_shown(struct arena *mem, const struct outputs *all)
{
	const char *why, *text = all->of->outputs;
	const struct json *list = json_read(mem, text, strlen(text), &why), *o;
	struct buf b = { .mem = mem };
	struct json_writer j = { .out = &b };

	jw_list(&j, NULL);
	for (o = list != NULL ? list->kids : NULL; o != NULL; o = o->next)
		write_output(&j, mem, all, o);
	jw_close(&j);
	return buf_text(&b);
}

/* Most outputs are shown as they are stored. */
static enum err
fill_outputs(struct db *db, const struct conf *conf, struct arena *mem,
    struct channel *c, bool secrets)
{
	struct list written;
	enum err e;

	if (strstr(c->outputs, CAPTIONS) == NULL &&
	    strstr(c->outputs, STREAM_KEY) == NULL &&
	    strstr(c->outputs, "hls_pull") == NULL &&
	    strstr(c->outputs, "\"recording\"") == NULL)
		return OK;
	if ((e = channel_output_list(db, mem, c->id, &written)) == OK)
		c->outputs =
		    outputs_shown(mem, &(const struct outputs){ conf_of(conf, mem, c),
					   c, &written, secrets });
	return e;
}

/* ---- warnings ---- */

struct warnings {
	const struct conf *conf;
	struct arena *mem;
	const struct channel *of;
	struct buf told; /* struct problem_document */
};

static void
warn(struct warnings *w, enum problem p, const char *detail)
{
	struct problem_document t =
	    problem_describe(w->mem, p, w->conf->server_base_url, w->of->id, detail);

	buf_put(&w->told, &t, sizeof(t));
}

static void
warn_unserved(struct warnings *w, const struct list *targets, const char *code)
{
	const char *from = w->of->source_language;

	warn(w, P_LANGUAGE_NOT_SERVED,
	    targets->n == 0 ? arena_printf(w->mem, "No engine recognises %s.", from)
	    : strcmp(from, "auto") == 0
		? arena_printf(w->mem, "No engine translates into %s.", code)
		: arena_printf(
		      w->mem, "No engine translates from %s into %s.", from, code));
}

static struct list
warnings_of(const struct conf *conf, struct arena *mem, const struct channel *c)
{
	struct warnings w = { conf, mem, c, { .mem = mem } };
	const struct list targets = texts_read(mem, c->target_languages),
			  unserved = texts_read(mem, c->unserved),
			  text_only = texts_read(mem, c->text_only);
	const char *const *code = unserved.items;

	for (size_t i = 0; i < unserved.n; i++)
		warn_unserved(&w, &targets, code[i]);
	code = text_only.items;
	for (size_t i = 0; i < text_only.n; i++)
		warn(&w, P_LANGUAGE_WITHOUT_SPEECH,
		    arena_printf(
			mem, "No engine speaks %s: it is text only.", code[i]));
	return (struct list){ w.told.p, w.told.len / sizeof(struct problem_document) };
}

enum err
channel_fill_view(struct db *db, const struct conf *conf, struct arena *mem,
    struct channel *c, bool secrets)
{
	const struct broadcast_driver *d = broadcast_driver(conf);

	if (c->broadcast != NULL && d != NULL)
		c->input = input_json(conf, mem, c, d, secrets);
	if (strcmp(c->unserved, "[]") != 0 || strcmp(c->text_only, "[]") != 0)
		c->warnings = warnings_of(conf, mem, c);
	return fill_outputs(db, conf, mem, c, secrets);
}
