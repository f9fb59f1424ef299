#ifndef BRIDGE_RTP_BRIDGE_H
#define BRIDGE_RTP_BRIDGE_H

#include "session/session.h"

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
/* The same for the task of a session.  A task with another source closes the bridge. */
void bridge_take(struct session *, const char *media, const struct task *);
/* Are all languages attached?  Also true without a bridge room. */
bool bridge_ready(const struct session *);
/* Queue packets for a target, copied; may be none.  last: end of a segment. */
void bridge_play(
    struct session *, const char *language, struct opus_packets, bool last);
/* Discard queued audio of a language; NULL: of all languages. */
void bridge_flush(struct session *, const char *language);
/* Play the queued audio, for 30 s at most, then destroy the room of a session. */
void bridge_close(struct session *);
/* WebRTC part of current_task, JSON, for a publisher or a subscriber; NULL: none. */
const char *bridge_describe(const struct session *, struct arena *, bool speaks);

#endif
