/*
 * Secrets that were kept in clear text before version 26 of the schema.
 */
#include "store/sealed.h"

#include "store/channels.h"

struct secrets {
	const char *id;
	const char *access_code;
	const char *stream_key, *input_url, *outputs;
	int64_t output_processes;
	const char *url;
	const char *body;
};

/* clang-format off */
#define ID { "id", F_TEXT, MEMBER(secrets, id) }
#define EVENT(how) ID, { "access_code", F_TEXT, MEMBER(secrets, access_code), .flags = how }
#define CHANNEL(how)                                                                     \
	ID,                                                                              \
	{ "stream_key", F_TEXT, MEMBER(secrets, stream_key), .flags = how },             \
	{ "input_url",  F_TEXT, MEMBER(secrets, input_url),  .flags = how },             \
	{ "outputs",    F_TEXT, MEMBER(secrets, outputs),    .flags = how }
#define WEBHOOK(how) ID, { "url", F_TEXT, MEMBER(secrets, url), .flags = how }
#define DELIVERY(how) ID, { "body", F_TEXT, MEMBER(secrets, body), .flags = how }
#define SEAL (F_PUT | F_SEALED)

static const struct field	 event_clear[] = FIELDS(EVENT(0));
static const struct field	 event_seal[] = FIELDS(EVENT(SEAL));
static const struct field	 channel_clear[] = FIELDS(CHANNEL(0));
static const struct field	 channel_seal[] = FIELDS(CHANNEL(SEAL),
	{ "output_processes", F_INT, MEMBER(secrets, output_processes), .flags = F_PUT });
static const struct field	 webhook_clear[] = FIELDS(WEBHOOK(0));
static const struct field	 webhook_seal[] = FIELDS(WEBHOOK(SEAL));
static const struct field	 delivery_clear[] = FIELDS(DELIVERY(0));
static const struct field	 delivery_seal[] = FIELDS(DELIVERY(SEAL));

#define NEXT(table, fields)                                                              \
	{ "sealed.next_" table, "SELECT {*} FROM " table " WHERE id > $1 ORDER BY id LIMIT 1", \
	  ROWS_OF(fields, struct secrets) }
#define PUT(table, fields)                                                               \
	{ "sealed.put_" table, "UPDATE " table " SET {changes} WHERE id = :id", .from = fields }

enum { EVENTS, CHANNELS, WEBHOOKS, DELIVERIES, SQL_END };

const struct sql	 sealed_sql[2 * SQL_END + 1] = {
	[2 * EVENTS] = NEXT("events", event_clear), PUT("events", event_seal),
	[2 * CHANNELS] = NEXT("channels", channel_clear), PUT("channels", channel_seal),
	[2 * WEBHOOKS] = NEXT("webhooks", webhook_clear), PUT("webhooks", webhook_seal),
	[2 * DELIVERIES] = NEXT("webhook_deliveries", delivery_clear),
	PUT("webhook_deliveries", delivery_seal),
};
/* clang-format on */

static enum err
convert(struct db *db, int table)
{
	const struct sql *next = &sealed_sql[2 * table], *put = next + 1;
	struct arena *mem = arena_new(), *last = arena_new();
	struct secrets s = { .id = "" };
	enum err e;

	while ((e = db_one(db, next, ARGS(TEXT(s.id)), mem, &s)) == OK) {
		if (s.outputs != NULL)
			s.output_processes = channel_output_processes(mem, s.outputs);
		if ((e = db_save(db, put, &s, ARGS(), ERR_STALE)) != OK)
			break;
		arena_reset(last);
		s.id = arena_str(last, s.id);
		arena_reset(mem);
	}
	arena_free(mem);
	arena_free(last);
	return e == ERR_NOT_FOUND ? OK : e;
}

enum err
sealed_convert(struct db *db)
{
	enum err e = OK;

	for (int table = 0; table < SQL_END && e == OK; table++)
		e = convert(db, table);
	return e;
}
