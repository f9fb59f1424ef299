/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef SERVE_WRITER_H
#define SERVE_WRITER_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/buf.h"

/*
 * HTTP of a process, by libwebsockets. It gets a copy of a connection for one request,
 * whose head is read already, and sends the answer as fast as the client reads. Between
 * two requests libwebsockets has nothing of a connection, so the next request may be
 * for another process.
 */
struct writer;

/* An answer. */
struct answer {
	struct buf
	    bytes;      /* head and body after WRITER_BEFORE bytes for libwebsockets */
	int file;       /* more of the body; -1: none; the writer closes it */
	off_t at, left; /* bytes of the file */
};

#define WRITER_BEFORE 64

enum writer_state { WRITER_DONE, WRITER_BUSY, WRITER_FAILED };

/* An answer that is being sent. */
struct writing;

/* files: descriptors that the process may have. NULL: logged. */
struct writer *writer_open(struct arena *, int files);
/* Answer the request with this head. WRITER_BUSY: *to is the rest. */
enum writer_state writer_send(struct writer *, int fd, const struct buf *head,
    const struct answer *, struct writing **to);
/* The connection is writable, or broken. Unless WRITER_BUSY, the writing is freed. */
enum writer_state writer_go_on(struct writer *, struct writing *, bool broken);

#endif
