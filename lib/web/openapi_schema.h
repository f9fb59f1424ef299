/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef WEB_OPENAPI_SCHEMA_H
#define WEB_OPENAPI_SCHEMA_H

#include <stdbool.h>

#include "base/field.h"
#include "base/json_writer.h"

/*
 * The view of a table: output to clients; input that creates a thing, where null means
 * absent; input that changes a thing, where every member may be absent.  A query is
 * like a change.
 */
enum schema_side { SCHEMA_OUT, SCHEMA_NEW, SCHEMA_EDIT };

/* Write the schema of one field, or of an object with these fields; null: it may be
   null.  A value that clients may send in any case gets x-any-case: true. */
void schema_field(
    struct json_writer *, const char *key, const struct field *, enum schema_side);
void schema_object(struct json_writer *, const char *key, const struct field *,
    enum schema_side, bool null);

#endif
