#ifndef INGRESS_INGRESS_H
#define INGRESS_INGRESS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/err.h"

/*
 * The child dragoman-ingress: one sender's stream, which becomes Opus packets for the
 * gateway.  It is two processes: this one has the network and only passes bytes on, the
 * one that decodes them has neither network nor files.
 *
 *	ingress.c       order, messages, RTMP that is pulled, start and end
 *	srt_listener.c  SRT that is pushed
 *	http_player.c   HLS, or sound by plain HTTP, that is pulled; uses hls_player.c,
 *	                hls_read.c and pull.c.  See stream_source.h for all sources
 *	demux.c         the decoding process
 */

/* What it is to receive; the first message of ingress_wire.h. */
struct ingress_order {
	const char *language;               /* of the sound wanted; "auto": the first */
	int64_t port;                       /* of srt_push: UDP, and */
	const char *stream_id, *passphrase; /* what its sender has to say */
	const char *url;            /* of rtmp_push and hls_pull: where to play it */
	bool allow_private;         /* of hls_pull: the address may be a private one */
	bool picture;               /* is wanted, too */
	int64_t cpu_percent, cpu_s; /* of the decoding process, see base/child_cpu.h */
};

/* Descriptor 0 is the gateway.  Returns the program's status after one sender. */
int ingress_run(void);

#endif
