/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef INGRESS_INGRESS_H
#define INGRESS_INGRESS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/err.h"

/*
 * The child dragoman-ingress converts one sender's stream to Opus packets for the
 * gateway. It has two processes: this one accesses the network and only passes bytes
 * on; the one that decodes them has no access to network and files.
 *
 *	ingress.c       order, messages, RTMP that is pulled, start and end
 *	srt_listener.c  SRT that is pushed
 *	http_player.c   HLS, or sound by plain HTTP, that is pulled; uses hls_player.c,
 *	                hls_read.c and pull.c.  See stream_source.h for all sources
 *	demux.c         the decoding process
 */

/* The order: the first message of ingress_wire.h. */
struct ingress_order {
	/* language of the wanted sound; "auto": the first track */
	const char *language;
	int64_t port;                       /* srt_push: the UDP port, and */
	const char *stream_id, *passphrase; /* credentials of its sender */
	const char *url;    /* rtmp_push and hls_pull: address to play */
	bool allow_private; /* hls_pull: the address may be a private one */
	bool picture;       /* also pass on the picture */
	/* limits of the decoding process: base/child_clock.h */
	int64_t cpu_percent, cpu_s;
};

/* Run the child; descriptor 0 is the gateway. Returns the exit status after one
   sender. */
int ingress_run(void);

#endif
