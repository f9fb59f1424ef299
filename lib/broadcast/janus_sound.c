#include "broadcast/janus_sound.h"

#define PAYLOAD_TYPE 111 /* Opus */

static void
open_secretly(struct janus_request *r, const struct janus *at,
    const struct janus_plugin *p, const char *what, const char *id)
{
	janus_open(r, at, p, what, id);
	jw_text(&r->json, "secret", janus_secret(at->conf, at->mem, id));
}

static int64_t
get_int(const struct json *v, const char *key)
{
	const struct json *i = json_get(v, key);

	return i != NULL && i->type == JSON_INT ? i->u.i : 0;
}

/* ---- from a room ---- */

static enum err
stop_forward(const struct janus *at, const char *room, int64_t stream)
{
	struct janus_request r;

	open_secretly(&r, at, &janus_audiobridge, "stop_rtp_forward", room);
	jw_int(&r.json, "stream_id", stream);
	return janus_ask(&r, janus_audiobridge.none);
}

static enum err
start_forward(const struct janus *at, const char *room, const struct janus_ear *ear)
{
	struct janus_request r;

	open_secretly(&r, at, &janus_audiobridge, "rtp_forward", room);
	jw_text(&r.json, "admin_key", at->conf->janus_admin_key);
	jw_text(&r.json, "codec", "opus");
	jw_int(&r.json, "ptype", PAYLOAD_TYPE);
	jw_int(&r.json, "ssrc", ear->ssrc);
	jw_text(&r.json, "host", ear->host);
	jw_int(&r.json, "port", ear->port);
	jw_bool(&r.json, "always_on", false);
	return janus_ask(&r, 0);
}

/* Those of a program that died lead nowhere, or to somebody else by now. */
enum err
janus_forward(const struct janus *at, const char *room, const struct janus_ear *ear)
{
	struct janus_request r;
	const struct json *all;
	bool there = false;
	enum err e;

	open_secretly(&r, at, &janus_audiobridge, "listforwarders", room);
	if ((e = janus_ask(&r, janus_audiobridge.none)) != OK)
		return e;
	if (r.code != 0)
		return ERR_NOT_FOUND;
	all = json_get(r.answer, "rtp_forwarders");
	if (all == NULL || all->type != JSON_LIST)
		return janus_complain(&r, ERR_TIMEOUT, "the answer has no list");
	for (const struct json *v = all->kids; v != NULL && e == OK; v = v->next)
		if (!there && get_int(v, "ssrc") == ear->ssrc &&
		    get_int(v, "port") == ear->port)
			there = true;
		else
			e = stop_forward(at, room, get_int(v, "stream_id"));
	return e != OK || there ? e : start_forward(at, room, ear);
}

/* ---- to a mountpoint ---- */

enum err
janus_port(const struct janus *at, const struct janus_object *o, int *port)
{
	struct janus_request r;
	const struct json *media;
	enum err e;

	*port = 0;
	open_secretly(&r, at, o->plugin, "info", o->id);
	if ((e = janus_ask(&r, o->plugin->none)) != OK || r.code != 0)
		return e;
	media = json_get(json_get(r.answer, "info"), "media");
	if (media == NULL || media->type != JSON_LIST || media->n == 0)
		return janus_complain(&r, ERR_TIMEOUT, "the answer has no media");
	*port = (int)get_int(media->kids, "port");
	return OK;
}
