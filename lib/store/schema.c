#include "store/schema.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "store/glossaries.h"
#include "store/sealed.h"

enum { VERSION, NOTE, CLOCK, SQL_END };

/* clang-format off */
const struct sql	 schema_sql[SQL_END + 1] = {
	[VERSION] = { "schema.version", "SELECT max(version) FROM schema_versions" },
	[NOTE] = { "schema.note",
	    "INSERT INTO schema_versions (version, name, applied_us) VALUES ($1, $2, $3)" },
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
schema_known(struct db *db, int64_t *version)
{
	enum err e = schema_version(db, version);

	if (e != OK || *version <= SCHEMA_VERSION)
		return e;
	log_error("schema: the database is at version %lld, newer than this program, "
		  "which knows %d",
	    (long long)*version, SCHEMA_VERSION);
	return ERR_REFUSED;
}

/* A text file as a whole; NULL: it cannot be read. */
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

/* What SQL cannot do of a version, behind its file. */
static enum err
convert(struct db *db, int64_t version)
{
	return version == 8    ? glossary_terms_convert(db)
	       : version == 26 ? sealed_convert(db)
			       : OK;
}

/* Within a transaction: another process may have migrated while we waited for it. */
static enum err
apply_once(struct db *db, const char *name, const char *text, int *applied)
{
	int64_t version = strtol(name, NULL, 10), have;
	enum err e;

	if ((e = schema_version(db, &have)) != OK || have >= version)
		return e;
	if ((e = db_script(db, text)) != OK || (e = convert(db, version)) != OK ||
	    (e = db_exec(db, &schema_sql[NOTE],
		 ARGS(INT(version), TEXT(name), INT(now_us())), NULL)) != OK)
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
		log_error("schema: %s/%s cannot be read", dir, name);
		return ERR_FAILED;
	}
	if ((e = db_begin(db)) != OK ||
	    (e = apply_once(db, name, text, applied)) != OK ||
	    (e = db_commit(db)) != OK) {
		db_rollback(db);
		*applied = before;
		log_error("schema: %s failed", name);
	}
	return e;
}

/* The table that tells the version. */
static enum err
begin(struct db *db, int64_t *have)
{
	enum err e;

	if ((e = db_begin(db)) != OK || (e = db_script(db, first)) != OK ||
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
		log_error("schema: %s cannot be read", dir);
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

/* ---- whether it is ours ---- */

#define OBJECT_END '\036'

/* The end of what begins with this quote. */
static const char *
quoted_end(const char *s)
{
	char end = *s == '[' ? ']' : *s;

	for (s++; *s != '\0' && *s != end; s++)
		;
	return s + (*s != '\0');
}

/* SQL with a blank for each comment of a line and for each run of blanks: comments have
   been reworded since they were kept. */
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

/* Both in the same order; the first one that differs is logged. */
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
	if (a[at] == '\0' || ours[at] == '\0') /* one has an object more */
		begin = at;
	log_error("schema: not as this program makes it: %.60s; expected: %.60s",
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
