#ifndef INGRESS_DEMUX_H
#define INGRESS_DEMUX_H

#include <stdbool.h>
#include <stdnoreturn.h>

/*
 * The process that decodes what a stranger sends.  It reads a container, of the name
 * that libavformat has for it (NULL: one that is found out), from a descriptor until
 * its end, and writes messages of ingress_wire.h to another: the sound at its own
 * times, as Opus.  What its timestamps leave out is silence, up to DEMUX_GAP_S; a
 * longer jump, either way, is a new beginning.  What comes faster than it is heard
 * waits, and is decoded DEMUX_AHEAD_S before that at most: so a sender's processor time
 * has a bound.
 *
 * language: code of the track to take where there are several; "auto", or none of it:
 * the first.  When its packets stay away, or it is silent for its first DEMUX_QUIET_S,
 * another one is taken, until it is back.  picture: H.264 beside it is passed on.  The
 * exit status says how it ended.
 */
#define DEMUX_GAP_S 10
#define DEMUX_AHEAD_S 2
#define DEMUX_QUIET_S 2
#define DEMUX_MUTE_S 5 /* from the first packet until there must be sound */

enum demux_end {
	DEMUX_ENDED = 0,
	DEMUX_FAILED = 1,
	DEMUX_UNREADABLE = 2, /* not of this container */
	DEMUX_NO_SOUND = 3,   /* no track of sound that can be decoded */
};

noreturn void demux_run(
    int from, int to, const char *demuxer, const char *language, bool picture);

#endif
