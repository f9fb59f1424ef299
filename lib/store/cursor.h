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

/* Two of ARGS(): time and id, for "(created_us, id) > ($2, $3)". */
#define POSITION(p)                                                                    \
	INT((p)->after_us != NULL_INT ? (p)->after_us                                  \
	    : (p)->ascending          ? INT64_MIN + 1                                  \
				      : INT64_MAX),                                             \
	    TEXT((p)->after_id != NULL ? (p)->after_id : "")
/* Three of ARGS(), the limit after these, for "LIMIT $4". */
#define CURSOR(p) POSITION(p), INT((p)->limit)

#endif
