#ifndef PROTOCOL_TASK_INTERNAL_H
#define PROTOCOL_TASK_INTERNAL_H

#include "protocol/rule.h"
#include "protocol/task.h"

/* What the files task*.c share. */

extern const struct rule task_rules[]; /* the tree; into struct task */

/*
 * translation_queue_configs, after the targets are known: their queues, and the
 * one that stands for all.
 */
void task_queues_read(
    struct validation_errors *, const struct json_path *tree, struct task *);
void task_queues_write(struct json_writer *, const char *key, const struct json *,
    const struct task *, bool);
void task_types_read(
    struct validation_errors *, const struct json_path *tree, struct task *);

/* The target with exactly this code, folded; NULL: none. */
const struct task_target *task_target_of(const struct task *, const char *code);

/*
 * What engines cannot do of it; detectable keeps only what they can.  together: all
 * targets have to be reached from one source, not each from any.
 */
void task_pairs_check(struct validation_errors *, const struct json_path *tree,
    const struct task_engines *, bool together, struct task *);

#endif
