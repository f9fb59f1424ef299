/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef BROADCAST_JANUS_OBJECT_H
#define BROADCAST_JANUS_OBJECT_H

#include <stdint.h>

#include "broadcast/janus.h"

/*
 * What a broadcast is made of: an AudioBridge room of its name, where the
 * publisher speaks, and for each target language a Streaming mountpoint
 * "<name>-<language>", where listeners hear.  Descriptions tell whose they are:
 * "Dragoman <mark>" of a room, "Dragoman <mark> <language>" of a mountpoint.
 * None is permanent: a Janus that was restarted has lost them all.
 *
 * All answer what a driver may, and have logged what is not OK.
 */
struct janus_object {
	const struct janus_plugin *plugin;
	const char *id;
	const char *name;     /* of the broadcast */
	const char *language; /* "": it is the room */
};

struct janus_objects {
	struct janus_object *items;
	size_t n;
};

struct janus_object janus_room(const char *name);
struct janus_object janus_mountpoint(
    struct arena *, const char *name, const char *language);

/* Ours of one plugin, added to the others; of one broadcast, or NULL: of all. */
enum err janus_find(const struct janus *, const struct janus_plugin *, const char *name,
    struct janus_objects *) MUST_CHECK;
/* One that is there already is as good, if it obeys us. */
enum err janus_make(const struct janus *, const struct janus_object *) MUST_CHECK;
/* OK or ERR_REFUSED: it obeys us, or not.  ERR_NOT_FOUND: there is none. */
enum err janus_claim(const struct janus *, const struct janus_object *) MUST_CHECK;
/* One that is not there is as good. */
enum err janus_drop(const struct janus *, const struct janus_object *) MUST_CHECK;
/*
 * ERR_REFUSED: janus.admin_key is set, but not in Janus.  It would take ours for
 * nothing and never list what is private: all that we made would seem lost.
 */
enum err janus_check_keys(const struct janus *) MUST_CHECK;

/*
 * Sound of rooms and mountpoints, as RTP.  A room's mix is forwarded as long as
 * it has a participant; nothing comes of an empty one.
 */
struct janus_ear {
	const char *host; /* as Janus reaches it */
	int port;
	uint32_t ssrc; /* of what comes there; not 0 */
};

/*
 * The mix of a room of ours is forwarded there, once, and nowhere else.
 * ERR_NOT_FOUND: there is no such room.
 */
enum err janus_forward(
    const struct janus *, const char *room, const struct janus_ear *) MUST_CHECK;
/* Where a mountpoint of ours takes its sound; 0: there is none. */
enum err janus_port(
    const struct janus *, const struct janus_object *, int *port) MUST_CHECK;

#endif
