/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CHANNEL_RELAY_INPUT_H
#define CHANNEL_RELAY_INPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/actor.h"

/*
 * Input of a speaker at a guest. The guest keeps sound until the owner confirms it: its
 * texts are out. So the next owner gets the sound that a dead one had not finished.
 *
 *	guest: relay_queue   messages, numbered from 1
 *	owner: relay_marks   the place of each number in the session's sound
 */

enum relay_input_kind { RELAY_COMMAND, RELAY_SOUND, RELAY_PACKET };

struct relay_input {
	struct actor_message message;
	enum relay_input_kind kind;
	int64_t number; /* counts sound */
	int64_t at_us;  /* monotonic */
	const char *bytes;
	size_t n;
};

struct relay_queue {
	struct actor_message *first, **end; /* owned */
	size_t bytes;
};

/* RELAY_COMMAND or RELAY_SOUND: the kind of a message of a socket. */
enum relay_input_kind relay_input_kind_of(const char *, size_t);

void relay_queue_init(struct relay_queue *);
/* Copy a message to the end. The oldest is dropped when there is too much. */
void relay_queue_put(
    struct relay_queue *, enum relay_input_kind, int64_t number, const char *, size_t);
/* The first message, or NULL. */
const struct relay_input *relay_queue_first(const struct relay_queue *);
void relay_queue_drop_first(struct relay_queue *);
/* Move the first message of from to the end of to. */
void relay_queue_move_first(struct relay_queue *to, struct relay_queue *from);
/* Drop sound up to a number, and sound older than the owner may take to finish it. */
void relay_queue_confirm(struct relay_queue *, int64_t number);
/* Move all messages of from before those of to. */
void relay_queue_prepend(struct relay_queue *to, struct relay_queue *from);
void relay_queue_clear(struct relay_queue *);

/* The last ten seconds of sound. */
#define RELAY_MARKS 256
struct relay_marks {
	struct relay_mark {
		int64_t number, end_us;
	} of[RELAY_MARKS]; /* a ring */
	size_t first, n;
};

/* The message with this number ends there in the sound. */
void relay_marks_add(struct relay_marks *, int64_t number, int64_t end_us);
/* Returns the number of the last message that ends by then; 0: none does. */
int64_t relay_marks_until(const struct relay_marks *, int64_t us);

#endif
