/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "service/backup.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/log.h"
#include "blob/blob.h"
#include "blob/mirror.h"
#include "store/blobs.h"
#include "store/schema.h"

#define BATCH 500

/* clang-format off */
const struct field	 backup_fields[] = FIELDS(
	{ "files",   F_INT, MEMBER(backup_report, files),   .flags = F_OUT },
	{ "copied",  F_INT, MEMBER(backup_report, copied),  .flags = F_OUT },
	{ "missing", F_INT, MEMBER(backup_report, missing), .flags = F_OUT },
	{ "removed", F_INT, MEMBER(backup_report, removed), .flags = F_OUT }
);
/* clang-format on */

static enum err
open_copy(struct arena *mem, const struct conf *c, const char *path, struct db **copy)
{
	return db_open(
	    copy, arena_printf(mem, "sqlite:%s", path), (int)c->db_busy_ms, false);
}

enum err
backup_check_copy(struct arena *mem, const struct conf *c, const char *path)
{
	const char *schema = arena_printf(mem, "%s/schema", c->share_dir);
	struct db *copy;
	int64_t version;
	struct stat st;
	enum err e;

	if (lstat(path, &st) != 0 || !S_ISREG(st.st_mode) ||
	    access(arena_printf(mem, "%s-journal", path), F_OK) == 0) {
		log_error("%s: is not a complete database file", path);
		return ERR_REFUSED;
	}
	if ((e = open_copy(mem, c, path, &copy)) != OK)
		return e;
	if ((e = schema_known(copy, &version)) == OK)
		e = schema_same(copy, mem, schema, version);
	db_close(copy);
	return e;
}

/* Copy every file that the database's copy names from one folder to the other. */
static enum err
mirror_all(struct db *copy, struct arena *mem, const char *const from_to[2],
    enum mirror_how how, struct backup_report *r)
{
	struct list named = { .n = BATCH };
	const char *after = "";
	struct arena *now = arena_new();
	bool made;
	enum err e = OK;

	while (e == OK && named.n == BATCH) {
		e = blob_named(copy, mem, after, BATCH, &named);
		for (size_t i = 0; e == OK && i < named.n; i++) {
			const struct blob *b = (struct blob *)named.items + i;

			after = b->file;
			e = mirror_file(now, from_to, b->file, b->bytes, how, &made);
			r->files += e == OK;
			r->copied += e == OK && made;
			r->missing += e == ERR_NOT_FOUND;
			if (e == ERR_NOT_FOUND) {
				log_error("backup: there is no file %s", b->file);
				e = OK;
			}
			arena_reset(now);
		}
	}
	arena_free(now);
	return e;
}

static bool
is_named(void *copy, const char *file)
{
	int64_t n;

	return blob_has_file(copy, file, &n) != OK || n > 0;
}

static bool
on_disk(const struct conf *c)
{
	return strcmp(c->blob_store, blob_disk.name) == 0;
}

static enum err
prune(struct arena *mem, const struct conf *c, const char *dir, const char *path,
    struct backup_report *r)
{
	const char *blobs = arena_printf(mem, "%s/blobs", dir);
	struct db *copy;
	enum err e = open_copy(mem, c, path, &copy);

	if (e != OK)
		return e;
	e = mirror_prune(mem, blobs, is_named, copy, &r->removed);
	db_close(copy);
	return e;
}

static enum err
copy_key(struct arena *mem, const char *from, const char *to)
{
	return mirror_copy(mem, arena_printf(mem, "%s/secret.key", from),
	    arena_printf(mem, "%s/secret.key", to));
}

/* ---- the backup's disk ---- */

/* The path of the file that records the file system of a backup folder. */
static const char *
disk_note(struct arena *mem, const struct conf *c, const char *dir)
{
	char real[PATH_MAX];

	if (realpath(dir, real) != NULL)
		dir = real;
	return arena_printf(
	    mem, "%s/backup-%.16s", c->state_dir, hash_hex(mem, dir, strlen(dir)));
}

static unsigned long long
disk_of(const char *dir)
{
	struct stat st;

	return stat(dir, &st) == 0 ? st.st_dev : 0;
}

bool
backup_disk_gone(struct arena *mem, const struct conf *c, const char *dir)
{
	FILE *f = fopen(disk_note(mem, c, dir), "re");
	unsigned long long was;
	bool known = f != NULL && fscanf(f, "%llu", &was) == 1;

	if (f != NULL)
		fclose(f);
	return known && was != disk_of(dir) &&
	       access(arena_printf(mem, "%s/dragoman.db", dir), F_OK) != 0;
}

/* If this file cannot be written, the backup is still good. */
static void
note_disk(struct arena *mem, const struct conf *c, const char *dir)
{
	const char *path = disk_note(mem, c, dir);
	FILE *f = fopen(path, "we");

	if (f == NULL || fprintf(f, "%llu\n", disk_of(dir)) < 0)
		log_warn("%s: cannot be written: %s", path, strerror(errno));
	if (f != NULL)
		fclose(f);
}

enum err
backup_make(struct db *db, struct arena *mem, const struct conf *c, const char *dir,
    struct backup_report *r)
{
	const char *path = arena_printf(mem, "%s/dragoman.db", dir);
	const char *new = arena_printf(mem, "%s.new", path);
	const char *const from_to[] = { c->blob_dir,
		arena_printf(mem, "%s/blobs", dir) };
	struct db *copy;
	enum err e;

	*r = (struct backup_report){ 0 };
	unlink(new); /* left by a backup that was killed */
	if ((e = mirror_hold(c, mem)) != OK || (e = db_backup(db, new)) != OK ||
	    (e = open_copy(mem, c, new, &copy)) != OK)
		return e;
	if (on_disk(c))
		e = mirror_all(copy, mem, from_to, MIRROR_LINK, r);
	db_close(copy);
	if (e != OK || (e = copy_key(mem, c->state_dir, dir)) != OK)
		return e;
	/* Rename the copy last, when all its files are present. */
	if (rename(new, path) != 0) {
		log_error("backup: %s cannot be renamed", new);
		return ERR_FAILED;
	}
	if ((e = blob_sync_folder(dir)) != OK)
		return e;
	note_disk(mem, c, dir);
	return prune(mem, c, dir, path, r);
}

/* ---- restoring ---- */

static enum err
bring_files(struct arena *mem, const struct conf *c, const char *dir, const char *path,
    struct backup_report *r)
{
	const char *const from_to[] = { arena_printf(mem, "%s/blobs", dir),
		c->blob_dir };
	struct db *copy;
	enum err e = on_disk(c) ? open_copy(mem, c, path, &copy) : OK;

	if (e != OK || !on_disk(c))
		return e;
	e = mirror_all(copy, mem, from_to, MIRROR_COPY, r);
	db_close(copy);
	return e;
}

static bool
same_key(struct arena *mem, const char *a, const char *b)
{
	char key[2][256] = { { 0 } };
	size_t n[2] = { 0 };

	for (int i = 0; i < 2; i++) {
		FILE *f =
		    fopen(arena_printf(mem, "%s/secret.key", i == 0 ? a : b), "re");

		if (f == NULL)
			return false;
		n[i] = fread(key[i], 1, sizeof(key[i]), f);
		fclose(f);
	}
	return n[0] == n[1] && memcmp(key[0], key[1], n[0]) == 0;
}

enum err
backup_put_back(struct db *db, struct arena *mem, const struct conf *c, const char *dir,
    struct backup_report *r, bool *new_key)
{
	const char *path = arena_printf(mem, "%s/dragoman.db", dir);
	enum err e;

	*r = (struct backup_report){ 0 };
	if ((e = backup_check_copy(mem, c, path)) != OK ||
	    (e = mirror_hold(c, mem)) != OK ||
	    (e = bring_files(mem, c, dir, path, r)) != OK)
		return e;
	if ((*new_key = !same_key(mem, dir, c->state_dir)) &&
	    (e = copy_key(mem, dir, c->state_dir)) != OK)
		return e;
	return db_restore(db, path);
}

enum err
backup_count(
    struct arena *mem, const struct conf *c, const char *path, struct holdings *to)
{
	struct db *db;
	enum err e = path != NULL ? open_copy(mem, c, path, &db)
				  : db_open(&db, c->db_url, (int)c->db_busy_ms, false);

	*to = (struct holdings){ 0 };
	if (e != OK)
		return path != NULL ? e : OK;
	holdings_count(db, to);
	db_close(db);
	return OK;
}
