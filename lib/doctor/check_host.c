/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Checks of the host: disk space, ownership of files, and the clock. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/timex.h>
#include <unistd.h>

#include "base/clock.h"
#include "db/db.h"
#include "doctor/check.h"
#include "net/http.h"
#include "store/schema.h"

#define MB 1000000
#define FEW_FILES 1000      /* free files in the file system */
#define APART_US (5 * S_US) /* clocks must agree within this time */

static const char *
database_path(const struct conf *c)
{
	return strncmp(c->db_url, "sqlite:", 7) == 0 ? c->db_url + 7 : NULL;
}

static const char *
folder_of(struct arena *mem, const char *path)
{
	const char *end = strrchr(path, '/');

	return end == NULL ? "." : arena_dup(mem, path, (size_t)(end - path));
}

/* ---- disk ---- */

static void
judge_room(struct check *k, const char *path)
{
	long long reserve = k->conf->blob_reserve_bytes, has;
	struct statvfs v;

	if (statvfs(path, &v) != 0) {
		check_fail(k, path,
		    "Create the folder or set another one, and make the user of the "
		    "programs its owner.",
		    "%s", strerror(errno));
		return;
	}
	has = (long long)v.f_bavail * (long long)v.f_frsize;
	if (has <= reserve)
		check_fail(k, path,
		    "Free disk space or lower blob.reserve_bytes: uploads are refused.",
		    "%lld MB free, blob.reserve_bytes is %lld MB", has / MB,
		    reserve / MB);
	else if (has / 2 < reserve)
		check_warn(k, path, "Free disk space: the disk is almost full.",
		    "%lld MB free, blob.reserve_bytes is %lld MB", has / MB,
		    reserve / MB);
	else if (v.f_files > 0 && v.f_favail < FEW_FILES)
		check_fail(k, path, "Delete files: the file system can hold few more.",
		    "room for %lld files", (long long)v.f_favail);
	else
		check_ok(k, path, "%lld MB free", has / MB);
}

/* Checks each file system once. */
void
check_disk(struct check *k)
{
	const char *database = database_path(k->conf);
	const char *const all[] = { k->conf->blob_dir, k->conf->state_dir,
		database != NULL ? folder_of(k->mem, database) : k->conf->state_dir };
	dev_t seen[3];
	size_t n = 0;
	struct stat st;

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		bool known = false;

		if (stat(all[i], &st) != 0)
			st.st_dev = 0;
		for (size_t m = 0; m < n; m++)
			known = known || (seen[m] == st.st_dev && st.st_dev != 0);
		if (!known)
			judge_room(k, all[i]);
		seen[n++] = st.st_dev;
	}
}

/* ---- permissions ---- */

/* True if other users can open the path, by the modes of the folders above it. */
static bool
is_exposed(struct arena *mem, const char *path)
{
	struct stat st;

	if (stat(path, &st) != 0 || (st.st_mode & 077) == 0)
		return false;
	while (strcmp(path = folder_of(mem, path), ".") != 0 && *path != '\0')
		if (stat(path, &st) == 0 && (st.st_mode & 011) == 0)
			return false;
	return true;
}

static void
judge_secret(struct check *k, const char *path)
{
	if (access(path, F_OK) != 0)
		return;
	if (is_exposed(k->mem, path))
		check_fail(k, path,
		    arena_printf(k->mem,
			"Run chmod 600 %s, and create new secrets if other users have "
			"had access to this host.",
			path),
		    "other users of this host can read it");
	else
		check_ok(k, path, "only its owner can read it");
}

/* Check that the file is writable. A missing file is reported by other checks. */
static void
judge_writable(struct check *k, const char *path)
{
	if (access(path, F_OK) != 0 && errno == ENOENT)
		return;
	if (access(path, W_OK) != 0)
		check_fail(k, path,
		    "Run chown -R on var for the user that the programs run as.", "%s",
		    strerror(errno));
	else
		check_ok(k, path, "can be written");
}

void
check_permissions(struct check *k)
{
	const struct conf *c = k->conf;
	const char *settings = getenv("DRAGOMAN_CONF"), *database = database_path(c);

	if (settings == NULL)
		settings = arena_printf(k->mem, "%s/etc/dragoman.conf", c->prefix);
	judge_secret(k, settings);
	judge_secret(k, arena_printf(k->mem, "%s/secret.key", c->state_dir));
	judge_writable(k, c->state_dir);
	judge_writable(k, c->blob_dir);
	if (database == NULL)
		return;
	judge_secret(k, database);
	judge_writable(k, folder_of(k->mem, database));
	judge_writable(k, database);
	judge_writable(k, arena_printf(k->mem, "%s-wal", database));
}

/* ---- clock ---- */

/* Compare another clock, read between before_us and now, with ours. */
static void
judge_clock(struct check *k, const char *looked, int64_t is_us, int64_t before_us)
{
	int64_t after_us = now_us(), apart_us = 0;

	if (is_us < before_us)
		apart_us = is_us - before_us;
	else if (is_us > after_us)
		apart_us = is_us - after_us;
	if (llabs(apart_us) > APART_US)
		check_fail(k, looked,
		    "Synchronise both clocks by NTP: links, tokens and leases of jobs "
		    "depend on the time.",
		    "%lld s %s this host's clock", llabs(apart_us) / S_US,
		    apart_us > 0 ? "ahead of" : "behind");
	else
		check_ok(k, looked, "agrees with this host's clock");
}

static void
judge_kernel(struct check *k)
{
	static const char looked[] = "the kernel's clock";
	struct timex t = { 0 };

	if (adjtimex(&t) == TIME_ERROR || (t.status & STA_UNSYNC) != 0)
		check_warn(k, looked,
		    "Start an NTP client such as systemd-timesyncd or chrony.",
		    "is not synchronised");
	else
		check_ok(k, looked, "is synchronised");
}

static void
judge_web_clock(struct check *k)
{
	const char *url = arena_printf(k->mem, "%s/health", k->conf->server_base_url);
	const char *why;
	const struct http_call call = { .method = "GET",
		.url = url,
		.timeout_ms = 5000,
		.max_bytes = 1 << 20,
		.allow_private = true,
		.once = true,
		.why = &why };
	int64_t before_us = now_us();
	struct http_answer a;

	if (http_do(k->mem, &call, &a) == OK && a.date_us != NULL_INT)
		judge_clock(
		    k, arena_printf(k->mem, "Date of %s", url), a.date_us, before_us);
}

/* Uses a file without a name, which disappears when it is closed. */
static void
judge_file_clock(struct check *k)
{
	int64_t before_us = now_us();
	int fd = open(k->conf->state_dir, O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600);
	struct stat st;

	if (fd >= 0 && fstat(fd, &st) == 0)
		judge_clock(k, k->conf->state_dir,
		    st.st_mtim.tv_sec * S_US + st.st_mtim.tv_nsec / 1000, before_us);
	if (fd >= 0)
		close(fd);
}

static void
judge_database_clock(struct check *k)
{
	int64_t before_us, us;
	struct db *db;

	if (db_open(&db, k->conf->db_url, (int)k->conf->db_busy_ms, false) != OK)
		return;
	before_us = now_us();
	if (schema_clock(db, &us) == OK)
		judge_clock(k, "the database's clock", us, before_us);
	db_close(db);
}

void
check_clock(struct check *k)
{
	judge_kernel(k);
	judge_file_clock(k);
	judge_database_clock(k);
	judge_web_clock(k);
}
