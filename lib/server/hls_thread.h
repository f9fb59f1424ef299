/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef SERVER_HLS_THREAD_H
#define SERVER_HLS_THREAD_H

#include "base/hls_file.h"
#include "gateway/gateway.h"
#include "server/hls_reload.h"

/*
 * The thread that sends files of HLS, and holds requests for files and playlists that
 * an output is about to write. Strangers may send these requests: their number and
 * their time are limited.
 */
struct hls_thread;

/* Requests at a time, of all, and of one network: a hall or a server of a CDN. */
#define HLS_HELD_MOST 2048
#define HLS_HELD_OF_NETWORK 512
#define HLS_HELD_S 12 /* a request is held: three target durations */

/* An admitted request. It lives in the connection request, as its strings do. */
struct hls_request {
	const char *folder, *file; /* path; name */
	const struct hls_file *kind;
	struct hls_reload reload; /* ignored unless the file is a playlist */
	const char *refusal;      /* whole answer if it is not held, or not any more */
	size_t refusal_bytes;
	bool head; /* send no body */
};

/* Start the thread. NULL: it cannot be started; the error is logged. */
struct hls_thread *hls_thread_start(struct arena *);
/* Answer a request, or hold it. Takes over the descriptor and the request. Call it from
   any thread. */
void hls_thread_add(struct hls_thread *, struct connection_request *);
/* Set the number of requests that are held or being answered; returns the number of
   those refused since the last call. Call it from any thread. */
int64_t hls_thread_count(struct hls_thread *, int64_t *held);
/* Read a file. NULL: it does not exist. */
const char *hls_read(struct arena *, const char *folder, const char *file, size_t *n);

#endif
