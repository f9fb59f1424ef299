/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PROTOCOL_TASK_INTERNAL_H
#define PROTOCOL_TASK_INTERNAL_H

#include "protocol/rule.h"
#include "protocol/task.h"

/* Shared by the files task*.c. */

extern const struct rule task_rules[]; /* the tree, read into struct task */

/*
 * Reads translation_queue_configs: the queue of each target and the global queue.  Call
 * after the targets are read.
 */
void task_queues_read(
    struct validation_errors *, const struct json_path *tree, struct task *);
void task_types_read(
    struct validation_errors *, const struct json_path *tree, struct task *);

/* The target with exactly this code, folded; NULL: none. */
const struct task_target *task_target_of(const struct task *, const char *code);

#endif
