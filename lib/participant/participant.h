/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PARTICIPANT_PARTICIPANT_H
#define PARTICIPANT_PARTICIPANT_H

#include "session/sink.h"

/*
 * Participants of sessions by WebRTC, by LiveKit's clients (webrtc.md): the gateway
 * itself is their server.  A participant is a connection of its session: its messages
 * go by data channel, its audio comes by its track, and the session's speech goes to
 * it as tracks of one more participant, the translator.
 *
 *	signal_owner --signalling--> participant --links--> media thread --RTP--> client
 *
 * All functions here run on the event loop, unless stated otherwise.
 */

/*
 * Open the ports and start the media thread, where the settings want it.  What is
 * impossible is logged; the gateway runs without WebRTC then.  Before all threads.
 */
void participants_start(struct gateway *);
/* After the event loop.  False: the media thread stands still and was left behind. */
bool participants_stop(struct gateway *) MUST_CHECK;
/* Timers, once a turn. */
void participants_tick(struct gateway *, int64_t now_us);
/*
 * What the database thread writes into the row of this node: JSON of the ports, the
 * addresses told to clients, or of the fault; counts of participants, of peer
 * connections by state and of datagrams.  NULL: WebRTC is off.
 */
const char *participants_report(struct gateway *, struct arena *);
/* SIGTERM: all are told to come back. */
void participants_dismiss(struct gateway *);

/*
 * As outputs of sessions.  The targets of the task that starts are the translator's
 * tracks from now on; those of the task before end when that has said its last.
 */
extern const struct sink_ops translator_sink, participants_sink;

#endif
