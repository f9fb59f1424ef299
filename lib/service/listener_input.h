#ifndef SERVICE_LISTENER_INPUT_H
#define SERVICE_LISTENER_INPUT_H

#include "base/field.h"

/* What listeners say, who have no account: in queries, and of what they want. */
struct code_in {
	const char *code; /* of access; here for the documentation */
};

struct qr_in {
	const char *stage;
};

struct request_in {
	const char *type;
	struct {
		const char *language;
	} payload;
	const char *channel, *listener;
};

struct join_in {
	const char *language, *listener, *stage, *channel;
	const char *kind; /* listener, screen, preview; NULL: listener */
};

extern const struct field code_fields[], qr_fields[], request_in_fields[],
    join_in_fields[];

/* The kind, if it is no participant of the event; else NULL. */
const char *join_in_bystander(const struct join_in *);

#endif
