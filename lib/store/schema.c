/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "store/schema.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "store/channels.h"
#include "store/glossaries.h"

enum { VERSION, CONNECTIONS, NOTE, CLOCK, OLDEST, SERVE, SQL_END };

#define SERVES 37 /* the first version with the column oldest */

/* clang-format off */
const struct sql	 schema_sql[SQL_END + 1] = {
	[VERSION] = { "schema.version", "SELECT max(version) FROM schema_versions" },
	[CONNECTIONS] = { "schema.connections", "SELECT 0",
	    .pg = "SELECT CAST(current_setting('max_connections') AS BIGINT)"
		  " - CAST(current_setting('superuser_reserved_connections') AS BIGINT)" },
	[NOTE] = { "schema.note",
	    "INSERT INTO schema_versions (version, name, applied_us) VALUES ($1, $2, $3)" },
	[OLDEST] = { "schema.oldest",
	    "SELECT coalesce(oldest, version) FROM schema_versions ORDER BY version DESC LIMIT 1" },
	[SERVE] = { "schema.serve", "UPDATE schema_versions SET oldest = $2 WHERE version = $1" },
	[CLOCK] = { "schema.clock",
	    "SELECT CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER) * 1000",
	    .pg = "SELECT CAST(extract(epoch FROM clock_timestamp()) * 1000000 AS BIGINT)" },
};
/* clang-format on */

static const char first[] = "CREATE TABLE IF NOT EXISTS schema_versions ("
			    "version INTEGER PRIMARY KEY,"
			    "name TEXT NOT NULL,"
			    "applied_us INTEGER NOT NULL)";

enum err
schema_version(struct db *db, int64_t *version)
{
	return db_number(db, &schema_sql[VERSION], ARGS(), version);
}

enum err
schema_clock(struct db *db, int64_t *us)
{
	return db_number(db, &schema_sql[CLOCK], ARGS(), us);
}

enum err
schema_connections(struct db *db, int64_t *n)
{
	return db_number(db, &schema_sql[CONNECTIONS], ARGS(), n);
}

enum err
schema_known(struct db *db, int64_t *version)
{
	enum err e = schema_version(db, version);

	if (e != OK || *version <= SCHEMA_VERSION)
		return e;
	log_error("schema: the database has version %lld, newer than this program, "
		  "which needs %d",
	    (long long)*version, SCHEMA_VERSION);
	return ERR_REFUSED;
}

enum err
schema_judge(struct db *db, int64_t *version, int *how)
{
	int64_t oldest = 0;
	enum err e = schema_version(db, version);

	*how = *version < SCHEMA_VERSION ? -1 : 0;
	if (e != OK || *version <= SCHEMA_VERSION)
		return e;
	e = db_number(db, &schema_sql[OLDEST], ARGS(), &oldest);
	*how = oldest > SCHEMA_VERSION;
	return e;
}

/* ---- migration 26: encrypt secrets ---- */

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

enum { EVENTS, CHANNELS, WEBHOOKS, DELIVERIES, SEALED };

const struct sql	 sealed_sql[2 * SEALED + 1] = {
	[2 * EVENTS] = NEXT("events", event_clear), PUT("events", event_seal),
	[2 * CHANNELS] = NEXT("channels", channel_clear), PUT("channels", channel_seal),
	[2 * WEBHOOKS] = NEXT("webhooks", webhook_clear), PUT("webhooks", webhook_seal),
	[2 * DELIVERIES] = NEXT("webhook_deliveries", delivery_clear),
	PUT("webhook_deliveries", delivery_seal),
};
/* clang-format on */

static enum err
seal_table(struct db *db, int table)
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

/*
 * For version 26, in its transaction: encrypt secrets that were stored in clear text.
 */
static enum err
seal_secrets(struct db *db)
{
	enum err e = OK;

	for (int table = 0; table < SEALED && e == OK; table++)
		e = seal_table(db, table);
	return e;
}

/* ---- migrating ---- */

/* Read a text file; NULL: it cannot be read. */
static const char *
read_file(struct arena *mem, const char *path)
{
	struct buf b = { .mem = mem };
	FILE *f = fopen(path, "re");
	size_t n;

	if (f == NULL)
		return NULL;
	while ((n = fread(buf_room(&b, 16384), 1, 16384, f)) > 0)
		b.len += n;
	fclose(f);
	return buf_text(&b);
}

/* The part of a migration that SQL cannot do, after its file was applied. */
static enum err
convert(struct db *db, int64_t version)
{
	return version == 8    ? glossary_terms_convert(db)
	       : version == 26 ? seal_secrets(db)
			       : OK;
}

/* Store the oldest program that may run over a version, from the line of its file. */
static enum err
note_oldest(struct db *db, int64_t version, const char *text)
{
	static const char line[] = "-- Serves programs from version ";
	const char *at = strstr(text, line);

	if (version < SERVES || at == NULL)
		return OK;
	return db_exec(db, &schema_sql[SERVE],
	    ARGS(INT(version), INT(strtol(at + strlen(line), NULL, 10))), NULL);
}

/* Runs in a transaction and checks again: another process may have migrated while this
   one waited. */
static enum err
apply_once(struct db *db, const char *name, const char *text, int *applied)
{
	int64_t version = strtol(name, NULL, 10), have;
	enum err e;

	if ((e = schema_version(db, &have)) != OK || have >= version)
		return e;
	if ((e = db_script(db, text)) != OK || (e = convert(db, version)) != OK ||
	    (e = db_exec(db, &schema_sql[NOTE],
		 ARGS(INT(version), TEXT(name), INT(now_us())), NULL)) != OK ||
	    (e = note_oldest(db, version, text)) != OK)
		return e;
	++*applied;
	return OK;
}

static enum err
apply(struct db *db, struct arena *mem, const char *dir, const char *name, int *applied)
{
	const char *text = read_file(mem, arena_printf(mem, "%s/%s", dir, name));
	int before = *applied;
	enum err e;

	if (text == NULL) {
		log_error("schema: cannot read %s/%s", dir, name);
		return ERR_FAILED;
	}
	if ((e = db_begin(db, DB_ALL)) != OK ||
	    (e = apply_once(db, name, text, applied)) != OK ||
	    (e = db_commit(db)) != OK) {
		db_rollback(db);
		*applied = before;
		log_error("schema: %s failed", name);
	}
	return e;
}

/* Create the table of applied versions. */
static enum err
begin(struct db *db, int64_t *have)
{
	enum err e;

	if ((e = db_begin(db, DB_ALL)) != OK || (e = db_script(db, first)) != OK ||
	    (e = schema_known(db, have)) != OK || (e = db_commit(db)) != OK)
		db_rollback(db);
	return e;
}

static int
is_migration(const struct dirent *d)
{
	size_t n = strlen(d->d_name);

	return n > 8 && strspn(d->d_name, "0123456789") == 4 &&
	       strcmp(d->d_name + n - 4, ".sql") == 0;
}

static enum err
migrate_to(
    struct db *db, struct arena *mem, const char *dir, int64_t until, int *applied)
{
	struct dirent **files;
	int64_t have;
	enum err e;
	int n;

	*applied = 0;
	if ((e = begin(db, &have)) != OK)
		return e;
	if ((n = scandir(dir, &files, is_migration, alphasort)) < 0) {
		log_error("schema: cannot read the folder %s", dir);
		return ERR_FAILED;
	}
	for (int i = 0; i < n; i++) {
		int64_t version = strtol(files[i]->d_name, NULL, 10);

		if (e == OK && version > have && version <= until)
			e = apply(db, mem, dir, files[i]->d_name, applied);
		free(files[i]);
	}
	free(files);
	return e;
}

enum err
schema_migrate(struct db *db, struct arena *mem, const char *dir, int *applied)
{
	enum err e = migrate_to(db, mem, dir, INT64_MAX, applied);

	return e == OK && *applied > 0 ? db_flush(db) : e;
}

/* ---- comparing a schema with ours ---- */

#define OBJECT_END '\036'

/* Returns the end of the quoted text that begins at s. */
static const char *
quoted_end(const char *s)
{
	char end = *s == '[' ? ']' : *s;

	for (s++; *s != '\0' && *s != end; s++)
		;
	return s + (*s != '\0');
}

/* Returns SQL with each line comment and each run of blanks replaced by one blank, as
   comments may have been reworded since the database stored its schema. */
static const char *
plain_sql(struct arena *mem, const char *s)
{
	struct buf b = { .mem = mem };
	bool blank = false;

	while (*s != '\0') {
		const char *from = s;

		if (strchr("'\"`[", *s) != NULL)
			s = quoted_end(s);
		else if (strncmp(s, "--", 2) == 0)
			s += strcspn(s, "\n\036");
		else
			s += strspn(s, " \t\r\n") + (strspn(s, " \t\r\n") == 0);
		if (strncmp(from, "--", 2) == 0 || strchr(" \t\r\n", *from) != NULL) {
			blank = true;
			continue;
		}
		if (blank)
			buf_str(&b, " ");
		blank = false;
		buf_put(&b, from, (size_t)(s - from));
	}
	return buf_text(&b);
}

/* Compare two schemas in the same order; log the first object that differs. */
static enum err
same_objects(const char *a, const char *ours)
{
	size_t at = 0, begin = 0;

	for (; a[at] == ours[at]; at++) {
		if (a[at] == '\0')
			return OK;
		if (a[at] == OBJECT_END)
			begin = at + 1;
	}
	if (a[at] == '\0' || ours[at] == '\0') /* one has an additional object */
		begin = at;
	log_error(
	    "schema: it differs from this program's schema: %.60s; expected: %.60s",
	    a + begin, ours + begin);
	return ERR_REFUSED;
}

enum err
schema_same(struct db *db, struct arena *mem, const char *dir, int64_t version)
{
	const char *a, *b;
	struct db *ours;
	int applied;
	enum err e;

	if ((e = db_open(&ours, "sqlite::memory:", 0, true)) != OK)
		return e;
	if ((e = migrate_to(ours, mem, dir, version, &applied)) == OK &&
	    (e = db_objects(ours, mem, &b)) == OK &&
	    (e = db_objects(db, mem, &a)) == OK)
		e = same_objects(plain_sql(mem, a), plain_sql(mem, b));
	db_close(ours);
	return e;
}

/* ---- holdings ---- */

enum { ACCOUNTS, EVENT_COUNT, FILES, HOLDINGS_END };

/* clang-format off */
const struct sql	 holdings_sql[HOLDINGS_END + 1] = {
	[ACCOUNTS] = { "holdings.accounts", "SELECT count(*) FROM accounts" },
	[EVENT_COUNT] = { "holdings.events", "SELECT count(*) FROM events" },
	[FILES] = { "holdings.files", "SELECT count(*) FROM blobs WHERE file IS NOT NULL" },
};
/* clang-format on */

static int64_t
count(struct db *db, int which)
{
	int64_t n;

	return db_number(db, &holdings_sql[which], ARGS(), &n) == OK ? n : 0;
}

void
holdings_count(struct db *db, struct holdings *to)
{
	to->accounts = count(db, ACCOUNTS);
	to->events = count(db, EVENT_COUNT);
	to->files = count(db, FILES);
}
