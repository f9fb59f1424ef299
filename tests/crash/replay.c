/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * usage: replay points LOG
 *        replay told LOG LINES
 *        replay image LOG BASE OUT POINT none|all|SEED
 *
 * Makes the possible contents of a disk after a power cut. LOG is recorder.c's output,
 * BASE the folder before. image makes OUT from BASE and the first POINT records. It
 * contains all synced data, and of the rest nothing (none), everything (all), or a
 * random part by SEED: whole writes, some of their 512-byte sectors, entries of
 * folders. A file's entry is on the disk only after its folder was synced, which is
 * stricter than ext4 or XFS. It prints how many lines of the list of facts that clients
 * were told must hold; told adds to the log that this number is LINES from now on.
 * points prints the points at which that number or the disk changed, and at last the
 * number of records.
 */
#include <fcntl.h>
#include <ftw.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "recorder.h"

#define SECTOR 512

struct file {
	bool folder;
	struct buf disk;    /* bytes that survive a power cut */
	struct buf waiting; /* const struct record *: changes since the last sync */
};

struct name {
	const char *path;
	struct file *file;
};

/* A change of names; each half survives once its folder is synced. */
struct change {
	const struct record *record;
	struct file *file;
	bool path_done, to_done;
};

static struct arena *mem;
/* struct name: as processes see them, and as they survive */
static struct buf now, disk;
static struct buf changes; /* struct change */
static uint64_t dice;      /* 0: keep nothing that was not synced */
static bool all;

static void
die(const char *what)
{
	perror(what);
	exit(2);
}

/* ---- names ---- */

static struct name *
find(const struct buf *names, const char *path)
{
	struct name *n = (struct name *)names->p, *end = n + names->len / sizeof(*n);

	while (n < end && strcmp(n->path, path) != 0)
		n++;
	return n < end ? n : NULL;
}

static void
name_set(struct buf *names, const char *path, struct file *f)
{
	struct name *old = find(names, path), new = { path, f };

	if (old != NULL)
		old->file = f;
	else
		buf_put(names, &new, sizeof(new));
}

static void
name_drop(struct buf *names, const char *path)
{
	struct name *n = find(names, path);

	if (n == NULL)
		return;
	*n = ((struct name *)names->p)[names->len / sizeof(*n) - 1];
	names->len -= sizeof(*n);
}

static bool
is_in(const char *path, const char *folder)
{
	const char *slash = strrchr(path, '/');
	size_t n = slash != NULL ? (size_t)(slash - path) : 0;

	return strlen(folder) == n && strncmp(path, folder, n) == 0;
}

static struct file *
file_new(bool folder)
{
	struct file *f = arena_alloc(mem, sizeof(*f));

	f->folder = folder;
	f->disk.mem = f->waiting.mem = mem;
	return f;
}

/* ---- bytes ---- */

static bool
coin(void)
{
	dice ^= dice << 13, dice ^= dice >> 7, dice ^= dice << 17;
	return (dice >> 33) % 2 == 0;
}

static void
resize(struct buf *b, size_t n)
{
	if (n > b->len)
		memset(buf_room(b, n - b->len), 0, n - b->len);
	b->len = n;
}

/* Apply a write, completely or only some of its sectors. */
static void
apply(struct file *f, const struct record *t, bool torn)
{
	const char *bytes = (const char *)(t + 1);
	int64_t end = t->at + t->bytes, at = t->at, stop;

	if (t->op == RECORD_TRUNCATE) {
		resize(&f->disk, (size_t)t->at);
		return;
	}
	if ((size_t)end > f->disk.len)
		resize(&f->disk, (size_t)end);
	for (; at < end; at = stop) {
		stop = (at / SECTOR + 1) * SECTOR;
		stop = stop < end ? stop : end;
		if (!torn || coin())
			memcpy(
			    f->disk.p + at, bytes + (at - t->at), (size_t)(stop - at));
	}
}

static void
apply_waiting(struct file *f, bool whole)
{
	const struct record **t = (const struct record **)f->waiting.p;

	for (size_t i = 0; i < f->waiting.len / sizeof(*t); i++)
		if (whole || coin())
			apply(f, t[i], !whole && coin());
	f->waiting.len = 0;
}

/* ---- what was done ---- */

static void
settle_path(struct change *c)
{
	const struct record *t = c->record;

	c->path_done = true;
	if (t->op == RECORD_CREATE || t->op == RECORD_MKDIR)
		name_set(&disk, t->path, c->file);
	else if (t->op != RECORD_LINK)
		name_drop(&disk, t->path);
}

static void
settle_to(struct change *c)
{
	c->to_done = true;
	if (c->record->op == RECORD_RENAME || c->record->op == RECORD_LINK)
		name_set(&disk, c->record->to, c->file);
}

static void
sync_folder(const char *folder)
{
	struct change *c = (struct change *)changes.p;

	for (size_t i = 0; i < changes.len / sizeof(*c); i++) {
		if (!c[i].path_done && is_in(c[i].record->path, folder))
			settle_path(&c[i]);
		if (!c[i].to_done && is_in(c[i].record->to, folder))
			settle_to(&c[i]);
	}
}

static void
change(const struct record *t, struct file *f)
{
	struct change c = { t, f, false, t->to[0] == '\0' };

	if (t->op == RECORD_CREATE || t->op == RECORD_MKDIR)
		name_set(&now, t->path, f);
	else if (t->op != RECORD_LINK)
		name_drop(&now, t->path);
	if (t->to[0] != '\0')
		name_set(&now, t->to, f);
	buf_put(&changes, &c, sizeof(c));
}

static void
redo(const struct record *t)
{
	struct name *n = find(&now, t->path);

	if (t->op == RECORD_CREATE || t->op == RECORD_MKDIR)
		change(t, file_new(t->op == RECORD_MKDIR));
	else if (t->op == RECORD_SYNC && t->path[0] == '\0')
		sync_folder("");
	else if (t->op == RECORD_TOLD)
		return;
	else if (n == NULL)
		die(t->path);
	else if (t->op == RECORD_SYNC && n->file->folder)
		sync_folder(t->path);
	else if (t->op == RECORD_SYNC)
		apply_waiting(n->file, true);
	else if (t->op == RECORD_WRITE || t->op == RECORD_TRUNCATE)
		buf_put(&n->file->waiting, &t, sizeof(t));
	else
		change(t, n->file);
}

/* Cut the power: choose which unsynced data the disk has. */
static void
settle(void)
{
	struct change *c = (struct change *)changes.p;
	struct name *n;

	for (size_t i = 0; i < changes.len / sizeof(*c); i++)
		if (all || (dice != 0 && coin())) {
			if (!c[i].path_done)
				settle_path(&c[i]);
			if (!c[i].to_done)
				settle_to(&c[i]);
		}
	n = (struct name *)disk.p;
	for (size_t i = 0; i < disk.len / sizeof(*n); i++)
		if (all || dice != 0)
			apply_waiting(n[i].file, all);
}

/* ---- the folder before and after ---- */

static size_t base_length;

static void
read_file(const char *path, struct buf *to)
{
	FILE *f = fopen(path, "re");
	size_t n;

	if (f == NULL)
		die(path);
	while ((n = fread(buf_room(to, 65536), 1, 65536, f)) > 0)
		to->len += n;
	fclose(f);
}

static int
take_in(const char *path, const struct stat *st, int kind, struct FTW *where)
{
	struct file *f = file_new(kind == FTW_D);
	const char *name;

	(void)where;
	if (strlen(path) == base_length || S_ISSOCK(st->st_mode))
		return 0;
	if (kind == FTW_F)
		read_file(path, &f->disk);
	name = arena_str(mem, path + base_length + 1);
	name_set(&now, name, f);
	name_set(&disk, name, f);
	return 0;
}

static int
by_path(const void *a, const void *b)
{
	return strcmp(((const struct name *)a)->path, ((const struct name *)b)->path);
}

/* A file whose folder is not on the disk is lost, too. */
static void
write_out(const char *to)
{
	struct name *n = (struct name *)disk.p;
	size_t count = disk.len / sizeof(*n);

	qsort(n, count, sizeof(*n), by_path);
	for (size_t i = 0; i < count; i++) {
		const char *path = arena_printf(mem, "%s/%s", to, n[i].path);
		const struct buf *b = &n[i].file->disk;
		int fd;

		if (n[i].file->folder) {
			mkdir(path, 0700);
			continue;
		}
		if ((fd = open(path, O_WRONLY | O_CREAT | O_EXCL, 0600)) < 0)
			continue;
		if (write(fd, b->p, b->len) != (ssize_t)b->len)
			die(path);
		close(fd);
	}
}

/* ---- the log ---- */

static size_t
read_log(const char *path, const struct record ***to)
{
	struct buf list = { .mem = mem };
	FILE *f = fopen(path, "re");
	struct record head, *t;

	if (f == NULL)
		die(path);
	while (fread(&head, sizeof(head), 1, f) == 1) {
		t = arena_alloc(mem, sizeof(head) + (size_t)head.bytes);
		*t = head;
		if (fread(t + 1, 1, (size_t)head.bytes, f) != (size_t)head.bytes)
			die("the log ends in the middle of a record");
		buf_put(&list, &t, sizeof(t));
	}
	fclose(f);
	*to = (const struct record **)list.p;
	return list.len / sizeof(t);
}

static int
points(const char *log)
{
	const struct record **t;
	size_t n = read_log(log, &t);

	for (size_t i = 0; i < n; i++)
		if (t[i]->op == RECORD_SYNC || t[i]->op == RECORD_TOLD)
			printf("%zu\n", i + 1);
	printf("%zu\n", n);
	return EXIT_SUCCESS;
}

static int
told(const char *log, const char *lines)
{
	struct record t = { .op = RECORD_TOLD, .at = strtol(lines, NULL, 10) };
	int fd = open(log, O_WRONLY | O_APPEND | O_CREAT, 0600);

	if (fd < 0 || write(fd, &t, sizeof(t)) != sizeof(t))
		die(log);
	close(fd);
	return EXIT_SUCCESS;
}

static int
image(const char *log, const char *base, const char *to, size_t point)
{
	const struct record **t;
	size_t n = read_log(log, &t);
	int64_t told = 0;

	base_length = strlen(base);
	if (nftw(base, take_in, 16, FTW_PHYS) != 0)
		die(base);
	for (size_t i = 0; i < n && i < point; i++) {
		redo(t[i]);
		told = t[i]->op == RECORD_TOLD ? t[i]->at : told;
	}
	settle();
	write_out(to);
	printf("%lld\n", (long long)told);
	return EXIT_SUCCESS;
}

int
main(int argc, char **argv)
{
	mem = arena_new();
	now.mem = disk.mem = changes.mem = mem;
	if (argc == 3 && strcmp(argv[1], "points") == 0)
		return points(argv[2]);
	if (argc == 4 && strcmp(argv[1], "told") == 0)
		return told(argv[2], argv[3]);
	if (argc != 7 || strcmp(argv[1], "image") != 0) {
		fprintf(stderr, "usage: replay points LOG | told LOG LINES | "
				"image LOG BASE OUT POINT none|all|SEED\n");
		return 2;
	}
	all = strcmp(argv[6], "all") == 0;
	dice = strtoull(argv[6], NULL, 10) * 0x9E3779B97F4A7C15;
	return image(argv[2], argv[3], argv[4], strtoul(argv[5], NULL, 10));
}
