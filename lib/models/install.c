/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/install.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/file.h"
#include "models/fetch.h"
#include "models/piper_files.h"
#include "models/unpack.h"
#include "models/whisper_ggml.h"

#define MB 1000000
#define SUMS "SHA256SUMS"
/* copies of a model at the same time: download, unpacked, converted */
#define COPIES 3

#define PATH(...) arena_printf(m->mem, __VA_ARGS__)

static bool
fail(struct models *m, const char *why)
{
	m->why = why;
	return false;
}

static bool
fail_file(struct models *m, const char *path)
{
	return fail(m, PATH("%s: %s", path, strerror(errno)));
}

static const char *
folder_of(const struct models *m, const struct model_row *row)
{
	return PATH("%s/%s", m->conf->models_dir, row->name);
}

bool
models_open(struct models *m, struct arena *mem, const struct conf *conf)
{
	m->mem = mem;
	m->conf = conf;
	m->lock = -1;
	return catalogue_read(mem, PATH("%s/models/catalogue", conf->share_dir),
		   &m->catalogue, &m->why) == OK;
}

/* ---- folders ---- */

/* Called for each entry below a folder; entries of a folder come before the folder. */
typedef bool each_entry(struct models *, const char *path, bool is_folder, void *arg);

static bool
walk(struct models *m, const char *folder, each_entry *fn, void *arg)
{
	DIR *dir = opendir(folder);
	struct dirent *d;
	struct stat st;
	bool good = true;

	if (dir == NULL)
		return errno == ENOENT;
	while (good && (d = readdir(dir)) != NULL) {
		const char *path = PATH("%s/%s", folder, d->d_name);

		if (strcmp(d->d_name, ".") == 0 || strcmp(d->d_name, "..") == 0)
			continue;
		if (lstat(path, &st) != 0)
			good = false;
		else if (S_ISDIR(st.st_mode))
			good = walk(m, path, fn, arg) && fn(m, path, true, arg);
		else
			good = fn(m, path, false, arg);
	}
	closedir(dir);
	return good;
}

static bool
delete_entry(struct models *m, const char *path, bool is_folder, void *arg)
{
	(void)m, (void)arg;
	return (is_folder ? rmdir(path) : unlink(path)) == 0;
}

static bool
delete_folder(struct models *m, const char *folder)
{
	return walk(m, folder, delete_entry, NULL) &&
	       (rmdir(folder) == 0 || errno == ENOENT);
}

/* As root, give an entry to the user that the programs run as. */
static bool
set_owner(struct models *m, const char *path, bool is_folder, void *arg)
{
	const struct stat *owner = arg;

	(void)m;
	return chmod(path, is_folder ? 0755 : 0644) == 0 &&
	       (geteuid() != 0 || lchown(path, owner->st_uid, owner->st_gid) == 0);
}

static bool
set_owner_of_all(struct models *m, const char *folder)
{
	struct stat owner;

	return stat(m->conf->state_dir, &owner) == 0 &&
	       walk(m, folder, set_owner, &owner) && set_owner(m, folder, true, &owner);
}

static bool
make_folder(struct models *m, const char *path)
{
	return mkdir(path, 0755) == 0 || errno == EEXIST || fail_file(m, path);
}

bool
models_lock(struct models *m)
{
	const char *dir = m->conf->models_dir;

	if (!make_folder(m, dir) || !make_folder(m, PATH("%s/downloads", dir)))
		return false;
	if ((m->lock = file_lock(PATH("%s/lock", dir), LOCK_EX | LOCK_NB)) >= 0)
		return true;
	return errno == EWOULDBLOCK
		   ? fail(m, "another `dragoman models` is at work; wait for its end")
		   : fail_file(m, dir);
}

void
models_unlock(struct models *m)
{
	if (m->lock < 0)
		return;
	set_owner_of_all(m, m->conf->models_dir);
	close(m->lock);
	m->lock = -1;
}

bool
models_has(const struct models *m, const struct model_row *row)
{
	return access(PATH("%s/" SUMS, folder_of(m, row)), R_OK) == 0;
}

/* ---- the host ---- */

bool
models_has_room(struct models *m, const struct model_row *const *rows, size_t n)
{
	int64_t needed = m->conf->blob_reserve_bytes, most = 0, there;
	struct statvfs disk;

	for (size_t i = 0; i < n; i++) {
		needed += rows[i]->size_mb * MB;
		if (rows[i]->size_mb > most)
			most = rows[i]->size_mb;
	}
	needed += most * MB * (COPIES - 1);
	if (statvfs(m->conf->models_dir, &disk) != 0)
		return fail_file(m, m->conf->models_dir);
	there = (int64_t)(disk.f_bavail * disk.f_frsize);
	if (there >= needed)
		return true;
	return fail(m, PATH("%s has %lld MB of room; these models need %lld MB "
			    "while they are installed, with the reserve of "
			    "blob.reserve_bytes",
			   m->conf->models_dir, (long long)(there / MB),
			   (long long)(needed / MB)));
}

bool
models_fits_cpu(struct models *m, const struct model_row *row)
{
	FILE *f = fopen("/proc/cpuinfo", "re");
	char line[8192], word[64];
	bool known = false, has = false;

	snprintf(word, sizeof(word), " %s ", row->cpu);
	while (f != NULL && fgets(line, sizeof(line), f) != NULL)
		if (strncmp(line, "flags", 5) == 0) {
			known = true;
			line[strcspn(line, "\n")] = ' ';
			has |= strstr(line, word) != NULL;
		}
	if (f != NULL)
		fclose(f);
	return *row->cpu == '\0' || !known || has ||
	       fail(m, PATH("%s needs a processor with %s, which this one has not",
			   row->name, row->cpu));
}

/* ---- sums ---- */

/* The stored sum of an earlier download; NULL: none. */
static const char *
stored_sum(struct models *m, const char *from)
{
	FILE *f = fopen(PATH("%s/known-sums", m->conf->models_dir), "re");
	const char *sum = NULL;
	char line[2048];

	while (f != NULL && fgets(line, sizeof(line), f) != NULL) {
		line[strcspn(line, "\n")] = '\0';
		if (strlen(line) > 66 && strcmp(line + 66, from) == 0)
			sum = arena_dup(m->mem, line, 64);
	}
	if (f != NULL)
		fclose(f);
	return sum;
}

static bool
store_sum(struct models *m, const char *from, const char *sum)
{
	const char *path = PATH("%s/known-sums", m->conf->models_dir);
	FILE *f = fopen(path, "ae");

	if (f == NULL || fprintf(f, "%s  %s\n", sum, from) < 0 || fclose(f) != 0)
		return fail_file(m, path);
	m->say(
	    PATH("The sum of %s is not in the catalogue. It is kept: %s", from, sum));
	return true;
}

/* Check a file's sum and delete the file if it is wrong. */
static bool
check_sum(struct models *m, const struct model_part *p, const char *file)
{
	const char *sum = fetch_sum(m->mem, file);
	const char *known = *p->sha256 != '\0' ? p->sha256 : stored_sum(m, p->from);

	if (sum == NULL)
		return fail_file(m, file);
	if (known == NULL)
		return store_sum(m, p->from, sum);
	if (strcmp(sum, known) == 0)
		return true;
	unlink(file);
	return fail(m, PATH("its sum is %s, and not %s; it is deleted", sum, known));
}

/* ---- installing ---- */

#define ESPEAK "espeak-data"

/* Make hard links in one folder to all files below another. */
static bool
link_below(struct models *m, const char *from, const char *to)
{
	DIR *dir = make_folder(m, to) ? opendir(from) : NULL;
	struct dirent *d;
	bool good = dir != NULL || fail_file(m, from);

	while (good && (d = readdir(dir)) != NULL) {
		const char *old = PATH("%s/%s", from, d->d_name);
		const char *new = PATH("%s/%s", to, d->d_name);

		if (d->d_name[0] == '.' || strcmp(d->d_name, SUMS) == 0)
			continue;
		if (d->d_type == DT_DIR)
			good = link_below(m, old, new);
		else
			good = link(old, new) == 0 || fail_file(m, new);
	}
	if (dir != NULL)
		closedir(dir);
	return good;
}

static bool
convert(struct models *m, const char *then, const char *stage)
{
	if (strcmp(then, "whisper") == 0)
		return whisper_to_ggml(
			   m->mem, stage, PATH("%s/ggml.bin", stage), &m->why) &&
		       unlink(PATH("%s/model.bin", stage)) == 0 &&
		       unlink(PATH("%s/vocabulary.txt", stage)) == 0;
	if (strcmp(then, "piper") == 0)
		return piper_to_sherpa(m->mem, stage, &m->why) &&
		       link_below(m, PATH("%s/" ESPEAK, m->conf->models_dir),
			   PATH("%s/espeak-ng-data", stage));
	return true;
}

static bool
install_part(struct models *m, const struct model_row *row,
    const struct model_source *s, const struct model_part *p, const char *stage)
{
	struct fetch f = { .mem = m->mem,
		.folder = PATH("%s/downloads", m->conf->models_dir),
		.progress = m->progress };
	const char *file;

	m->say(PATH("%s: %s %s", row->name, s->by, p->from));
	if ((file = fetch_part(&f, s, p)) == NULL)
		return fail(m, f.why);
	if (!check_sum(m, p, file))
		return false;
	if (!unpack(m->mem, file, p, stage, row->size_mb * MB * 2, &m->why))
		return false;
	return unlink(file) == 0 || errno == ENOENT;
}

static bool
from_source(struct models *m, const struct model_row *row, const struct model_source *s,
    const char *stage)
{
	struct utsname host;

	if (*s->machine != '\0' && uname(&host) == 0 &&
	    strcmp(host.machine, s->machine) != 0)
		return fail(m, PATH("it is for %s, and this host is %s", s->machine,
				   host.machine));
	if (!delete_folder(m, stage) || !make_folder(m, stage))
		return fail_file(m, stage);
	for (size_t i = 0; i < s->nparts; i++)
		if (!install_part(m, row, s, &s->parts[i], stage))
			return false;
	return convert(m, s->then, stage);
}

static bool
put_sum(struct models *m, const char *path, bool is_folder, void *arg)
{
	FILE *to = arg;
	const char *sum;

	if (is_folder)
		return true;
	if ((sum = fetch_sum(m->mem, path)) == NULL)
		return false;
	return fprintf(to, "%s  %s\n", sum, path) > 0;
}

/* Names in SHA256SUMS are relative to the model's folder, for sha256sum -c. */
static bool
write_sums(struct models *m, const char *stage)
{
	const char *all = PATH("%s.sums", stage), *at = PATH("%s/" SUMS, stage);
	FILE *f = fopen(all, "w+e"), *to;
	bool good = f != NULL && walk(m, stage, put_sum, f);
	char line[4096];

	to = good ? fopen(at, "we") : NULL;
	if (to != NULL) {
		rewind(f);
		while (fgets(line, sizeof(line), f) != NULL)
			fprintf(to, "%.66s%s", line, line + 66 + strlen(stage) + 1);
		good = ferror(to) == 0;
		good = fclose(to) == 0 && good;
	}
	if (f != NULL)
		fclose(f);
	unlink(all);
	return (to != NULL && good) || fail_file(m, at);
}

/* Replace the installed model, if any, by the new one. */
static bool
put_into_place(struct models *m, const char *stage, const char *folder)
{
	const char *old = PATH("%s.old", folder);

	if (!write_sums(m, stage) || !set_owner_of_all(m, stage) ||
	    !delete_folder(m, old))
		return false;
	if (rename(folder, old) != 0 && errno != ENOENT)
		return fail_file(m, folder);
	if (rename(stage, folder) != 0)
		return fail_file(m, stage);
	delete_folder(m, old);
	return file_sync_folder(m->conf->models_dir) || fail_file(m, folder);
}

bool
models_install(struct models *m, const struct model_row *row)
{
	const char *stage = PATH("%s/downloads/new-%s", m->conf->models_dir, row->name);
	const char *reasons = "";

	if (!models_fits_cpu(m, row))
		return false;
	for (size_t i = 0; i < row->nsources; i++) {
		const struct model_source *s = &row->sources[i];

		m->why = NULL;
		if (from_source(m, row, s, stage))
			return put_into_place(m, stage, folder_of(m, row));
		if (m->why == NULL)
			m->why = strerror(errno);
		reasons = PATH(
		    "%s%s%s: %s", reasons, *reasons != '\0' ? "; " : "", s->by, m->why);
		delete_folder(m, stage);
	}
	return fail(m, PATH("%s cannot be had: %s", row->name, reasons));
}

bool
models_remove(struct models *m, const struct model_row *row)
{
	const char *folder = folder_of(m, row), *old = PATH("%s.old", folder);

	if (!delete_folder(m, old) || rename(folder, old) != 0 ||
	    !delete_folder(m, old))
		return fail_file(m, folder);
	return true;
}

bool
models_verify(struct models *m, const struct model_row *row)
{
	const char *folder = folder_of(m, row);
	FILE *f = fopen(PATH("%s/" SUMS, folder), "re");
	const char *wrong = NULL, *sum;
	char line[4096];

	if (f == NULL)
		return fail_file(m, folder);
	while (wrong == NULL && fgets(line, sizeof(line), f) != NULL) {
		line[strcspn(line, "\n")] = '\0';
		if (strlen(line) <= 66)
			continue;
		sum = fetch_sum(m->mem, PATH("%s/%s", folder, line + 66));
		if (sum == NULL || strncmp(sum, line, 64) != 0)
			wrong = arena_str(m->mem, line + 66);
	}
	fclose(f);
	return wrong == NULL ||
	       fail(m, PATH("%s/%s is missing or not what was installed; get it again",
			   folder, wrong));
}
