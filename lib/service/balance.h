#ifndef SERVICE_BALANCE_H
#define SERVICE_BALANCE_H

#include "base/conf.h"
#include "base/field.h"

/* What an account has left, as clients see it. */
struct balance {
	double credits, usd; /* quotients of integers: as exact as JSON is read */
};

extern const struct field balance_fields[];

struct balance balance_of(const struct conf *, int64_t micro);

#endif
