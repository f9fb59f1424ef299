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
 * True also if no media server is configured.  False: the RTP address cannot be bound;
 * the error is logged.
 */
bool rtp_bridge_start(struct gateway *);
/* Call when all sessions have closed.  Destroys their rooms, within 2 s. */
void rtp_bridge_stop(struct gateway *);

/* ---- for sessions, on the event loop ---- */

/*
 * Receive audio from the room `media`, and send these languages (const char *) to it.
 * ours: a room of a session, created here; else a room of a channel, which exists.
 */
void bridge_open(
    struct session *, const char *media, const struct list *languages, bool ours);
/* Are all languages attached?  Also true without a bridge room. */
bool bridge_ready(const struct session *);
/* Play the queued audio, for 30 s at most, then destroy the room of a session. */
void bridge_close(struct session *);
/* The task of a session opens its room, as read by prepare(), or closes it. */
extern const struct sink_ops bridge_sink;

#endif
