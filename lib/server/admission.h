/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef SERVER_ADMISSION_H
#define SERVER_ADMISSION_H

#include "gateway/gateway.h"

/* Query parameters of every socket. */
struct stream_in {
	const char *language, *audio, *format, *since;
};

/*
 * Authorize a socket for a session, a channel or a new session.  True: the connection
 * request is filled in, and the session has its quota slot, in the transaction of the
 * request.  False: *no is the answer.  If the token names only a room, its sid is
 * filled in.
 */
bool admission_by_token(struct gateway *, struct request *, struct connection_request *,
    struct stream_token *, struct reply *no);
bool admission_by_key(struct request *, struct connection_request *, struct reply *no);

#endif
