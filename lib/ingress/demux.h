/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef INGRESS_DEMUX_H
#define INGRESS_DEMUX_H

#include <stdbool.h>
#include <stdnoreturn.h>

/*
 * The process that decodes untrusted input. It reads a container from one descriptor
 * until its end (demuxer: its name in libavformat; NULL: detected) and writes messages
 * of ingress_wire.h to another: the sound as Opus, at its own times. A gap in the
 * timestamps becomes silence, up to DEMUX_GAP_S; after a longer jump in either
 * direction the time starts again. Input that is faster than real time is decoded at
 * most DEMUX_AHEAD_S ahead, which bounds the processor time of a sender. language: the
 * track to use if there are several; with "auto", or if no track has it, the first one.
 * While it has no packets, or if it is silent for its first DEMUX_QUIET_S, another
 * track is used. picture: also pass on H.264. The exit status is an enum demux_end.
 */
#define DEMUX_GAP_S 10
#define DEMUX_AHEAD_S 2
#define DEMUX_QUIET_S 2
#define DEMUX_MUTE_S 5 /* time from the first packet until sound must be found */

enum demux_end {
	DEMUX_ENDED = 0,
	DEMUX_FAILED = 1,
	DEMUX_UNREADABLE = 2, /* the bytes are not of this container */
	DEMUX_NO_SOUND = 3,   /* no track of sound that can be decoded */
};

noreturn void demux_run(
    int from, int to, const char *demuxer, const char *language, bool picture);

#endif
