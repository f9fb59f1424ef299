/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef BRIDGE_RTP_BRIDGE_H
#define BRIDGE_RTP_BRIDGE_H

#include "session/sink.h"

/*
 * Audio of sessions whose participants use a media server (a driver with
 * broadcast_driver.attach).  It is carried as RTP:
 *
 *  participants -> mix -> UDP -> RTP bridge -> s2s_packet()
 *  playout_tick() -> RTP bridge -> UDP -> a mountpoint for each target -> listeners
 *
 * Without packets, a room that may be lost at the media server is attached again:
 * 5 s after the last packet, then every 20 s.
 */

/*
 * The task of a session opens its room, or closes it; a channel follows its broadcast.
 * A task is ready when all its languages are attached.
 */
extern const struct sink_ops bridge_sink;

#endif
