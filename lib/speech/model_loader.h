/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef SPEECH_MODEL_LOADER_H
#define SPEECH_MODEL_LOADER_H

#include <stdbool.h>

#include "base/child.h"

/*
 * A process that has loaded the model of an engine and uses it for nothing. It forks
 * the processes that do (model_process.h), so these share the pages of the model. The
 * processes are children of the gateway, not of the loader. Any thread may call.
 */
struct model_loader;

/* The loader with this key, which copies it; started by the first call. */
struct model_loader *model_loader_get(const char *key);
/*
 * Ask for a process. *fd: our end of its socket; it sends MODEL_READY with its pid when
 * the model is loaded. ERR_FAILED: the loader cannot be started.
 */
enum err model_loader_fork(
    struct model_loader *, const struct child *, int *fd) MUST_CHECK;
/* The loader's pid, for a child_clock; 0: it does not run. */
const pid_t *model_loader_pid(const struct model_loader *);
/*
 * After a process that never got ready: end the loader, if it has ended or `kill` is
 * set, and log why. True: it could not load the model.
 */
bool model_loader_failed(struct model_loader *, const char *name, bool kill);
/* End the loaders: processes that were forked live on. */
void model_loader_end_all(void);

#endif
