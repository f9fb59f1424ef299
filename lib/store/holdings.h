#ifndef STORE_HOLDINGS_H
#define STORE_HOLDINGS_H

#include <stdint.h>

#include "db/db.h"

/* Numbers by which a person recognizes a database. */
struct holdings {
	int64_t accounts, events, files;
};

/* A table that the version of this database does not have counts 0. */
void holdings_count(struct db *, struct holdings *);

extern const struct sql holdings_sql[];

#endif
