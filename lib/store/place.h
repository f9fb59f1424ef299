#ifndef STORE_PLACE_H
#define STORE_PLACE_H

#include <stdbool.h>

#include "base/field.h"

/* Where a list by time goes on: behind that time, or from its beginning (NULL_INT). */
static inline int64_t
place_after(int64_t after_us, bool ascending)
{
	if (after_us != NULL_INT)
		return after_us;
	return ascending ? INT64_MIN + 1 : INT64_MAX;
}

#endif
