#ifndef STORE_CURSOR_H
#define STORE_CURSOR_H

#include <stdbool.h>

#include "base/field.h"

/* Where a list by time and id goes on, which way, and how many are wanted of it. */
struct list_cursor {
	bool ascending;
	int64_t after_us; /* NULL_INT: from the list's beginning */
	const char *after_id;
	int64_t limit;
};

/* Among ARGS(): time, id and limit, such as "(created_us, id) > ($2, $3) LIMIT $4". */
#define CURSOR(p)                                                                      \
	INT((p)->after_us != NULL_INT ? (p)->after_us                                  \
	    : (p)->ascending          ? INT64_MIN + 1                                  \
				      : INT64_MAX),                                             \
	    TEXT((p)->after_id != NULL ? (p)->after_id : ""), INT((p)->limit)

#endif
