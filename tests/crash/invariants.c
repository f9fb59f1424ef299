/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * usage: invariants VAR [--settled] [TOLD [LINES]]
 *
 * Checks the files of an instance against the rules of the schema and
 * docs/architecture.md, and against the first LINES of TOLD: facts that answers
 * reported to clients and that must still hold. A line "try SUBJECT" means that earlier
 * facts about SUBJECT may have changed. --settled: time has passed and every worker has
 * run, so no job may wait and no stray file may exist. The program changes nothing.
 */
#include <dirent.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/hash.h"
#include "invariants.h"
#include "store/schema.h"

static struct arena *mem;
static struct db *db;
static const char *var;
static int breaches;

void
breach(const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	vprintf(fmt, args);
	va_end(args);
	putchar('\n');
	breaches++;
}

static int64_t
number(const struct sql *query, const char *one)
{
	int64_t n = -1;

	if (db_number(db, query, ARGS(TEXT(one)), &n) != OK)
		breach("%s: the database does not answer", query->name);
	return n;
}

/* ---- rules ---- */

static void
hold(const struct rule *rules)
{
	for (; rules->text != NULL; rules++) {
		struct rows r = db_query(db, &rules->find, ARGS());

		while (db_next(&r))
			breach("%s: %s", rules->text, row_text(&r, 0, mem));
		if (db_done(&r) != OK)
			breach("%s: the database does not answer", rules->text);
	}
}

static const struct rule sound[] = {
	RULE("integrity_check", "SELECT integrity_check FROM pragma_integrity_check"
				" WHERE integrity_check <> 'ok'"),
	RULE("foreign_key_check", "SELECT \"table\" FROM pragma_foreign_key_check"),
	{ NULL },
};

/* ---- files ---- */

#define ID_BYTES 36

static const char *
hash_of(const char *path, int64_t *bytes)
{
	struct sha256 *hash = sha256_new(mem);
	FILE *f = fopen(path, "re");
	char piece[4096];
	size_t n;

	*bytes = 0;
	if (f == NULL)
		return NULL;
	while ((n = fread(piece, 1, sizeof(piece), f)) > 0) {
		sha256_put(hash, piece, n);
		*bytes += (int64_t)n;
	}
	fclose(f);
	return sha256_hex(mem, hash);
}

static const struct sql with_files = { "with_files",
	"SELECT id, file, bytes, sha256 FROM blobs"
	" WHERE state IN ('stored', 'checked') AND file IS NOT NULL",
	NULL };

static void
look_at_blobs(void)
{
	struct rows r = db_query(db, &with_files, ARGS());
	int64_t bytes;

	while (db_next(&r)) {
		const char *id = row_text(&r, 0, mem), *file = row_text(&r, 1, mem);
		const char *hash = hash_of(
		    arena_printf(mem, "%s/blobs/%.2s/%s", var, file, file), &bytes);

		if (hash == NULL)
			breach("the file of blob %s is not there", id);
		else if (bytes != row_int(&r, 2) ||
			 strcmp(hash, row_text(&r, 3, mem)) != 0)
			breach("the file of blob %s has other bytes", id);
	}
	if (db_done(&r) != OK)
		breach("blobs cannot be listed");
}

/* Each file in a folder of the instance. */
static void
each(const char *folder, void (*look)(const char *folder, const char *name))
{
	DIR *d = opendir(arena_printf(mem, "%s/%s", var, folder));
	const struct dirent *f;

	while (d != NULL && (f = readdir(d)) != NULL)
		if (f->d_name[0] != '.')
			look(folder, f->d_name);
	if (d != NULL)
		closedir(d);
}

static void
look_for_stray(const char *folder, const char *name)
{
	static const struct sql known = { "known",
		"SELECT count(*) FROM blobs WHERE file = $1", NULL };

	if (number(&known, name) != 1)
		breach("no row names the file %s/%s", folder, name);
}

static void
look_into_folder(const char *folder, const char *name)
{
	const char *path = arena_printf(mem, "%s/%s", folder, name);
	int64_t bytes;

	if (strcmp(name, "store.id") == 0) {
		hash_of(arena_printf(mem, "%s/%s", var, path), &bytes);
		if (bytes != ID_BYTES)
			breach("%s holds half an id", path);
	} else if (strcmp(name, "tmp") == 0 || strlen(name) == 2)
		each(path, look_for_stray);
	else if (strcmp(name, "lost") != 0)
		breach("%s is no folder of ours", path);
}

static void
look_at_state(const char *folder, const char *name)
{
	size_t n = strlen(name);

	if (strncmp(name, "secret.key", 10) != 0 && strncmp(name, "node.id", 7) != 0 &&
	    strcmp(name, "limits") != 0 && strcmp(name, "upload-slots") != 0 &&
	    strcmp(name, "requests") != 0 && strcmp(name, "db.pulse") != 0 &&
	    strncmp(name, "metrics-", 8) != 0 &&
	    (n < 5 || strcmp(name + n - 5, ".lock") != 0))
		breach("no row names the file %s/%s", folder, name);
}

/* ---- answers that clients got ---- */

struct told {
	const char *part[4]; /* kind, subject, values */
};

static struct list
read_told(const char *path, long lines)
{
	struct buf list = { .mem = mem };
	FILE *f = fopen(path, "re");
	struct told t;
	char *line = arena_alloc(mem, 4096), *part, *rest;

	while (f != NULL && lines-- > 0 && fgets(line, 4096, f) != NULL) {
		t = (struct told){ 0 };
		rest = arena_dup(mem, line, strcspn(line, "\n"));
		for (int i = 0; i < 4 && (part = strsep(&rest, "\t")) != NULL; i++)
			t.part[i] = part;
		buf_put(&list, &t, sizeof(t));
	}
	if (f == NULL)
		breach("%s cannot be read", path);
	else
		fclose(f);
	return (struct list){ list.p, list.len / sizeof(t) };
}

static bool
is_tried_later(const struct list *l, size_t i)
{
	const struct told *t = l->items;

	for (size_t k = i + 1; k < l->n; k++)
		if (strcmp(t[k].part[0], "try") == 0 &&
		    strcmp(t[k].part[1], t[i].part[1]) == 0)
			return true;
	return false;
}

/* Checks a copy of the database on its own. */
static void
look_at_copy(const struct told *t)
{
	static const struct sql any = { "any_account", "SELECT count(*) FROM accounts",
		NULL };
	const char *path = arena_printf(mem, "%s/%s", var, t->part[1]);
	struct db *own = db;

	if (access(path, F_OK) != 0 ||
	    db_open(&db, arena_printf(mem, "sqlite:%s", path), 5000, false) != OK) {
		breach("%s is no copy", path);
	} else {
		int64_t n = 0;

		hold(sound);
		if (db_number(db, &any, ARGS(), &n) != OK || n == 0)
			breach("%s is empty", path);
		db_close(db);
	}
	db = own;
}

/* Checks the file of the master key against its hash. */
static void
look_at_key(const struct told *t)
{
	int64_t bytes;
	const char *hash =
	    hash_of(arena_printf(mem, "%s/state/secret.key", var), &bytes);

	if (hash == NULL || strcmp(hash, t->part[1]) != 0)
		breach("the secret key is not the one that was used");
}

static size_t
parameters(const char *query)
{
	size_t n = 0;

	while (strstr(query, n == 0 ? "$1" : n == 1 ? "$2" : "$3") != NULL && n < 3)
		n++;
	return n;
}

static void
look_at_promise(const struct told *t)
{
	const struct promise *p = promises;
	const struct val values[] = { { 0 }, TEXT(t->part[1]), TEXT(t->part[2]),
		TEXT(t->part[3]) };
	int64_t n = 0;

	if (strcmp(t->part[0], "key") == 0) {
		look_at_key(t);
		return;
	}
	if (strcmp(t->part[0], "copy") == 0) {
		look_at_copy(t);
		return;
	}
	while (p->kind != NULL && strcmp(p->kind, t->part[0]) != 0)
		p++;
	if (p->kind == NULL)
		breach("no code can promise a %s", t->part[0]);
	else if (db == NULL ||
		 db_number(db, &p->kept, values, parameters(p->kept.text), &n) != OK ||
		 n != 1)
		breach("a client was told of %s %s %s %s", t->part[0], t->part[1],
		    t->part[2] != NULL ? t->part[2] : "",
		    t->part[3] != NULL ? t->part[3] : "");
}

static void
look_at_promises(const char *path, long lines)
{
	struct list l = read_told(path, lines);
	const struct told *t = l.items;

	for (size_t i = 0; i < l.n; i++)
		if (strcmp(t[i].part[0], "try") != 0 && !is_tried_later(&l, i))
			look_at_promise(&t[i]);
}

/* ---- all of it ---- */

/* Returns the schema version; 0: there is no schema yet. */
static int64_t
version(void)
{
	static const struct sql any = { "any",
		"SELECT count(*) FROM sqlite_master WHERE name = $1", NULL };
	static const struct sql all = { "all",
		"SELECT CASE WHEN count(*) = coalesce(max(version), 0) THEN count(*)"
		" ELSE -1 END FROM schema_versions",
		NULL };
	int64_t n = 0;

	if (db == NULL || number(&any, "schema_versions") == 0)
		return 0;
	if (db_number(db, &all, ARGS(), &n) != OK || n < 0 || n > SCHEMA_VERSION)
		breach("the schema is at none of our versions");
	return n;
}

static void
look(bool settled)
{
	int64_t at = version();

	if (db != NULL)
		hold(sound);
	if (at < SCHEMA_VERSION)
		return;
	hold(rules_always);
	look_at_blobs();
	if (!settled)
		return;
	hold(rules_settled);
	each("blobs", look_into_folder);
	each("state", look_at_state);
}

int
main(int argc, char **argv)
{
	bool settled = argc > 2 && strcmp(argv[2], "--settled") == 0;
	const char *path;
	int i = settled ? 3 : 2;

	if (argc < 2) {
		fprintf(stderr, "usage: invariants VAR [--settled] [TOLD [LINES]]\n");
		return 2;
	}
	mem = arena_new();
	var = argv[1];
	path = arena_printf(mem, "%s/dragoman.db", var);
	if (access(path, F_OK) == 0 &&
	    db_open(&db, arena_printf(mem, "sqlite:%s", path), 5000, false) != OK)
		breach("the database does not open");
	look(settled);
	if (argc > i)
		look_at_promises(
		    argv[i], argc > i + 1 ? strtol(argv[i + 1], NULL, 10) : 1000000);
	db_close(db);
	return breaches == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
