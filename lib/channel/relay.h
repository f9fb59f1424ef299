/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CHANNEL_RELAY_H
#define CHANNEL_RELAY_H

#include "session/sink.h"
#include "store/transcripts.h"

/*
 * Joins the sessions of a channel on all nodes, over NATS. One node owns the channel
 * (store/leases.h); the sessions at the others are guests of its session.
 *
 *	speaker -> guest -> ch.<id>.in -> owner -> pipeline
 *	listeners <- guest <- ch.<id>.out, .opus.<language>, .pcm.<language> <- owner
 *	speaker <- guest <- node.<node> <- owner
 *
 * A guest has no pipeline. Its sinks get the owner's texts and sound, as if these came
 * from a pipeline of its own. A speaker's connection at a guest has a connection at the
 * owner that stands for it, so commands and errors are the owner's.
 *
 * All functions belong to the event loop unless stated otherwise; without cluster.nats
 * they do nothing.
 */

/*
 * Begin to receive the messages for this node. Before the threads start. wake: opens
 * the session of a channel if this node can own it; it gets the channel and, as JSON or
 * NULL, the guests of the last owner.
 */
void relay_start(
    struct gateway *, void (*wake)(struct gateway *, const char *, const char *));
/*
 * Follow the lease in session.owned, which is new: the session owns the channel now. A
 * session without a lease begins as a guest.
 */
void relay_lead(struct session *);
void relay_close(struct session *);
/*
 * The session no longer owns the channel: it becomes a guest, and its speaker waits for
 * the next owner. false: without NATS it must end.
 */
bool relay_follow(struct session *) MUST_CHECK;
/*
 * True if no guest's speaker has sound on its way here. false: they were told to keep
 * it for the next owner; ask again.
 */
bool relay_may_leave(struct session *) MUST_CHECK;
/* The channel does not leave yet: guests send their sound again. */
void relay_stay(struct session *);
/* Have a node open this channel, which it was handed or which a guest misses. On any
   thread. */
void relay_wake(
    struct gateway *, const char *node, const char *channel, const char *guests);
/* The owner's guests, for relay_wake(); NULL: none are known. */
const char *relay_guests(const struct session *, struct arena *);
/* Call it in each turn. */
void relay_tick(struct session *, int64_t now_us);
/* Tell guests the state in the channel's session. */
void relay_state_changed(struct session *);
/* A text was corrected; the arguments are those of fanout_correction(). */
void relay_correct(struct session *, int target, int starred,
    const struct transcript_line *, const struct buf *);

/* Sends the output of an owner to the guests. */
extern const struct sink_ops relay_sink;

#endif
