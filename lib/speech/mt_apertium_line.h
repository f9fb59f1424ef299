/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef SPEECH_MT_APERTIUM_LINE_H
#define SPEECH_MT_APERTIUM_LINE_H

#include <stdbool.h>

#include "base/buf.h"
#include "base/err.h"

/*
 * The live pipelines of Apertium, one per mode; private to the engine.  Each has a
 * thread, which starts its programs, asks them one sentence after the other and starts
 * them again when they have died.
 */
struct apertium_sentence {
	const char *mode;   /* see apertium_stages() */
	const char *text;   /* as the programs read it */
	int cpu_ms;         /* of processor time that they may use for it */
	int64_t timeout_ms; /* of the clock's, from when they begin with it; 0: none */
	/* Called every now and then, on the caller's thread: true when the answer is no
	   longer wanted.  NULL: it is wanted. */
	bool (*unwanted)(void *arg);
	void *arg;
};

/*
 * Ask, and wait for the answer.  Only their processor time counts for the programs.
 * ERR_TIMEOUT: they have used it up, or the caller's time is over: then they continue,
 * and their answer is dropped; ERR_REFUSED: it is no longer wanted; ERR_UNSUPPORTED:
 * too many modes; ERR_FAILED.  Logged.
 */
enum err apertium_ask(const struct apertium_sentence *, struct buf *answer) MUST_CHECK;
/*
 * Call warmed(arg) once, from any thread, maybe before this returns: when the programs
 * of the mode have answered once, or have failed to.
 */
void apertium_warm(const char *mode, void (*warmed)(void *), void *arg);

#endif
