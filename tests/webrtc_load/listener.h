/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef WEBRTC_LOAD_LISTENER_H
#define WEBRTC_LOAD_LISTENER_H

#include <stdbool.h>
#include <stdint.h>

#include "rtc/rtc.h"
#include "tests/webrtc_client/client.h"

/*
 * A participant that only listens, one of many on one thread: it counts what comes of
 * the first source that it hears, and decodes nothing.
 */
struct listener {
	struct client client; /* first: its sides are the owners of peer connections */
	bool answered;        /* it is a WebSocket by now */
	int64_t connected_us, heard_us; /* 0: not yet */
	uint32_t ssrc;
	uint16_t first_seq;
	int32_t last; /* the highest sequence number, from the first one on */
	int64_t packets;
};

extern const struct rtc_events listener_events;

/* Asks for signalling and does not wait.  False: not connected. */
bool listener_call(struct listener *, int number) MUST_CHECK;
/* Its signalling can be read. */
void listener_read(struct listener *);
int64_t listener_lost(const struct listener *); /* packets */

#endif
