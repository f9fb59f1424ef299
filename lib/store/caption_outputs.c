#include "store/caption_outputs.h"

#include <string.h>

#include "base/clock.h"
#include "base/hash.h"

#define KEPT_US (30 * 86400 * S_US)

/* clang-format off */
static const struct field	 caption_output_fields[] = FIELDS(
	{ "output",  F_TEXT, MEMBER(caption_output, id) },
	{ "seq",     F_INT,  MEMBER(caption_output, seq) },
	{ "runtime", F_TEXT, MEMBER(caption_output, runtime) },
	{ "error",   F_TEXT, MEMBER(caption_output, error) },
	{ "dropped", F_INT,  MEMBER(caption_output, dropped) }
);

enum { LIST, TOUCH, PUT, EXPIRE, SQL_END };

const struct sql	 caption_output_sql[SQL_END + 1] = {
	[LIST] = { "caption_output.list",
	    "SELECT {*} FROM caption_outputs WHERE channel = $1 ORDER BY output",
	    ROWS_OF(caption_output_fields, struct caption_output) },
	[TOUCH] = { "caption_output.touch",
	    "UPDATE channels SET version = version + 1, updated_us = $5 WHERE id = $1"
	    " AND NOT EXISTS (SELECT 1 FROM caption_outputs o WHERE o.channel = $1"
	    " AND o.output = $2 AND o.runtime = $3"
	    " AND coalesce(o.error, '') = coalesce(CAST($4 AS TEXT), ''))" },
	[PUT] = { "caption_output.put",
	    "INSERT INTO caption_outputs (channel, output, seq, runtime, error, dropped,"
	    " updated_us) SELECT c.id, CAST($2 AS TEXT), CAST($3 AS BIGINT),"
	    " CAST($4 AS TEXT), CAST($5 AS TEXT), CAST($6 AS BIGINT), CAST($7 AS BIGINT)"
	    " FROM channels c WHERE c.id = $1 ON CONFLICT (channel, output) DO UPDATE"
	    " SET seq = excluded.seq, runtime = excluded.runtime, error = excluded.error,"
	    " dropped = excluded.dropped, updated_us = excluded.updated_us" },
	[EXPIRE] = { "caption_output.expire",
	    "DELETE FROM caption_outputs WHERE channel = $1 AND updated_us < $2" },
};
/* clang-format on */

const char *
caption_output_id(struct arena *mem, const char *url)
{
	return hash_hex(mem, url, strlen(url));
}

enum err
caption_output_list(
    struct db *db, struct arena *mem, const char *channel, struct list *to)
{
	return db_list(db, &caption_output_sql[LIST], ARGS(TEXT(channel)), mem, to);
}

const struct caption_output *
caption_output_of(const struct list *l, const char *id)
{
	const struct caption_output *o = l->items;

	for (size_t i = 0; i < l->n; i++)
		if (strcmp(o[i].id, id) == 0)
			return o + i;
	return NULL;
}

enum err
caption_output_put(struct db *db, const char *channel, const struct caption_output *o)
{
	int64_t now = now_us();
	enum err e = db_exec(db, &caption_output_sql[TOUCH],
	    ARGS(
		TEXT(channel), TEXT(o->id), TEXT(o->runtime), TEXT(o->error), INT(now)),
	    NULL);

	if (e == OK)
		e = db_exec(db, &caption_output_sql[PUT],
		    ARGS(TEXT(channel), TEXT(o->id), INT(o->seq), TEXT(o->runtime),
			TEXT(o->error), INT(o->dropped), INT(now)),
		    NULL);
	return e != OK ? e
		       : db_exec(db, &caption_output_sql[EXPIRE],
			     ARGS(TEXT(channel), INT(now - KEPT_US)), NULL);
}
