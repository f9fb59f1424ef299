#ifndef STREAM_TASK_PARTS_H
#define STREAM_TASK_PARTS_H

#include "stream/rule.h"
#include "stream/task.h"

/* What the files task*.c share. */

extern const struct rule task_rules[]; /* the tree; into struct task */

/*
 * translation_queue_configs, after the targets are known: their queues, and the
 * one that stands for all.
 */
void task_queues_read(struct flaws *, const struct spot *tree, struct task *);
void task_queues_write(
    struct jw *, const char *key, const struct json *, const struct task *, bool);
void task_types_read(struct flaws *, const struct spot *tree, struct task *);

/* The target with exactly this code, folded; NULL: none. */
const struct task_target *task_target_of(const struct task *, const char *code);

/*
 * What engines cannot do of it; detectable keeps only what they can.  together: all
 * targets have to be reached from one source, not each from any.
 */
void task_pairs_check(struct flaws *, const struct spot *tree,
    const struct task_engines *, bool together, struct task *);

#endif
