#ifndef INGRESS_STREAM_SOURCE_H
#define INGRESS_STREAM_SOURCE_H

#include <stdbool.h>
#include <stddef.h>

#include "ingress/ingress.h"

/*
 * Where the bytes of a stream come from: one sender, in the process that has the
 * network.
 */
#define STREAM_SOURCE_BYTES 16384 /* of one read, at most */
#define STREAM_SOURCE_WAIT_MS 200

struct stream_source {
	const char *protocol; /* of the order */
	const char *demuxer;  /* of libavformat; NULL: found out from the bytes */
	/* ERR_REFUSED: it cannot be, *why says so; NULL: only not now. */
	enum err (*open)(struct arena *, const struct ingress_order *, void **source,
	    const char **why);
	/* Wait for bytes, for STREAM_SOURCE_WAIT_MS where others may still come.  OK: n
	   of them, 0: none came yet.  ERR_FAILED: the sender has left. */
	enum err (*read)(void *source, char to[STREAM_SOURCE_BYTES], size_t *n);
	/* Is there a sender? */
	bool (*admitted)(const void *source);
	/* Why a sender was refused since the last call; NULL: none was.  No
	   function: none ever is. */
	const char *(*refused)(void *source);
	/* Tell the sender that it is over; of one that was opened, or was refused to
	 * be. */
	void (*close)(void *source);
};

/*
 * SRT, pushed to a UDP port of this host by one that knows the stream id and the
 * passphrase (SRTO_STREAMID, SRTO_PASSPHRASE of libsrt's API).  Others are refused.
 */
extern const struct stream_source srt_listener;
/*
 * Sound by HTTP: HLS where the address has a playlist, else whatever comes, as of
 * Icecast.  What cannot be fetched is tried again and told as a refusal.
 */
extern const struct stream_source http_player;

#endif
