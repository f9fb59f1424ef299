#ifndef GATEWAY_ADMIT_H
#define GATEWAY_ADMIT_H

#include "gateway/gate.h"

/* What the query of every socket may say. */
struct stream_in {
	const char *language, *audio;
};

/*
 * Who may open a socket, and of what: a session, a channel, or a session of his own.
 * True: the visitor knows who he is and what he may do, and a session has its place,
 * in the transaction that the request is in.  False: *no is the answer.
 */
bool admit_by_token(
    struct request *, struct visitor *, const struct stream_token *, struct reply *no);
bool admit_by_key(struct request *, struct visitor *, struct reply *no);

#endif
