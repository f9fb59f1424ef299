/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "serve/writer.h"

#include <errno.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/arena.h"

#define TURN_BYTES (1 << 20) /* bytes of a file until others have their turn */

struct writing {
	struct arena *mem;
	struct answer rest;
};

static enum writer_state
failure(void)
{
	return errno == EAGAIN || errno == EINTR ? WRITER_BUSY : WRITER_FAILED;
}

static enum writer_state
send_bytes(int fd, struct answer *a)
{
	int flags = MSG_NOSIGNAL | MSG_DONTWAIT | (a->left > 0 ? MSG_MORE : 0);
	ssize_t n;

	while (a->bytes.len > 0) {
		if ((n = send(fd, a->bytes.p, a->bytes.len, flags)) < 0)
			return failure();
		a->bytes.p += n;
		a->bytes.len -= (size_t)n;
	}
	return WRITER_DONE;
}

/* A file that is shorter than announced is a failure. */
static enum writer_state
send_file(int fd, struct answer *a)
{
	off_t end = a->left > TURN_BYTES ? a->left - TURN_BYTES : 0;
	ssize_t n;

	while (a->left > end) {
		if ((n = sendfile(fd, a->file, &a->at, (size_t)(a->left - end))) < 0)
			return failure();
		if (n == 0)
			return WRITER_FAILED;
		a->left -= n;
	}
	return a->left > 0 ? WRITER_BUSY : WRITER_DONE;
}

static enum writer_state
send_now(int fd, struct answer *a)
{
	enum writer_state is = send_bytes(fd, a);

	if (is == WRITER_DONE)
		is = send_file(fd, a);
	if (is != WRITER_BUSY && a->file >= 0)
		close(a->file);
	return is;
}

enum writer_state
writer_send(int fd, const struct answer *a, struct writing **to)
{
	struct answer rest = *a;
	enum writer_state is = send_now(fd, &rest);
	struct arena *mem;

	if (is != WRITER_BUSY)
		return is;
	mem = arena_new();
	*to = arena_alloc(mem, sizeof(**to));
	**to = (struct writing){ .mem = mem, .rest = rest };
	(*to)->rest.bytes = (struct buf){ .mem = mem };
	buf_put(&(*to)->rest.bytes, rest.bytes.p, rest.bytes.len);
	return is;
}

enum writer_state
writer_go_on(int fd, struct writing *it, bool broken)
{
	enum writer_state is = send_now(fd, &it->rest);

	if (broken && is == WRITER_BUSY) {
		if (it->rest.file >= 0)
			close(it->rest.file);
		is = WRITER_FAILED;
	}
	if (is != WRITER_BUSY)
		arena_free(it->mem);
	return is;
}
