#ifndef BRIDGE_RTP_BRIDGE_H
#define BRIDGE_RTP_BRIDGE_H

#include "session/session.h"

/*
 * The sound of sessions whose people speak and listen at a media server, one with
 * broadcast_driver.attach.  It comes and goes as RTP:
 *
 *	participants -> mix -> UDP -> RTP bridge -> ingest_packet()
 *	playout_tick() -> RTP bridge -> UDP -> a mountpoint for each target -> listeners
 *
 *	rtp_bridge.c       its thread: a UDP socket, and a clock of 20 ms
 *	bridge_room.c a session, and when the media server is asked for it
 *	output_track.c  what one target says, packet by packet
 *	janus_caller.c  calls to the media server, by an actor of the pool
 *	bridge_api.c  what sessions have to do with it, on the event loop
 *
 * What the media server lost it is asked for again: 5 s after the last packet and
 * then every 20 s without any.
 */

/* False: it is needed, and its address cannot be had; it was logged. */
bool rtp_bridge_start(struct gateway *);
/* After the last room: sessions' sessions go from the media server, for 2 s at most. */
void rtp_bridge_stop(struct gateway *);

/* ---- for sessions, on the event loop ---- */

/*
 * Sound comes from `media` from now on, and these languages (const char *) are heard
 * there.  ours: it is a session's, made here; else a channel's, which is there.
 */
void bridge_open(
    struct session *, const char *media, const struct list *languages, bool ours);
/* The same for a session's task; of any other source: not any more. */
void bridge_take(struct session *, const char *media, const struct task *);
/* Whether all of that is there; also when nothing of it is needed. */
bool bridge_ready(const struct session *);
/* More of what a target says; n 0 is fine.  last: of a phrase. */
void bridge_play(
    struct session *, const char *language, const int16_t *, size_t n, bool last);
/* What it has not said yet; NULL: all of them. */
void bridge_flush(struct session *, const char *language);
/* What was to be said is said, for 30 s at most, then a session's room goes. */
void bridge_close(struct session *);
/* What current_task tells who speaks, or only listens, JSON; NULL: nothing. */
const char *bridge_describe(const struct session *, struct arena *, bool speaks);

#endif
