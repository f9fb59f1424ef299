/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PARTICIPANT_PARTICIPANT_H
#define PARTICIPANT_PARTICIPANT_H

#include "session/sink.h"

/*
 * Participants of sessions by WebRTC, with LiveKit's clients (webrtc.md): the gateway
 * itself is their server. A participant is a connection of its session. Its messages
 * use a data channel, and its audio is a track. The session's speech is sent to it as
 * tracks of one more participant, the translator.
 */

/* Timers, once a turn. */
void participants_tick(struct gateway *, int64_t now_us);
/*
 * JSON for this node's row, written by the database thread: the ports and the addresses
 * for clients, or the error; counts of participants, of peer connections by state and
 * of datagrams. NULL: WebRTC is off.
 */
const char *participants_report(struct gateway *, struct arena *);
/* SIGTERM: ask all clients to reconnect. */
void participants_dismiss(struct gateway *);

/*
 * Outputs of sessions. When a task starts, its targets become the translator's tracks.
 * Tracks of the previous task end when its last speech was sent.
 */
extern const struct sink_ops translator_sink, participants_sink;

#endif
