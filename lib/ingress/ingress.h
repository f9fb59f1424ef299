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
 *	ingress.c       order, messages, beginning and end
 *	srt_listener.c  SRT that is pushed
 *	rtmp_player.c   RTMP that is pulled
 *	http_player.c   HLS, or sound by plain HTTP, that is pulled; with hls_player.c,
 *	                hls_playlist.c, hls_variables.c, radio_list.c, pull.c,
 *	                fetch.c.  All three are sources, see stream_source.h
 *	demux.c         the decoding process; with quiet_track.c
 *	picture.c       the picture beside the sound
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
