/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CHANNEL_HTTP_LISTENER_H
#define CHANNEL_HTTP_LISTENER_H

#include "session/session.h"

/*
 * Listeners by plain HTTP: an answer without an end, for players that know no socket.
 * Each is a connection of its session that gets no messages, only the pages of its
 * language (audio_stream.h).  What the network does not take at once is tried again at
 * the next turn; whole pages are left out for a slow one.
 */

/* The run() of an admitted request, whose head was read: answer it. */
void http_listener_open(struct gateway *, struct thread_call *);
/* Send what is due.  Once a turn, after the sessions. */
void http_listeners_tick(struct gateway *, int64_t now_us);

#endif
