/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PROTOCOL_OUTPUT_TYPES_H
#define PROTOCOL_OUTPUT_TYPES_H

#include "base/buf.h"
#include "protocol/message.h"
#include "protocol/rule.h"

#define OUTPUT_TO_SPEAKER 0x01
#define OUTPUT_TO_LISTENER 0x02  /* a client that may not write */
#define OUTPUT_STARRED_TYPE 0x04 /* sent only if allowed_message_types names it */
#define OUTPUT_WITH_TASK 0x08    /* for speakers: includes the members of set_task */

/*
 * A type of message that the server sends.  docs/streaming.md and /asyncapi.json are
 * made from these rows; output.h writes the messages.  Those of STT are flat, the
 * others have their members in `data`.
 */
struct output_type {
	const char *name;
	enum message_socket socket; /* warning and error: all three */
	unsigned flags;
	const struct rule *rules;     /* rules of the message's members */
	bool (*sample)(struct buf *); /* appends an example */
	const char *when;
};

extern const struct output_type output_types[]; /* the last one has no name */

#endif
