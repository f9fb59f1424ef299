#ifndef BROADCAST_JANUS_SOUND_H
#define BROADCAST_JANUS_SOUND_H

#include <stdint.h>

#include "broadcast/janus_object.h"

/*
 * Sound of rooms and mountpoints, as RTP.  A room's mix is forwarded as long as
 * somebody is in it; nothing comes of an empty one.
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
