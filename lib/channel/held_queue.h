/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CHANNEL_HELD_QUEUE_H
#define CHANNEL_HELD_QUEUE_H

#include "session/session.h"

/*
 * Final texts of a channel that wait hold_seconds before they go out. Each is a row of
 * store/held_lines.h, where people pass, drop or replace it. A text goes out only when
 * the database says so, in the order of the speech: a decision that was acknowledged is
 * kept, whatever happens to this gateway. A text whose row could not be stored goes out
 * when it is due.
 */
struct held_queue;

/* An empty queue. */
struct held_queue *held_queue_new(struct arena *);
/* The channel's hold_seconds may have changed. */
void held_queue_follow(struct session *);
/* Functions of struct task_owner: held, slot_begins, slot_dropped. */
void held_queue_take(struct session *, struct pipeline_slot *, struct pipeline_event *);
void held_queue_begin(struct session *, struct pipeline_slot *);
void held_queue_drop(struct session *, struct pipeline_slot *);
/* Send the texts that may go out. */
void held_queue_tick(struct session *, int64_t now_us);

#endif
