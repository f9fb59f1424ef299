/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "broadcast/janus_object.h"

#include <string.h>

#include "base/hash.h"

#define SAMPLING_HZ 48000
#define PAYLOAD_TYPE 111 /* Opus */
#define MARK_BYTES 8

struct janus_object
janus_room(const char *name)
{
	return (struct janus_object){ &janus_audiobridge, name, name, "" };
}

struct janus_object
janus_mountpoint(struct arena *mem, const char *name, const char *language)
{
	return (struct janus_object){ &janus_streaming,
		arena_printf(mem, "%s-%s", name, language), name, language };
}

/* ---- lookup ---- */

/*
 * Returns 16 hex digits that mark this installation's objects, because others may use
 * the same Janus.
 */
static const char *
find_mark(const struct janus *at)
{
	unsigned char key[SHA256_BYTES];

	conf_key(at->conf, "broadcast mark", key);
	return hex(at->mem, key, MARK_BYTES);
}

static const char *
describe(const struct janus *at, const char *language)
{
	return arena_printf(at->mem, "Dragoman %s%s%s", find_mark(at),
	    language[0] != '\0' ? " " : "", language);
}

static void
put_admin_key(struct janus_request *r)
{
	jw_text(&r->json, "admin_key", r->at->conf->janus_admin_key);
}

/* Begin a request that needs the object's secret. */
static void
open_secretly(struct janus_request *r, const struct janus *at,
    const struct janus_plugin *p, const char *what, const char *id)
{
	janus_open(r, at, p, what, id);
	jw_text(&r->json, "secret", janus_secret(at->conf, at->mem, id));
}

/* Take "-<language>" off an id; NULL: it does not end so. */
static const char *
cut_language(struct arena *mem, const char *id, const char *language)
{
	size_t all = strlen(id), n = strlen(language);

	if (all < n + 2 || id[all - n - 1] != '-' ||
	    strcmp(id + all - n, language) != 0)
		return NULL;
	return arena_dup(mem, id, all - n - 1);
}

/*
 * Read an object of a list; false: it is not ours. Ids that are numbers are never ours.
 */
static bool
read_object(
    struct arena *mem, const char *ours, const struct json *v, struct janus_object *to)
{
	const char *its = json_get_text(v, "description");
	size_t n = strlen(ours);

	to->id = json_get_text(v, to->plugin->id);
	if (to->id == NULL || its == NULL || strncmp(its, ours, n) != 0)
		return false;
	if (to->plugin == &janus_audiobridge) {
		*to = janus_room(to->id);
		return its[n] == '\0';
	}
	to->language = its + n + 1;
	if (its[n] != ' ' || its[n + 1] == '\0')
		return false;
	to->name = cut_language(mem, to->id, to->language);
	return to->name != NULL;
}

enum err
janus_find(const struct janus *at, const struct janus_plugin *p, const char *name,
    struct janus_objects *to)
{
	const char *ours = describe(at, "");
	struct janus_request r;
	const struct json *list;
	enum err e;

	janus_open(&r, at, p, "list", NULL);
	put_admin_key(&r);
	if ((e = janus_ask(&r, 0)) != OK)
		return e;
	if ((list = json_get_list(r.answer, "list")) == NULL)
		return janus_complain(&r, ERR_TIMEOUT, "the answer has no list");
	to->items = arena_grow(at->mem, to->items, to->n * sizeof(*to->items),
	    (to->n + list->n + 1) * sizeof(*to->items));
	for (const struct json *v = list->kids; v != NULL; v = v->next) {
		struct janus_object *o = &to->items[to->n];

		o->plugin = p;
		if (read_object(at->mem, ours, v, o) &&
		    (name == NULL || strcmp(o->name, name) == 0))
			to->n++;
	}
	return OK;
}

/* ---- creating and removing ---- */

/* Change the description to the same text: Janus checks the secret. */
enum err
janus_claim(const struct janus *at, const struct janus_object *o)
{
	struct janus_request r;
	enum err e;

	open_secretly(&r, at, o->plugin, "edit", o->id);
	jw_text(&r.json, "new_description", describe(at, o->language));
	if ((e = janus_ask(&r, o->plugin->none)) != OK)
		return e;
	return r.code == 0 ? OK : ERR_NOT_FOUND;
}

static void
put_media(const struct janus *at, struct json_writer *j)
{
	jw_text(j, "type", "rtp");
	jw_list(j, "media");
	jw_open(j, NULL);
	jw_text(j, "type", "audio");
	jw_text(j, "mid", "audio");
	jw_text(j, "codec", "opus");
	jw_int(j, "pt", PAYLOAD_TYPE);
	jw_int(j, "port", 0); /* Janus chooses */
	/* let only programs on this machine send to it */
	if (strcmp(janus_host(at), "127.0.0.1") == 0)
		jw_text(j, "iface", "127.0.0.1");
	jw_close(j);
	jw_close(j);
}

static void
put_object(struct janus_request *r, const struct janus_object *o)
{
	const struct janus *at = r->at;
	struct json_writer *j = &r->json;

	put_admin_key(r);
	jw_text(j, "description", describe(at, o->language));
	jw_text(j, "pin", janus_pin(at->conf, at->mem, o->id));
	jw_text(j, "secret", janus_secret(at->conf, at->mem, o->id));
	jw_bool(j, "is_private", true); /* listed only if the request has the key */
	jw_bool(j, "permanent", false);
	if (o->plugin == &janus_audiobridge)
		jw_int(j, "sampling_rate", SAMPLING_HZ);
	else
		put_media(at, j);
}

enum err
janus_make(const struct janus *at, const struct janus_object *o)
{
	struct janus_request r;
	enum err e;

	janus_open(&r, at, o->plugin, "create", o->id);
	put_object(&r, o);
	if ((e = janus_ask(&r, o->plugin->exists)) != OK || r.code == 0)
		return e;
	/*
	 * for a mountpoint, this code also means that no port is free, which may pass
	 */
	if ((e = janus_claim(at, o)) == ERR_NOT_FOUND)
		return janus_complain(&r, ERR_TIMEOUT, NULL);
	return e;
}

enum err
janus_drop(const struct janus *at, const struct janus_object *o)
{
	struct janus_request r;

	open_secretly(&r, at, o->plugin, "destroy", o->id);
	jw_bool(&r.json, "permanent", false);
	return janus_ask(&r, o->plugin->none);
}

/* ---- keys ---- */

/* Send a wrong key, which only a Janus with a key refuses. */
static enum err
check_key(const struct janus *at, const struct janus_plugin *p)
{
	struct janus_request r;
	enum err e;

	janus_open(&r, at, p, "list", NULL);
	jw_text(&r.json, "admin_key", arena_printf(at->mem, "not %s", find_mark(at)));
	if ((e = janus_ask(&r, p->unauthorized)) != OK || r.code != 0)
		return e;
	return janus_complain(
	    &r, ERR_REFUSED, "janus.admin_key is set, but the plugin has no admin_key");
}

enum err
janus_check_keys(const struct janus *at)
{
	enum err e;

	if ((e = check_key(at, &janus_audiobridge)) != OK)
		return e;
	return check_key(at, &janus_streaming);
}

/* ---- sound from a room ---- */

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

/*
 * Remove other forwarders of the room: after a crash they point nowhere, or to another
 * program.
 */
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
	if ((all = json_get_list(r.answer, "rtp_forwarders")) == NULL)
		return janus_complain(&r, ERR_TIMEOUT, "the answer has no list");
	for (const struct json *v = all->kids; v != NULL && e == OK; v = v->next)
		if (!there && json_get_int(v, "ssrc", 0) == ear->ssrc &&
		    json_get_int(v, "port", 0) == ear->port)
			there = true;
		else
			e = stop_forward(at, room, json_get_int(v, "stream_id", 0));
	return e != OK || there ? e : start_forward(at, room, ear);
}

/* ---- sound to a mountpoint ---- */

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
	media = json_get_list(json_get(r.answer, "info"), "media");
	if (media == NULL || media->n == 0)
		return janus_complain(&r, ERR_TIMEOUT, "the answer has no media");
	*port = (int)json_get_int(media->kids, "port", 0);
	return OK;
}
