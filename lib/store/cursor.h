/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef STORE_CURSOR_H
#define STORE_CURSOR_H

#include <stdbool.h>

#include "base/field.h"

/*
 * Position in a list ordered by time and id, its direction, and how many items to read.
 */
struct list_cursor {
	bool ascending;
	int64_t after_us; /* NULL_INT: start of the list */
	const char *after_id;
	int64_t limit;
};

/* Three of ARGS(): time, id and limit, for "(created_us, id) > ($2, $3) LIMIT $4". */
#define CURSOR(p)                                                                      \
	INT((p)->after_us != NULL_INT ? (p)->after_us                                  \
	    : (p)->ascending          ? INT64_MIN + 1                                  \
				      : INT64_MAX),                                             \
	    TEXT((p)->after_id != NULL ? (p)->after_id : ""), INT((p)->limit)

#endif
