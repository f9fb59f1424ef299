/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef INGRESS_STREAM_SOURCE_H
#define INGRESS_STREAM_SOURCE_H

#include <stdbool.h>
#include <stddef.h>

#include "ingress/ingress.h"

/*
 * The source of a stream's bytes: one sender, in the process that accesses the network.
 */
#define STREAM_SOURCE_BYTES 16384 /* longest read */
#define STREAM_SOURCE_WAIT_MS 200

struct stream_source {
	const char *protocol; /* protocol in the order */
	/* libavformat's name of the demuxer; NULL: detect the format */
	const char *demuxer;
	/* ERR_REFUSED: *why is the error; NULL: it may work later. */
	enum err (*open)(struct arena *, const struct ingress_order *, void **source,
	    const char **why);
	/* Wait for bytes, up to STREAM_SOURCE_WAIT_MS if more may come. OK: n bytes,
	   0: none yet. ERR_FAILED: the sender has left. */
	enum err (*read)(void *source, char to[STREAM_SOURCE_BYTES], size_t *n);
	/* True if a sender is connected. */
	bool (*admitted)(const void *source);
	/* The reason why a sender was refused since the last call; NULL: none was.
	   May be NULL if the source refuses no sender. */
	const char *(*refused)(void *source);
	/* Close the source, also after open() failed. */
	void (*close)(void *source);
};

/*
 * SRT, pushed to a UDP port of this host by a sender that knows the stream id and the
 * passphrase (SRTO_STREAMID, SRTO_PASSPHRASE of libsrt's API). Others are refused.
 */
extern const struct stream_source srt_listener;
/*
 * Sound by HTTP: HLS if the address returns a playlist, else a plain stream such as
 * Icecast's. Failures are reported as refusals and tried again.
 */
extern const struct stream_source http_player;

#endif
