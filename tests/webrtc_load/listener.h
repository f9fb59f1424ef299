/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef WEBRTC_LOAD_LISTENER_H
#define WEBRTC_LOAD_LISTENER_H

#include <stdbool.h>
#include <stdint.h>

#include "rtc/rtc.h"
#include "tests/webrtc_client/client.h"

/*
 * A participant that only listens, one of many on one thread. It counts packets of the
 * first source it receives, without decoding them.
 */
struct listener {
	/* must be first: its sides are the owners of peer connections */
	struct client client;
	bool answered; /* the signalling connection is a WebSocket now */
	int64_t connected_us, heard_us; /* 0: not yet */
	uint32_t ssrc;
	uint16_t first_seq;
	int32_t last; /* highest sequence number, counted from the first */
	int64_t packets;
};

extern const struct rtc_events listener_events;

/* Starts signalling and does not wait. False: not connected. */
bool listener_call(struct listener *, int number) MUST_CHECK;
/* Call when data of signalling can be read. */
void listener_read(struct listener *);
int64_t listener_lost(const struct listener *); /* packets */

#endif
