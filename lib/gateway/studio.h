#ifndef GATEWAY_STUDIO_H
#define GATEWAY_STUDIO_H

#include "gateway/room.h"

/*
 * The sound of rooms whose people speak and listen at a media server, one with
 * broadcast_driver.attach.  It comes and goes as RTP:
 *
 *	participants -> mix -> UDP -> studio -> hear_packet()
 *	play_turn() -> studio -> UDP -> a mountpoint for each target -> listeners
 *
 *	studio.c       its thread: a UDP socket, and a clock of 20 ms
 *	studio_booth.c a room, and when the media server is asked for it
 *	studio_lane.c  what one target says, packet by packet
 *	studio_hand.c  calls to the media server, by an actor of the pool
 *	studio_side.c  what rooms have to do with it, on the sockets' thread
 *
 * What the media server lost it is asked for again: 5 s after the last packet and
 * then every 20 s without any.
 */

/* False: it is needed, and its address cannot be had; it was logged. */
bool studio_start(struct gate *);
/* After the last room: sessions' rooms go from the media server, for 2 s at most. */
void studio_stop(struct gate *);

/* ---- for rooms, on the sockets' thread ---- */

/*
 * Sound comes from `media` from now on, and these languages (const char *) are heard
 * there.  ours: it is a session's, made here; else a channel's, which is there.
 */
void studio_open(
    struct room *, const char *media, const struct list *languages, bool ours);
/* The same for a session's task; of any other source: not any more. */
void studio_take(struct room *, const char *media, const struct task *);
/* Whether all of that is there; also when nothing of it is needed. */
bool studio_ready(const struct room *);
/* More of what a target says; n 0 is fine.  last: of a phrase. */
void studio_play(
    struct room *, const char *language, const int16_t *, size_t n, bool last);
/* What it has not said yet; NULL: all of them. */
void studio_flush(struct room *, const char *language);
/* What was to be said is said, for 30 s at most, then a session's room goes. */
void studio_close(struct room *);
/* What current_task tells who speaks, or only listens, JSON; NULL: nothing. */
const char *studio_told(const struct room *, struct arena *, bool speaks);

#endif
