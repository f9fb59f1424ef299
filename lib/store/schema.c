#include "store/schema.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/log.h"

enum { VERSION, NOTE, SQL_END };

/* clang-format off */
const struct sql	 schema_sql[] = {
	[VERSION] = { "schema.version", "SELECT max(version) FROM schema_versions", NULL },
	[NOTE] = { "schema.note",
	    "INSERT INTO schema_versions (version, name, applied_us) VALUES ($1, $2, $3)", NULL },
	[SQL_END] = { NULL, NULL, NULL },
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

static enum err
apply(struct db *db, struct arena *mem, const char *dir, const char *name)
{
	const char *text = read_file(mem, arena_printf(mem, "%s/%s", dir, name));
	enum err e;

	if (text == NULL) {
		log_error("schema: %s/%s cannot be read", dir, name);
		return ERR_FAILED;
	}
	if ((e = db_begin(db)) != OK || (e = db_script(db, text)) != OK ||
	    (e = db_exec(db, &schema_sql[NOTE],
		 ARGS(INT(strtol(name, NULL, 10)), TEXT(name), INT(now_us())), NULL)) !=
		OK ||
	    (e = db_commit(db)) != OK) {
		db_rollback(db);
		log_error("schema: %s failed", name);
	}
	return e;
}

static int
is_migration(const struct dirent *d)
{
	size_t n = strlen(d->d_name);

	return n > 8 && strspn(d->d_name, "0123456789") == 4 &&
	       strcmp(d->d_name + n - 4, ".sql") == 0;
}

enum err
schema_migrate(struct db *db, struct arena *mem, const char *dir, int *applied)
{
	struct dirent **files;
	int64_t have;
	enum err e;
	int n;

	*applied = 0;
	if ((e = db_script(db, first)) != OK || (e = schema_version(db, &have)) != OK)
		return e;
	if ((n = scandir(dir, &files, is_migration, alphasort)) < 0) {
		log_error("schema: %s cannot be read", dir);
		return ERR_FAILED;
	}
	for (int i = 0; i < n; i++) {
		if (e == OK && strtol(files[i]->d_name, NULL, 10) > have &&
		    (e = apply(db, mem, dir, files[i]->d_name)) == OK)
			++*applied;
		free(files[i]);
	}
	free(files);
	return e;
}
