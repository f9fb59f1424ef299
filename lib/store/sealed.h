#ifndef STORE_SEALED_H
#define STORE_SEALED_H

#include "db/db.h"

extern const struct sql sealed_sql[];

/* Of version 26, in its transaction: seal what was kept in clear text. */
enum err sealed_convert(struct db *) MUST_CHECK;

#endif
