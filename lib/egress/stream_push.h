/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef EGRESS_STREAM_PUSH_H
#define EGRESS_STREAM_PUSH_H

#include "base/clock.h"

/* Common to streams that are pushed to a server. */
#define PUSH_AGAIN_US (2 * S_US) /* time between two attempts */
/* time to wait for a server that does not answer */
#define PUSH_PATIENCE_US (5 * S_US)
#define PUSH_NO_ANSWER "The server does not answer."
#define PUSH_REFUSED "The server does not accept the stream."
#define PUSH_LOST "The connection to the server was lost."
#define PUSH_OTHER_PROTOCOL "The server's address is of another protocol."

#endif
