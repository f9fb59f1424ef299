/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef SPEECH_MT_APERTIUM_LINE_H
#define SPEECH_MT_APERTIUM_LINE_H

#include <stdbool.h>

#include "base/buf.h"
#include "base/err.h"

/*
 * The running pipelines of Apertium, one for each mode; private to the engine. Each has
 * a thread, which starts its programs, asks them one sentence after another, and
 * restarts them when they have died.
 */
struct apertium_sentence {
	const char *mode; /* see apertium_stages() */
	const char *text; /* text in the format of the programs */
	int cpu_ms;       /* processor time that the programs may use for it */
	/* time limit from the start of the sentence by the clock; 0: none */
	int64_t timeout_ms;
	/* Called now and then on the caller's thread; returns true when the answer is
	   no longer wanted. NULL: it is wanted. */
	bool (*unwanted)(void *arg);
	void *arg;
};

/*
 * Ask, and wait for the answer. For the programs only their processor time counts.
 * ERR_TIMEOUT: the programs have used up their time, or the caller's time is over: then
 * they continue, and their answer is dropped. ERR_REFUSED: the answer is no longer
 * wanted; ERR_UNSUPPORTED: too many modes; ERR_FAILED. Errors have been logged.
 */
enum err apertium_ask(const struct apertium_sentence *, struct buf *answer) MUST_CHECK;
/*
 * Warm up a mode. warmed(arg) is called once, from any thread, maybe before this
 * returns: when the programs of the mode have answered once, or have failed.
 */
void apertium_warm(const char *mode, void (*warmed)(void *), void *arg);

#endif
