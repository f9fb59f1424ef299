/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef BROADCAST_JANUS_OBJECT_H
#define BROADCAST_JANUS_OBJECT_H

#include <stdint.h>

#include "broadcast/janus.h"

/*
 * The objects of a broadcast: an AudioBridge room of its name, to which the publisher
 * sends, and for each target language a Streaming mountpoint "<name>-<language>" for
 * listeners. Their descriptions contain the installation's mark: "Dragoman <mark>" for
 * a room, "Dragoman <mark> <language>" for a mountpoint. No object is permanent: a
 * Janus that restarts loses them all.
 *
 * All functions return errors as the functions of broadcast_driver do, and log them.
 */
struct janus_object {
	const struct janus_plugin *plugin;
	const char *id;
	const char *name;     /* name of the broadcast */
	const char *language; /* "": the room itself */
};

struct janus_objects {
	struct janus_object *items;
	size_t n;
};

struct janus_object janus_room(const char *name);
struct janus_object janus_mountpoint(
    struct arena *, const char *name, const char *language);

/* Append our objects of one plugin; name: only those of one broadcast; NULL: of all. */
enum err janus_find(const struct janus *, const struct janus_plugin *, const char *name,
    struct janus_objects *) MUST_CHECK;
/* Create an object. OK also if it exists and accepts our secret. */
enum err janus_make(const struct janus *, const struct janus_object *) MUST_CHECK;
/*
 * Check that an object accepts our secret. ERR_REFUSED: it does not. ERR_NOT_FOUND:
 * there is no such object.
 */
enum err janus_claim(const struct janus *, const struct janus_object *) MUST_CHECK;
/* Remove an object. OK also if it does not exist. */
enum err janus_drop(const struct janus *, const struct janus_object *) MUST_CHECK;
/*
 * ERR_REFUSED: janus.admin_key is set here, but not in Janus. Such a Janus ignores our
 * key and never lists private objects, so all of ours would seem lost.
 */
enum err janus_check_keys(const struct janus *) MUST_CHECK;

/*
 * A receiver of a room's sound, as RTP. A room's mix is forwarded while it has a
 * participant; an empty room sends nothing.
 */
struct janus_ear {
	const char *host; /* host at which Janus reaches it */
	int port;
	uint32_t ssrc; /* SSRC of the packets we send there; not 0 */
};

/*
 * Forward the mix of one of our rooms to this receiver, once, and to no other.
 * ERR_NOT_FOUND: there is no such room.
 */
enum err janus_forward(
    const struct janus *, const char *room, const struct janus_ear *) MUST_CHECK;
/* The port at which one of our mountpoints receives sound; 0: there is none. */
enum err janus_port(
    const struct janus *, const struct janus_object *, int *port) MUST_CHECK;

#endif
