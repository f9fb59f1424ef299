/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef SPEECH_MODEL_PROCESS_H
#define SPEECH_MODEL_PROCESS_H

#include <stddef.h>

#include "base/arena.h"
#include "base/err.h"
#include "speech/at.h"
#include "speech/model_message.h"

/*
 * Processes that have loaded the model of an engine, at most at->parallel of them. Each
 * processes one phrase or utterance at a time. Only these processes load the library,
 * with limits on memory and files and without a network; a crash of a process is an
 * error of the call. Any thread may call. A process belongs to the thread that took it
 * until that thread gives it back.
 */
struct model_process;

struct model_message {
	enum model_kind kind; /* 0: there is room to send more */
	const char *p; /* n bytes, followed by a NUL; valid until the next message */
	size_t n;
};

/*
 * Get an idle process for MODEL_RECOGNIZE or MODEL_SPEAK, or start one, which may still
 * be loading. wait: wait until one is free, 25 s at most. ERR_BUSY: none is free;
 * ERR_FAILED: it cannot be started.
 */
enum err model_acquire(const struct engine_at *, const char *task, bool wait,
    struct model_process **) MUST_CHECK;
/*
 * Wait until the process has loaded the model. ERR_UNSUPPORTED: it cannot, and the log
 * has the reason; ERR_TIMEOUT, ERR_FAILED. Give it back after an error, too.
 */
enum err model_await_ready(struct model_process *) MUST_CHECK;
/* Give a process back. how: the result of its use; after ERR_TIMEOUT and the like it is
   killed. */
void model_release(struct model_process *, enum err how);

/* Send without waiting; false: there is no room now. n is MODEL_BYTES at most. */
bool model_send(struct model_process *, enum model_kind, const void *, size_t n);
/* Get the next message since the process was taken. ERR_BUSY: none yet; ERR_FAILED: it
   ended. */
enum err model_receive(struct model_process *, struct model_message *) MUST_CHECK;
/* Set the processor time in ms that the process may use in the next calls of
   model_await() together. */
void model_clock(struct model_process *, int cpu_ms);
/*
 * Wait for the next message or, with `room`, until there is room to send more.
 * ERR_TIMEOUT: the process has used its time, or sleeps; ERR_FAILED: it ended. Both
 * were logged.
 */
enum err model_await(
    struct model_process *, bool room, struct model_message *) MUST_CHECK;

/* Size of a file, or of all files of a folder, in bytes. */
size_t model_size(struct arena *, const char *path);
/* Processor time of a process since it was taken, without loading, in µs. */
int64_t model_used_by(const struct model_process *);
/* Processor time in microseconds of the running processes; for a program with one
   thread. */
int64_t model_used_us(void);
/* End unused processes. */
void model_end_idle(void);

#endif
