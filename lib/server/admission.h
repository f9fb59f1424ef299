#ifndef SERVER_ADMISSION_H
#define SERVER_ADMISSION_H

#include "server/gateway.h"

/* What the query of every socket may say. */
struct stream_in {
	const char *language, *audio;
};

/*
 * Who may open a socket, and of what: a session, a channel, or a session of his own.
 * True: the connection request knows who he is and what he may do, and a session has
 * its place, in the transaction that the request is in.  False: *no is the answer.
 */
bool admission_by_token(struct request *, struct connection_request *,
    const struct stream_token *, struct reply *no);
bool admission_by_key(struct request *, struct connection_request *, struct reply *no);

#endif
