/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "web/request_log.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "store/accounts.h"

#define LINES 200
#define SLOTS 32 /* files that a process keeps mapped */
#define ID_BYTES 37
#define AGAIN_US (3 * S_US) /* interval of tries to map a file */
#define DAYS_US (REQUEST_LOG_DAYS * 86400 * S_US)

struct line {
	_Atomic int64_t at_us; /* 0: empty, or being written */
	int32_t ms;
	int16_t status;
	char method[8], id[ID_BYTES], slug[37], route[96];
};

/* The content of a file. */
struct ring {
	_Atomic uint64_t lines; /* lines written so far */
	_Atomic int64_t last_us;
	_Atomic uint64_t removed; /* not 0: the file has no name any more */
	struct line of[LINES];
};

struct slot {
	char credential[ID_BYTES]; /* "": free */
	struct ring *ring;         /* NULL: not before again_us */
	int64_t again_us;          /* INT64_MAX: the credential is no key */
};

struct request_log {
	const char *dir;
	struct slot slots[SLOTS];
};

/* clang-format off */
const struct field	 request_line_fields[] = FIELDS(
	{ "utc_at",     F_TIME, MEMBER(request_line, at_us),      .flags = F_OUT },
	{ "method",     F_TEXT, MEMBER(request_line, method),     .flags = F_OUT },
	{ "route",      F_TEXT, MEMBER(request_line, route),      .flags = F_OUT, .help = "The path with the names of its parameters, without a query." },
	{ "status",     F_INT,  MEMBER(request_line, status),     .flags = F_OUT },
	{ "slug",       F_TEXT, MEMBER(request_line, slug),       .flags = F_OUT | F_NULLABLE, .help = "The kind of the problem; null: the answer is none." },
	{ "request_id", F_TEXT, MEMBER(request_line, request_id), .flags = F_OUT, .help = "The header X-Request-Id of the answer." },
	{ "ms",         F_INT,  MEMBER(request_line, ms),         .flags = F_OUT, .help = "Duration in milliseconds, without the transfer." }
);
/* clang-format on */

static const char *
folder(struct arena *mem, const char *state_dir)
{
	return arena_printf(mem, "%s/requests", state_dir);
}

/* ---- files ---- */

static struct ring *
map(const char *path, int flags)
{
	int fd = open(path, O_RDWR | O_CLOEXEC | flags, 0600);
	struct stat st;
	void *p = MAP_FAILED;

	if (fd < 0)
		return NULL;
	if ((flags == 0 || posix_fallocate(fd, 0, sizeof(struct ring)) == 0) &&
	    fstat(fd, &st) == 0 && st.st_size == sizeof(struct ring))
		p = mmap(NULL, sizeof(struct ring), PROT_READ | PROT_WRITE, MAP_SHARED,
		    fd, 0);
	close(fd);
	return p != MAP_FAILED ? p : NULL;
}

/* Map the file of a credential; it is created when a key is used first. */
static void
begin(struct request_log *log, struct db *db, struct slot *s, int64_t now)
{
	char path[4096];
	enum err e;

	snprintf(path, sizeof(path), "%s/%s", log->dir, s->credential);
	s->again_us = now + AGAIN_US;
	if ((s->ring = map(path, 0)) != NULL || db == NULL)
		return;
	if ((e = caller_is_key(db, s->credential)) == ERR_NOT_FOUND)
		s->again_us = INT64_MAX;
	if (e != OK || (mkdir(log->dir, 0700) != 0 && errno != EEXIST))
		return;
	if ((s->ring = map(path, O_CREAT)) == NULL)
		log_warn("%s: %s", path, strerror(errno));
}

static void
clear(struct slot *s)
{
	if (s->ring != NULL)
		munmap(s->ring, sizeof(*s->ring));
	*s = (struct slot){ .ring = NULL };
}

/* The file of a credential, or NULL. */
static struct ring *
ring_of(struct request_log *log, struct db *db, const char *credential, int64_t now)
{
	size_t i = (size_t)(credential[0] * 16 + credential[1]) % SLOTS;
	struct slot *s = &log->slots[i];

	if (strcmp(s->credential, credential) != 0 ||
	    (s->ring != NULL && s->ring->removed != 0)) {
		clear(s);
		memcpy(s->credential, credential, ID_BYTES);
	}
	if (s->ring == NULL && now >= s->again_us)
		begin(log, db, s, now);
	return s->ring;
}

/* ---- writing ---- */

struct request_log *
request_log_open(struct arena *mem, const char *state_dir)
{
	struct request_log *log = arena_alloc(mem, sizeof(*log));

	memset(log, 0, sizeof(*log));
	log->dir = folder(mem, state_dir);
	return log;
}

void
request_log_close(struct request_log *log)
{
	for (size_t i = 0; log != NULL && i < SLOTS; i++)
		clear(&log->slots[i]);
}

static void
put(char *to, size_t room, const char *from)
{
	size_t n = from != NULL ? strnlen(from, room - 1) : 0;

	memcpy(to, from != NULL ? from : "", n);
	to[n] = '\0';
}

void
request_log_add(struct request_log *log, struct db *db, const char *credential,
    const struct request_line *is)
{
	struct ring *r;
	struct line *l;

	if (log == NULL || strlen(credential) != ID_BYTES - 1 ||
	    (r = ring_of(log, db, credential, is->at_us)) == NULL)
		return;
	l = &r->of[atomic_fetch_add(&r->lines, 1) % LINES];
	atomic_store(&l->at_us, 0);
	l->ms = is->ms < INT32_MAX ? (int32_t)is->ms : INT32_MAX;
	l->status = (int16_t)is->status;
	put(l->method, sizeof(l->method), is->method);
	put(l->id, sizeof(l->id), is->request_id);
	put(l->slug, sizeof(l->slug), is->slug);
	put(l->route, sizeof(l->route), is->route);
	atomic_store(&l->at_us, is->at_us);
	atomic_store_explicit(&r->last_us, is->at_us, memory_order_relaxed);
}

/* ---- reading ---- */

static const char *
text_in(struct arena *mem, const char *s, size_t room)
{
	return arena_dup(mem, s, strnlen(s, room));
}

static struct request_line
line_read(struct arena *mem, const struct line *l)
{
	return (struct request_line){ .at_us = l->at_us,
		.method = text_in(mem, l->method, sizeof(l->method)),
		.route = text_in(mem, l->route, sizeof(l->route)),
		.status = l->status,
		.slug =
		    l->slug[0] != '\0' ? text_in(mem, l->slug, sizeof(l->slug)) : NULL,
		.request_id = text_in(mem, l->id, sizeof(l->id)),
		.ms = l->ms };
}

/* Copy a file; false: there is none, or another version's. */
static bool
copy(const char *path, struct ring *to)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	bool whole = fd >= 0 && read(fd, to, sizeof(*to)) == (ssize_t)sizeof(*to);

	if (fd >= 0)
		close(fd);
	return whole;
}

enum err
request_log_read(
    struct arena *mem, const char *state_dir, const char *key, struct list *to)
{
	const char *path = arena_printf(mem, "%s/%s", folder(mem, state_dir), key);
	struct ring *r = arena_alloc(mem, sizeof(*r));
	struct request_line *lines = arena_alloc(mem, LINES * sizeof(*lines));
	int64_t since_us = now_us() - DAYS_US;

	*to = (struct list){ lines, 0 };
	if (!copy(path, r))
		return errno == ENOENT ? OK : ERR_FAILED;
	for (uint64_t i = r->lines; i > 0 && i + LINES > r->lines; i--)
		if (r->of[(i - 1) % LINES].at_us >= since_us)
			lines[to->n++] = line_read(mem, &r->of[(i - 1) % LINES]);
	return OK;
}

/* ---- removing ---- */

static void
remove_file(const char *path)
{
	struct ring *r = map(path, 0);

	if (unlink(path) != 0 && errno != ENOENT)
		log_warn("%s: %s", path, strerror(errno));
	if (r == NULL)
		return;
	r->removed = 1;
	munmap(r, sizeof(*r));
}

void
request_log_remove(struct arena *mem, const char *state_dir, const char *key)
{
	remove_file(arena_printf(mem, "%s/%s", folder(mem, state_dir), key));
}

/* Check a file. ERR_NOT_FOUND: it is not needed any more. */
static enum err
needed(struct db *db, const char *path, const char *key, struct ring *room)
{
	if (!copy(path, room) || room->last_us < now_us() - DAYS_US)
		return ERR_NOT_FOUND;
	return caller_is_key(db, key);
}

enum err
request_log_sweep(struct db *db, struct arena *mem, const char *state_dir)
{
	const char *dir = folder(mem, state_dir), *path;
	struct ring *room = arena_alloc(mem, sizeof(*room));
	DIR *d = opendir(dir);
	const struct dirent *f;
	enum err e = OK;

	while (d != NULL && e == OK && (f = readdir(d)) != NULL) {
		if (f->d_name[0] == '.')
			continue;
		path = arena_printf(mem, "%s/%s", dir, f->d_name);
		if ((e = needed(db, path, f->d_name, room)) == ERR_NOT_FOUND) {
			remove_file(path);
			e = OK;
		}
	}
	if (d != NULL)
		closedir(d);
	return e;
}
