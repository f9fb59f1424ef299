/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef SPEECH_MT_LINE_H
#define SPEECH_MT_LINE_H

#include <stdbool.h>

#include "base/buf.h"
#include "base/child_pipe.h"
#include "base/err.h"

/*
 * Programs that translate and keep running: a line of them for each key.  Each line has
 * a thread, which starts its programs, asks them one sentence after the other and
 * starts them again when they have died.  Private to the engines.
 */

/* The part of a line that its thread uses. */
struct mt_line_programs {
	const char *key;
	const char *name;        /* for the log */
	struct child_pipe *pipe; /* NULL: the programs are not running */
	unsigned asked;          /* number of sentences so far */
};

/* Functions that start and ask the programs of an engine, on the line's thread. */
struct mt_line_kind {
	const char *label; /* begin of log lines, before the first word of the key */
	/* time without use after which the programs are ended; 0: never */
	int64_t idle_us;
	/* Find the programs of a key.  Not OK: logged. */
	enum err (*plan)(struct arena *, const char *key, struct child_pipe_plan *);
	/* The first exchange with programs that have just been started. */
	enum err (*begin)(struct mt_line_programs *, struct arena *);
	/*
	 * Ask a sentence by mt_line_exchange(). Not OK: logged, and the programs are
	 * killed.
	 */
	enum err (*ask)(struct mt_line_programs *, const char *text, int cpu_ms,
	    struct buf *answer);
};

/*
 * As child_pipe_ask(), for the functions above.  If the programs are stopped meanwhile,
 * the callers that wait are released.  in: NULL, or a question.
 */
enum err mt_line_exchange(struct mt_line_programs *, const char *in, size_t most,
    int cpu_ms, struct buf *answer) MUST_CHECK;

struct mt_line_sentence {
	const char *key;
	const char *text; /* in the format of the programs; NULL: only start them */
	int cpu_ms;       /* processor time that the programs may use for it */
	/* time limit, counted from when the programs begin with it; 0: none */
	int64_t timeout_ms;
	/*
	 * Called from time to time on the caller's thread: true when the answer is no
	 * longer wanted. NULL: the answer is always wanted.
	 */
	bool (*unwanted)(void *arg);
	void *arg;
};

/*
 * Ask, and wait for the answer. The programs have a limit of processor time, the caller
 * one of elapsed time. ERR_TIMEOUT: one limit was reached; after the caller's limit the
 * programs continue, and their answer is dropped; ERR_REFUSED: it is no longer wanted;
 * ERR_UNSUPPORTED: too many lines; ERR_FAILED.  Logged.
 */
enum err mt_line_ask(const struct mt_line_kind *, const struct mt_line_sentence *,
    struct buf *answer) MUST_CHECK;
/*
 * Call warmed(arg) once, from any thread, maybe before this returns: when the programs
 * of the key are running and ready, or could not be started.
 */
void mt_line_warm(
    const struct mt_line_kind *, const char *key, void (*warmed)(void *), void *arg);

/* Processor time of the running programs of all lines, in µs; for a program with one
   thread that asks. */
int64_t mt_line_used_us(void);

#endif
