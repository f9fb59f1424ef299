#ifndef SERVICE_SESSION_INPUT_H
#define SERVICE_SESSION_INPUT_H

#include "base/field.h"

/* What clients say of a session: when it is made, and how long it is to live. */
struct session_in {
	int64_t subscribers; /* NULL_INT: none */
	const char *intent;  /* NULL: api */
	bool publisher_hears;
	int64_t publishers; /* NULL_INT: one, as ever */
};

struct session_ttl {
	int64_t ttl_s;
};

extern const struct field session_new_fields[];
/* Of the query, where it is required, and of the body. */
extern const struct field session_ttl_fields[], session_ttl_again_fields[];

#endif
