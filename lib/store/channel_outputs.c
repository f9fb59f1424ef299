/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "store/channel_outputs.h"

#include <string.h>

#include "base/clock.h"
#include "base/hash.h"

#define KEPT_US (30 * 86400 * S_US)

/* clang-format off */
static const struct field	 channel_output_fields[] = FIELDS(
	{ "output",  F_TEXT, MEMBER(channel_output, id) },
	{ "seq",     F_INT,  MEMBER(channel_output, seq) },
	{ "runtime", F_TEXT, MEMBER(channel_output, runtime) },
	{ "error",   F_TEXT, MEMBER(channel_output, error) },
	{ "dropped", F_INT,  MEMBER(channel_output, dropped) },
	{ "bitrate", F_REAL, MEMBER(channel_output, bitrate) }
);

enum { LIST, TOUCH, PUT, EXPIRE, SQL_END };

const struct sql	 channel_output_sql[SQL_END + 1] = {
	[LIST] = { "channel_output.list",
	    "SELECT {*} FROM channel_outputs WHERE channel = $1 ORDER BY output",
	    ROWS_OF(channel_output_fields, struct channel_output) },
	[TOUCH] = { "channel_output.touch",
	    "UPDATE channels SET version = version + 1, updated_us = $5 WHERE id = $1"
	    " AND NOT EXISTS (SELECT 1 FROM channel_outputs o WHERE o.channel = $1"
	    " AND o.output = $2 AND o.runtime = $3"
	    " AND coalesce(o.error, '') = coalesce(CAST($4 AS TEXT), ''))" },
	[PUT] = { "channel_output.put",
	    "INSERT INTO channel_outputs (channel, output, seq, runtime, error, dropped,"
	    " updated_us, bitrate) SELECT c.id, CAST($2 AS TEXT), CAST($3 AS BIGINT),"
	    " CAST($4 AS TEXT), CAST($5 AS TEXT), CAST($6 AS BIGINT),"
	    " CAST($7 AS BIGINT), CAST($8 AS DOUBLE PRECISION)"
	    " FROM channels c WHERE c.id = $1 ON CONFLICT (channel, output) DO UPDATE"
	    " SET seq = excluded.seq, runtime = excluded.runtime, error = excluded.error,"
	    " dropped = excluded.dropped, updated_us = excluded.updated_us,"
	    " bitrate = excluded.bitrate" },
	[EXPIRE] = { "channel_output.expire",
	    "DELETE FROM channel_outputs WHERE channel = $1 AND updated_us < $2" },
};
/* clang-format on */

const char *
channel_output_id(struct arena *mem, const struct json *o)
{
	const char *protocol = json_get_text(o, "protocol"),
		   *url = json_get_text(o, "url");
	struct buf b = { .mem = mem };

	if (protocol != NULL && url != NULL && strcmp(protocol, "captions_push") == 0)
		return hash_hex(mem, url, strlen(url));
	jw_json(&(struct json_writer){ .out = &b }, NULL, o);
	return hash_hex(mem, b.p, b.len);
}

enum err
channel_output_list(
    struct db *db, struct arena *mem, const char *channel, struct list *to)
{
	return db_list(db, &channel_output_sql[LIST], ARGS(TEXT(channel)), mem, to);
}

const struct channel_output *
channel_output_of(const struct list *l, const char *id)
{
	const struct channel_output *o = l->items;

	for (size_t i = 0; i < l->n; i++)
		if (strcmp(o[i].id, id) == 0)
			return o + i;
	return NULL;
}

enum err
channel_output_put(struct db *db, const char *channel, const struct channel_output *o)
{
	int64_t now = now_us();
	enum err e = db_exec(db, &channel_output_sql[TOUCH],
	    ARGS(
		TEXT(channel), TEXT(o->id), TEXT(o->runtime), TEXT(o->error), INT(now)),
	    NULL);

	if (e == OK)
		e = db_exec(db, &channel_output_sql[PUT],
		    ARGS(TEXT(channel), TEXT(o->id), INT(o->seq), TEXT(o->runtime),
			TEXT(o->error), INT(o->dropped), INT(now), REAL(o->bitrate)),
		    NULL);
	return e != OK ? e
		       : db_exec(db, &channel_output_sql[EXPIRE],
			     ARGS(TEXT(channel), INT(now - KEPT_US)), NULL);
}
