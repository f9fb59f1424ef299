/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef BASE_CHILD_PIPE_H
#define BASE_CHILD_PIPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"

/*
 * Filter programs that keep running; the output of each is the input of the next. Each
 * question and each answer ends in a NUL byte, or each is a line. The programs are
 * started as by child_run(), in their own process group. The whole group dies when one
 * of them ends, when the pipeline is stopped, and when our process dies. Their standard
 * error is discarded. Any one thread may use a pipeline at a time, and may end before
 * the pipeline.
 */
#define CHILD_STAGES 32 /* programs in one pipeline at most */

struct child_pipe;

struct child_pipe_plan {
	const char *name;                /* name for the log; copied */
	const char *const *const *stage; /* the argv of each, as child.argv */
	size_t n;                        /* stages */
	/* limit of the address space of each program */
	size_t memory_bytes;
	const char *const *reads; /* as child.reads */
	/*
	 * A question and its answer are a line each. A program that writes anything
	 * but the line it is asked for is killed.
	 */
	bool lines;
};

/* NULL: it could not be started; logged. */
struct child_pipe *child_pipe_start(const struct child_pipe_plan *);
/* True if one of its programs has ended; then it must be stopped. */
bool child_pipe_dead(struct child_pipe *);
/* A question to a pipeline. */
struct child_ask {
	/* n bytes without a NUL or line end, unchanged until the answer has come; NULL:
	   nothing is sent, only the next answer is read. */
	const char *in;
	size_t n;
	struct buf *out; /* the answer is appended, also without its end */
	size_t max;      /* bytes of the answer, at most */
	int cpu_ms;      /* processor time that all programs may use for it */
	/* Called every CHILD_TICK_MS while the programs neither work nor sleep, see
	   CHILD_STOPPED; NULL: it is not reported. */
	void (*stopped)(void *arg);
	void *arg;
};

/*
 * Ask, and wait for the answer as long as the programs make progress, however long a
 * busy host makes that.  ERR_TIMEOUT: they have used cpu_ms, or all of them sleep, so
 * that no answer will come; ERR_LIMIT: the answer is longer than max bytes;
 * ERR_FAILED: a program ended, or wrote a line that was not asked for.  All but OK are
 * logged and leave the pipeline dead.  An answer with OK may be incomplete: a filter
 * whose input ends because the previous one died may write a NUL by itself, so mark the
 * end inside the text.
 */
enum err child_pipe_ask(struct child_pipe *, const struct child_ask *) MUST_CHECK;
/* Processor time of its programs so far, in microseconds. */
int64_t child_pipe_used_us(const struct child_pipe *);
/* Kill its processes, wait until they are gone, free it.  NULL is fine. */
void child_pipe_stop(struct child_pipe *);

#endif
