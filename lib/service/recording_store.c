/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "service/recording_store.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/id.h"
#include "base/log.h"
#include "blob/blob.h"
#include "store/accounts.h"
#include "store/blobs.h"
#include "store/recordings.h"

#define ID_LENGTH 36
#define BEGINS_US (30 * S_US) /* time in which a child must lock its folder */
#define FOLDERS_MOST 20       /* folders that may begin at the same microsecond */

const char *
recording_folder(const struct conf *conf, struct arena *mem, const char *channel)
{
	int64_t now = now_us();
	const char *folder = NULL;

	mkdir(conf->recordings_dir, 0700);
	for (int i = 0; i < FOLDERS_MOST; i++) {
		folder = arena_printf(mem, "%s/%s.%lld", conf->recordings_dir, channel,
		    (long long)now + i);
		if (mkdir(folder, 0700) == 0 || errno != EEXIST)
			break;
	}
	return folder;
}

/* ---- a folder ---- */

struct recording_run {
	const struct conf *conf;
	struct db *db;
	int folder, lock; /* descriptors */
	const char *name; /* name of the folder */
	struct recording is;
};

/*
 * Lock the folder. False: its child or another worker has locked it, or the child has
 * just begun.
 */
static bool
lock_run(struct recording_run *r)
{
	r->lock = openat(r->folder, "run", O_RDWR | O_CLOEXEC);
	if (r->lock < 0)
		return errno == ENOENT && r->is.start_us < now_us() - BEGINS_US;
	return flock(r->lock, LOCK_EX | LOCK_NB) == 0;
}

/*
 * The duration that the child wrote last. After a power failure, use the times of the
 * files.
 */
static int64_t
duration_of(const struct recording_run *r, const struct stat *st)
{
	char text[32] = "";
	int64_t ms = r->lock >= 0 && pread(r->lock, text, sizeof(text) - 1, 0) > 0
			 ? strtoll(text, NULL, 10)
			 : 0;

	if (ms <= 0)
		ms = ((int64_t)st->st_mtime * S_US - r->is.start_us) / 1000;
	return ms > 0 ? ms : 0;
}

static enum err
write_rows(struct db *db, const struct blob *b, const struct recording *is)
{
	enum err e;

	if ((e = db_begin(db, is->account)) != OK ||
	    (e = recording_add(db, is)) != OK || (e = blob_add(db, b)) != OK ||
	    (e = account_store(db, b->account, b->bytes)) != OK ||
	    (e = db_commit(db)) != OK)
		db_rollback(db);
	return e;
}

static struct blob
blob_of(struct arena *mem, const struct recording *is, int64_t bytes)
{
	bool mp4 = strcmp(is->format, "mp4") == 0;
	char at[TIME_TEXT];

	return (struct blob){ .id = is->blob,
		.account = is->account,
		.kind = "recording",
		.state = "checked",
		.mime_type = mp4                              ? "video/mp4"
			     : strcmp(is->format, "wav") == 0 ? "audio/wav"
							      : "audio/ogg",
		.filename = arena_printf(mem, "%s-%s%s%s.%s", is->channel,
		    time_text(is->start_us, at), mp4 ? "" : "-",
		    mp4 ? "" : is->language, is->format),
		.max_bytes = bytes,
		.file = blob_name(mem, is->blob),
		.created_us = is->start_us,
		.stored_us = now_us() };
}

/* Store "es.ogg" or "all.mp4" as a blob. If it is stored again, it gets the same id. */
static enum err
store_file(
    struct recording_run *r, struct arena *mem, const char *name, const struct stat *st)
{
	const char *dot = strrchr(name, '.');
	struct recording is = r->is;
	struct blob_facts facts;
	struct blob b;
	enum err e;

	is.id = id_derived(mem, r->name, name);
	is.blob = id_new(mem);
	is.format = dot + 1;
	if (strcmp(is.format, "mp4") != 0)
		is.language = arena_dup(mem, name, (size_t)(dot - name));
	is.duration_ms = duration_of(r, st);
	b = blob_of(mem, &is, st->st_size);
	if ((e = blob_adopt(r->conf, mem, r->folder, name, b.file, &facts)) != OK)
		return e;
	is.bytes = b.bytes = facts.bytes;
	b.sha256 = facts.sha256;
	if ((e = write_rows(r->db, &b, &is)) == OK)
		return OK;
	if (blob_remove(r->conf, mem, b.file) != OK)
		log_warn("recording %s: its blob stays for now", is.id);
	return e == ERR_CONFLICT ? OK : e;
}

static bool
is_recording(const char *name)
{
	const char *dot = strrchr(name, '.');

	return dot != NULL && dot != name &&
	       (strcmp(dot, ".ogg") == 0 || strcmp(dot, ".wav") == 0 ||
		   strcmp(dot, ".mp4") == 0);
}

/* Store a file if it is useful, then remove it. */
static enum err
move_file(struct recording_run *r, struct arena *mem, const char *name, int *n)
{
	struct stat st;
	enum err e = OK;

	if (is_recording(name) && r->is.account != NULL &&
	    fstatat(r->folder, name, &st, AT_SYMLINK_NOFOLLOW) == 0 && st.st_size > 0) {
		e = store_file(r, mem, name, &st);
		*n += e == OK;
	}
	if (e == OK && strcmp(name, "run") != 0)
		unlinkat(r->folder, name, 0);
	return e;
}

static enum err
move_files(struct recording_run *r, int *n)
{
	DIR *dir = fdopendir(openat(r->folder, ".", O_RDONLY | O_CLOEXEC));
	const struct dirent *f;
	struct arena *mem;
	enum err e = OK;

	if (dir == NULL)
		return blob_failed("read a folder of recordings", errno);
	while (e == OK && (f = readdir(dir)) != NULL) {
		if (strcmp(f->d_name, ".") == 0 || strcmp(f->d_name, "..") == 0)
			continue;
		mem = arena_new();
		e = move_file(r, mem, f->d_name, n);
		arena_free(mem);
	}
	closedir(dir);
	return e;
}

/* Find the account and event of the channel, which may be deleted. */
static enum err
find_owner(struct recording_run *r, struct arena *mem, const char *channel)
{
	enum err e = recording_owner(r->db, mem, channel, &r->is);

	r->is.channel = channel;
	r->is.language = NULL;
	return e == ERR_NOT_FOUND ? OK : e;
}

/* *taken: the folder was removed. */
static enum err
move_folder(struct recording_run *r, struct arena *mem, int all, bool *taken, int *n)
{
	int64_t start_us = strtoll(r->name + ID_LENGTH + 1, NULL, 10);
	enum err e = OK;

	r->lock = -1;
	r->is = (struct recording){ .start_us = start_us };
	r->folder = openat(all, r->name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (r->folder < 0)
		return OK;
	if (lock_run(r)) {
		e = find_owner(r, mem, arena_dup(mem, r->name, ID_LENGTH));
		r->is.start_us = start_us;
		if (e == OK && (e = move_files(r, n)) == OK) {
			unlinkat(r->folder, "run", 0);
			*taken = unlinkat(all, r->name, AT_REMOVEDIR) == 0;
		}
	}
	if (r->lock >= 0)
		close(r->lock);
	close(r->folder);
	return e;
}

static bool
is_run(struct arena *mem, const char *name)
{
	return strlen(name) > ID_LENGTH + 1 && name[ID_LENGTH] == '.' &&
	       id_read(mem, arena_dup(mem, name, ID_LENGTH)) != NULL;
}

enum err
recording_collect(
    const struct conf *conf, struct db *db, struct arena *mem, bool *taken, int *n)
{
	DIR *dir =
	    conf->recordings_dir[0] != '\0' ? opendir(conf->recordings_dir) : NULL;
	struct recording_run r = { .conf = conf, .db = db };
	const struct dirent *f;
	enum err e = OK, last = OK;

	*taken = false;
	*n = 0;
	if (dir == NULL)
		return OK;
	/*
	 * if one folder fails, continue with the next; stop if the bucket does not
	 * answer: each file is copied before it is sent
	 */
	while (!*taken && e != ERR_TIMEOUT && e != ERR_BUSY &&
	       (f = readdir(dir)) != NULL) {
		if (!is_run(mem, f->d_name))
			continue;
		r.name = arena_str(mem, f->d_name);
		e = move_folder(&r, mem, dirfd(dir), taken, n);
		last = e != OK ? e : last;
	}
	closedir(dir);
	return last;
}

/* ---- the plan ---- */

static int64_t
folder_bytes(int all, const char *name)
{
	DIR *dir = fdopendir(openat(all, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC));
	const struct dirent *f;
	struct stat st;
	int64_t n = 0;

	while (dir != NULL && (f = readdir(dir)) != NULL)
		if (is_recording(f->d_name) &&
		    fstatat(dirfd(dir), f->d_name, &st, AT_SYMLINK_NOFOLLOW) == 0)
			n += st.st_size;
	if (dir != NULL)
		closedir(dir);
	return n;
}

/*
 * Count the bytes of an account's recordings on this host that are not blobs yet,
 * including running ones.
 */
static enum err
count_runs(const struct conf *conf, struct db *db, struct arena *mem,
    const char *account, int64_t *n)
{
	DIR *dir =
	    conf->recordings_dir[0] != '\0' ? opendir(conf->recordings_dir) : NULL;
	const struct dirent *f;
	struct recording is;
	enum err e = OK;

	*n = 0;
	while (e == OK && dir != NULL && (f = readdir(dir)) != NULL) {
		if (!is_run(mem, f->d_name))
			continue;
		e = recording_owner(db, mem, arena_dup(mem, f->d_name, ID_LENGTH), &is);
		if (e == OK && strcmp(is.account, account) == 0)
			*n += folder_bytes(dirfd(dir), f->d_name);
		e = e == ERR_NOT_FOUND ? OK : e;
	}
	if (dir != NULL)
		closedir(dir);
	return e;
}

enum err
recording_full(const struct conf *conf, struct db *db, struct arena *mem,
    const char *account, bool *full)
{
	struct caller owner;
	int64_t stored = 0, runs = 0;
	enum err e = caller_by_account(db, mem, conf, account, &owner);

	*full = false;
	if (e != OK || owner.plan.storage_bytes == 0)
		return e;
	if ((e = account_stored(db, account, &stored)) == OK)
		e = count_runs(conf, db, mem, account, &runs);
	*full = e == OK && stored + runs >= owner.plan.storage_bytes;
	return e;
}

/* ---- removing ---- */

enum err
recording_expire(struct db *db, int64_t before_us, int most, int64_t *n)
{
	struct arena *mem = arena_new();
	struct list l;
	enum err e = before_us == INT64_MIN
			 ? recording_left(db, mem, most, &l)
			 : recording_old(db, mem, before_us, most, &l);

	*n = 0;
	if (e == OK && l.n > 0 && (e = db_begin(db, DB_ROWS)) == OK) {
		for (; e == OK && *n < (int64_t)l.n; ++*n)
			e = recording_drop(db, (struct recording *)l.items + *n);
		if (e == OK)
			e = db_commit(db);
		if (e != OK)
			db_rollback(db);
	}
	arena_free(mem);
	return e;
}
