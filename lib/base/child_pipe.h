#ifndef BASE_CHILD_PIPE_H
#define BASE_CHILD_PIPE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/err.h"

/*
 * Filter programs that stay, one's output the next one's input: what goes in
 * ends in a NUL byte, and so does what comes out of it.  They are started as
 * child_run() starts one, in a process group of their own, which dies as a whole:
 * when one of them ends, when the pipeline is stopped, when our process dies.
 * Their standard error goes nowhere.  One thread may use a pipeline at a time;
 * which one does not matter, nor that it ends before the pipeline.
 */
#define CHILD_STAGES 32 /* in one pipeline, at most */

struct child_pipe;

struct child_pipe_plan {
	const char *name;                /* for the log; copied */
	const char *const *const *stage; /* the argv of each, as child.argv */
	size_t n;                        /* stages */
	size_t memory_bytes;             /* of address space each may have */
};

/* NULL: it could not be started; logged. */
struct child_pipe *child_pipe_start(const struct child_pipe_plan *);
/* Whether one of its programs has ended; then nothing is left but to stop it. */
bool child_pipe_dead(struct child_pipe *);
/* A question to a pipeline. */
struct child_ask {
	const char *in; /* n bytes without a NUL, unchanged until the answer is there */
	size_t n;
	struct buf *out; /* what they became is appended, also without a NUL */
	size_t max;      /* bytes that it may be */
	int cpu_ms;      /* of processor time that all programs may use for it */
	/* Called every CHILD_TICK_MS while the programs neither work nor sleep, see
	   CHILD_STOPPED; NULL: it is not reported. */
	void (*stopped)(void *arg);
	void *arg;
};

/*
 * Ask, and wait for the answer for as long as the programs get on with it, however
 * long a busy host makes that.  ERR_TIMEOUT: they have used cpu_ms, or all of them
 * sleep, so that no answer will come; ERR_LIMIT: it became more than max bytes;
 * ERR_FAILED: a program ended.  All but OK were logged and leave it dead.  OK may be
 * said of less than all: a filter whose input ends because the one before it died may
 * write a NUL by itself, so let the text hold something that shows its end.
 */
enum err child_pipe_ask(struct child_pipe *, const struct child_ask *) MUST_CHECK;
/* Kill its processes, wait until they are gone, free it.  NULL is fine. */
void child_pipe_stop(struct child_pipe *);

#endif
