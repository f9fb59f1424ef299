/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "web/upload_slot.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"

#define TRIES 20 /* tries to get the slot of a killed process */
#define TRY_MS 10
#define SHARE 10 /* a tenth of the free disk space */

/* A slot in the file, valid while it is locked. */
struct slot {
	int64_t since_us; /* monotonic_us(), as all are on one host */
	int64_t bytes;    /* bytes expected; 0: the form was not read yet */
};

struct upload_slot {
	int fd, at;
	struct slot is;
};

static off_t
offset(int at)
{
	return (off_t)at * (off_t)sizeof(struct slot);
}

static struct flock
bytes_of(int at, int how)
{
	return (struct flock){ .l_type = (short)how,
		.l_whence = SEEK_SET,
		.l_start = offset(at),
		.l_len = sizeof(struct slot) };
}

static bool
lock(int fd, int at, int how, bool wait)
{
	struct flock l = bytes_of(at, how);

	return fcntl(fd, wait ? F_SETLKW : F_SETLK, &l) == 0;
}

/* Returns the process that holds the slot; 0: none, or this process. */
static pid_t
holder(int fd, int at)
{
	struct flock l = bytes_of(at, F_WRLCK);

	return fcntl(fd, F_GETLK, &l) == 0 && l.l_type != F_UNLCK ? l.l_pid : 0;
}

static struct slot
read_slot(int fd, int at)
{
	struct slot p = { 0 };

	if (pread(fd, &p, sizeof(p), offset(at)) != (ssize_t)sizeof(p))
		return (struct slot){ 0 };
	return p;
}

static enum err
write_slot(const struct upload_slot *s)
{
	if (pwrite(s->fd, &s->is, sizeof(s->is), offset(s->at)) ==
	    (ssize_t)sizeof(s->is))
		return OK;
	log_error("upload slots: %s", strerror(errno));
	return ERR_FAILED;
}

static bool
find_free(struct upload_slot *s)
{
	for (s->at = 0; s->at < UPLOAD_SLOTS; s->at++)
		if (lock(s->fd, s->at, F_WRLCK, false))
			return true;
	return false;
}

/* Kill the process that has waited longest for its form.  False: none is waiting. */
static bool
kill_longest_waiting(const struct upload_slot *s)
{
	int64_t since_us = INT64_MAX;
	pid_t pid = 0, has;

	for (int i = 0; i < UPLOAD_SLOTS; i++) {
		const struct slot p = read_slot(s->fd, i);

		if (p.bytes == 0 && p.since_us < since_us &&
		    (has = holder(s->fd, i)) > 0) {
			since_us = p.since_us;
			pid = has;
		}
	}
	if (pid == 0)
		return false;
	log_warn("upload slots: all are taken; killing process %ld, which waits for "
		 "its form",
	    (long)pid);
	return kill(pid, SIGKILL) == 0;
}

static void
close_slot(void *slot)
{
	close(((struct upload_slot *)slot)->fd);
}

enum err
upload_slot_acquire(struct arena *mem, const char *state_dir, struct upload_slot **to)
{
	const char *path = arena_printf(mem, "%s/upload-slots", state_dir);
	struct upload_slot *s = arena_alloc(mem, sizeof(*s));
	bool has;

	if ((s->fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600)) < 0) {
		log_error("%s: %s", path, strerror(errno));
		return ERR_FAILED;
	}
	arena_defer(mem, close_slot, s);
	has = find_free(s);
	for (int i = 0; !has && i < TRIES; i++) {
		if (i == 0 && !kill_longest_waiting(s))
			return ERR_BUSY;
		poll(NULL, 0, TRY_MS);
		has = find_free(s);
	}
	if (!has)
		return ERR_BUSY;
	s->is = (struct slot){ .since_us = monotonic_us() };
	*to = s;
	return write_slot(s);
}

/* Returns the bytes expected by all other processes. */
static int64_t
bytes_coming(const struct upload_slot *s)
{
	int64_t sum = 0;

	for (int i = 0; i < UPLOAD_SLOTS; i++)
		if (i != s->at && holder(s->fd, i) > 0)
			sum += read_slot(s->fd, i).bytes;
	return sum;
}

enum err
upload_slot_expect(struct upload_slot *s, const char *dir, int64_t bytes)
{
	struct statvfs at;
	int64_t most;
	enum err e;

	if (statvfs(dir, &at) != 0)
		return OK; /* no process has stored a number there yet */
	most = (int64_t)at.f_bavail * (int64_t)at.f_frsize / SHARE;
	if (bytes > most)
		return ERR_FULL;
	/*
	 * The lock after those of the slots: only one process at a time makes a
	 * reservation.
	 */
	if (!lock(s->fd, UPLOAD_SLOTS, F_WRLCK, true))
		return ERR_FAILED;
	s->is.bytes = bytes > 0 ? bytes : 1;
	e = bytes_coming(s) + bytes <= most ? write_slot(s) : ERR_BUSY;
	if (!lock(s->fd, UPLOAD_SLOTS, F_UNLCK, false))
		return ERR_FAILED;
	return e;
}
