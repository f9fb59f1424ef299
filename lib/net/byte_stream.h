/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef NET_BYTE_STREAM_H
#define NET_BYTE_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/err.h"

/*
 * A connection by TCP, or by TLS with a verified certificate (1.2 or later), for
 * protocols other than HTTP. Any address may be called: hosts come from the settings.
 */
struct byte_stream;

/* NULL: there is no connection; *why has the reason, in a few words. */
struct byte_stream *byte_stream_open(struct arena *, const char *host, int port,
    bool tls, int timeout_ms, const char **why);
/* Send all bytes. False: the connection is broken, or the deadline has passed. */
bool byte_stream_send(
    struct byte_stream *, const void *, size_t n, int64_t until_us) MUST_CHECK;
/* Receive some bytes. Returns 0: the connection is broken, or the deadline has passed.
 */
size_t byte_stream_receive(struct byte_stream *, void *, size_t room, int64_t until_us);
void byte_stream_close(struct byte_stream *); /* NULL: does nothing */

#endif
