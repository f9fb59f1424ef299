/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef SERVE_WRITER_H
#define SERVE_WRITER_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/buf.h"

/* Answers, sent as fast as the client reads. */

struct answer {
	struct buf bytes; /* head and body */
	int file;         /* more of the body; -1: none; the writer closes it */
	off_t at, left;   /* bytes of the file */
};

enum writer_state { WRITER_DONE, WRITER_BUSY, WRITER_FAILED };

/* The rest of an answer. */
struct writing;

/* Send an answer. WRITER_BUSY: *to is the rest. */
enum writer_state writer_send(int fd, const struct answer *, struct writing **to);
/* The connection is writable, or broken. Unless WRITER_BUSY, the writing is freed. */
enum writer_state writer_go_on(int fd, struct writing *, bool broken);

#endif
