#ifndef SPEECH_MODEL_PROCESS_H
#define SPEECH_MODEL_PROCESS_H

#include <stddef.h>

#include "base/err.h"
#include "speech/at.h"
#include "speech/model_message.h"

/*
 * Processes that have loaded the model of an engine, at->parallel of them at most: each
 * does one phrase or utterance at a time and then waits for the next.  The library is
 * opened there and nowhere else, below limits on memory and files and without a
 * network; its end is no more than an error here.  Any thread may call; a process is
 * used by the thread that took it, until that gives it back.
 */
struct model_process;

struct model_message {
	enum model_kind kind; /* 0: there is room for more to be sent */
	const char *p; /* n bytes, with a NUL behind them, until the next message */
	size_t n;
};

/*
 * One that has nothing to do, for MODEL_RECOGNIZE or MODEL_SPEAK; it is started if it
 * must be, and may still be loading.  wait: until one is free, 25 s at most.  ERR_BUSY:
 * none is free; ERR_FAILED: it cannot be started.
 */
enum err model_take(const struct engine_at *, const char *task, bool wait,
    struct model_process **) MUST_CHECK;
/*
 * Wait until it has loaded the model.  ERR_UNSUPPORTED: it cannot, the log has its
 * reasons; ERR_TIMEOUT, ERR_FAILED.  It must be given back then, too.
 */
enum err model_await_ready(struct model_process *) MUST_CHECK;
/* Another may have it.  how: what came of it; after ERR_TIMEOUT and so on it is killed.
 */
void model_give(struct model_process *, enum err how);

/* Send at once; false: there is no room now.  n is MODEL_BYTES at most. */
bool model_send(struct model_process *, enum model_kind, const void *, size_t n);
/* What it has said since it was taken.  ERR_BUSY: nothing new; ERR_FAILED: it ended. */
enum err model_hear(struct model_process *, struct model_message *) MUST_CHECK;
/* The next calls of model_await() may use so much processor time together. */
void model_clock(struct model_process *, int cpu_ms);
/*
 * Wait for what it says next, or, room: until there is room to send more.  ERR_TIMEOUT:
 * it has used its time, or sleeps; ERR_FAILED: it ended.  Both were logged.
 */
enum err model_await(
    struct model_process *, bool room, struct model_message *) MUST_CHECK;

/* Processor time of those that have not ended; in a program with one thread. */
int64_t model_used_us(void);
/* End those that nobody uses. */
void model_cool(void);

#endif
