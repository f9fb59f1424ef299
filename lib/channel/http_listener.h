/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CHANNEL_HTTP_LISTENER_H
#define CHANNEL_HTTP_LISTENER_H

#include "session/session.h"

/*
 * Listeners by plain HTTP: an endless answer for players that do not support sockets.
 * Each is a connection of its session that receives no messages, only the pages of its
 * language (audio_stream.h). Bytes that the kernel does not accept are sent again in
 * the next turn; a slow listener skips whole pages.
 */

/* The run() of an admitted request whose head was read: begin the answer. */
void http_listener_open(struct gateway *, struct thread_call *);
/* Send all that is due. Call it once in a turn, after the sessions. */
void http_listeners_tick(struct gateway *, int64_t now_us);

#endif
