/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Broadcasts on a Janus server: a room and its mountpoints (janus_object.h). Each step
 * is one POST to the Admin API and may be repeated.
 */
#include "broadcast/broadcast.h"

#include <stdlib.h>
#include <string.h>

#include "broadcast/janus.h"
#include "broadcast/janus_object.h"

static const char *const protocols[] = { "webrtc_push", NULL };

static const char *
find_lack(const struct conf *c)
{
	if (c->janus_admin_secret[0] == '\0')
		return "janus.admin_secret is not set.";
	if (c->janus_admin_key[0] == '\0')
		return "janus.admin_key is not set.";
	if (c->janus_public_url[0] == '\0')
		return "janus.public_url is not set.";
	return NULL;
}

static bool
has_webrtc(const struct conf *c)
{
	(void)c;
	return true;
}

static const char *
get_url(const struct conf *c, struct arena *mem)
{
	(void)mem;
	return c->janus_public_url;
}

static void
write_admission(const struct conf *c, struct arena *mem, const char *name, bool secrets,
    struct json_writer *j)
{
	jw_text(j, "room", name);
	jw_text(j, "pin", secrets ? janus_pin(c, mem, name) : NULL);
}

static bool
has_language(const struct janus_objects *there, const char *language)
{
	for (size_t i = 0; i < there->n; i++)
		if (strcmp(there->items[i].language, language) == 0)
			return true;
	return false;
}

static bool
wants(const struct list *languages, const char *one)
{
	const char *const *texts = languages->items;

	for (size_t i = 0; i < languages->n; i++)
		if (strcmp(texts[i], one) == 0)
			return true;
	return false;
}

/* Make the mountpoints match the languages. None is removed before all others exist. */
static enum err
settle_languages(const struct janus *at, const char *name, const struct list *languages)
{
	const char *const *texts = languages->items;
	struct janus_objects there = { NULL, 0 };
	enum err e = janus_find(at, &janus_streaming, name, &there);

	for (size_t i = 0; i < languages->n && e == OK; i++) {
		struct janus_object o = janus_mountpoint(at->mem, name, texts[i]);

		e = has_language(&there, texts[i]) ? OK : janus_make(at, &o);
	}
	for (size_t i = 0; i < there.n && e == OK; i++)
		if (!wants(languages, there.items[i].language))
			e = janus_drop(at, &there.items[i]);
	return e;
}

static enum err
make_room(const struct janus *at, const struct janus_object *room)
{
	enum err e = janus_check_keys(at);

	return e != OK ? e : janus_make(at, room);
}

static enum err
create_broadcast(const struct conf *c, struct arena *mem, const struct broadcast *b)
{
	struct janus at = janus_start(c, mem);
	struct janus_object room = janus_room(b->name);
	struct list languages = texts_read(mem, b->target_languages);
	enum err e = make_room(&at, &room);

	return e != OK ? e : settle_languages(&at, b->name, &languages);
}

static enum err
change_broadcast(const struct conf *c, struct arena *mem, const struct broadcast *b)
{
	struct janus at = janus_start(c, mem);
	struct janus_object room = janus_room(b->name);
	struct list languages = texts_read(mem, b->target_languages);
	enum err e = janus_claim(&at, &room);

	return e != OK ? e : settle_languages(&at, b->name, &languages);
}

/* Remove the room last: while it exists, the broadcast is listed and removed again. */
static enum err
destroy_broadcast(const struct conf *c, struct arena *mem, const char *name)
{
	struct janus at = janus_start(c, mem);
	struct janus_object room = janus_room(name);
	struct janus_objects there = { NULL, 0 };
	enum err e = janus_find(&at, &janus_streaming, name, &there);

	for (size_t i = 0; i < there.n && e == OK; i++)
		e = janus_drop(&at, &there.items[i]);
	return e != OK ? e : janus_drop(&at, &room);
}

/* Check the room. For a session also create it and its mountpoints. */
static enum err
settle_room(const struct janus *at, const struct broadcast_sound *s)
{
	struct janus_object room = janus_room(s->name);
	enum err e = janus_claim(at, &room);

	if (!s->ours)
		return e;
	if (e == ERR_NOT_FOUND)
		e = make_room(at, &room);
	return e != OK ? e : settle_languages(at, s->name, &s->languages);
}

static enum err
attach_sound(const struct conf *c, struct arena *mem, struct broadcast_sound *s)
{
	struct janus at = janus_start(c, mem);
	const char *const *texts = s->languages.items;
	const struct janus_ear ear = { s->host, s->port, s->ssrc };
	enum err e;

	if ((e = settle_room(&at, s)) != OK ||
	    (e = janus_forward(&at, s->name, &ear)) != OK)
		return e;
	s->to_host = janus_host(&at);
	s->to_ports = arena_alloc(mem, (s->languages.n + 1) * sizeof(*s->to_ports));
	for (size_t i = 0; i < s->languages.n && e == OK; i++) {
		struct janus_object o = janus_mountpoint(mem, s->name, texts[i]);

		e = janus_port(&at, &o, &s->to_ports[i]);
	}
	return e;
}

static void
write_invitation(const struct conf *c, struct arena *mem, const char *name,
    const struct list *languages, bool speaks, struct json_writer *j)
{
	const char *const *texts = languages->items;

	jw_text(j, "backend", "janus");
	jw_text(j, "url", c->janus_public_url);
	if (speaks)
		write_admission(c, mem, name, true, j);
	jw_open(j, "mountpoints");
	for (size_t i = 0; i < languages->n; i++) {
		struct janus_object o = janus_mountpoint(mem, name, texts[i]);

		jw_open(j, texts[i]);
		jw_text(j, "id", o.id);
		jw_text(j, "pin", janus_pin(c, mem, o.id));
		jw_close(j);
	}
	jw_close(j);
}

static int
compare_names(const void *a, const void *b)
{
	const struct janus_object *x = a, *y = b;

	return strcmp(x->name, y->name);
}

/* Convert objects, sorted by name, to broadcasts. */
static void
gather(struct arena *mem, const struct janus_objects *all, struct list *to)
{
	struct broadcast_seen *seen = arena_alloc(mem, (all->n + 1) * sizeof(*seen));
	const char **languages = arena_alloc(mem, (all->n + 1) * sizeof(*languages));

	*to = (struct list){ seen, 0 };
	for (size_t i = 0; i < all->n; i++) {
		const struct janus_object *o = &all->items[i];

		if (i == 0 || strcmp(o->name, o[-1].name) != 0)
			seen[to->n++] = (struct broadcast_seen){ .name = o->name,
				.languages = { languages, 0 } };
		if (o->language[0] == '\0')
			seen[to->n - 1].whole = true; /* the room */
		else {
			*languages++ = o->language;
			seen[to->n - 1].languages.n++;
		}
	}
}

static enum err
list_broadcasts(const struct conf *c, struct arena *mem, struct list *to)
{
	struct janus at = janus_start(c, mem);
	struct janus_objects all = { NULL, 0 };
	enum err e;

	if ((e = janus_find(&at, &janus_audiobridge, NULL, &all)) != OK ||
	    (e = janus_find(&at, &janus_streaming, NULL, &all)) != OK)
		return e;
	if (all.n > 0)
		qsort(all.items, all.n, sizeof(*all.items), compare_names);
	gather(mem, &all, to);
	return OK;
}

const struct broadcast_driver broadcast_janus = {
	.name = "janus",
	.inputs = protocols,
	.outputs = protocols,
	.lacks = find_lack,
	.webrtc = has_webrtc,
	.webrtc_url = get_url,
	.admit = write_admission,
	.create = create_broadcast,
	.change = change_broadcast,
	.destroy = destroy_broadcast,
	.list = list_broadcasts,
	.attach = attach_sound,
	.invite = write_invitation,
};
