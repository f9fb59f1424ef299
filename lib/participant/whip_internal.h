/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PARTICIPANT_WHIP_INTERNAL_H
#define PARTICIPANT_WHIP_INTERNAL_H

#include "participant/participant_internal.h"
#include "participant/whip.h"

/* Shared by whip.c (event loop) and whip_resource.c (database thread). */

#define WHIP_TRACK "sound" /* id of the track that is sent */

/* A message between the two threads about a resource. */
struct whip_call {
	struct thread_call call;
	const char *id;
	struct ice_credentials ice; /* whip_restart() */
};

/* Event loop: end the peer connection; give it new credentials. */
void whip_end(struct gateway *, struct thread_call *);
void whip_restart(struct gateway *, struct thread_call *);

#endif
