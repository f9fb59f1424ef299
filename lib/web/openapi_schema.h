#ifndef WEB_OPENAPI_SCHEMA_H
#define WEB_OPENAPI_SCHEMA_H

#include <stdbool.h>

#include "base/field.h"
#include "base/json_writer.h"

/*
 * Whose sight of a table is written: what is sent to clients; what they send to
 * make a thing, where null is as good as absent; or to change one, where all may
 * be left out.  A query is like a change.
 */
enum schema_side { SCHEMA_OUT, SCHEMA_NEW, SCHEMA_EDIT };

/*
 * The schema of one field, or of an object with these fields; null: it may be
 * null.  What clients may send in any case bears x-any-case: true.
 */
void schema_field(
    struct json_writer *, const char *key, const struct field *, enum schema_side);
void schema_object(struct json_writer *, const char *key, const struct field *,
    enum schema_side, bool null);

#endif
