/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef RTC_DATA_CHANNEL_H
#define RTC_DATA_CHANNEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/err.h"

/*
 * The data channels `_reliable` and `_lossy` of one peer connection (RFC 8831): an
 * SCTP association (RFC 9260) over packets that the caller encrypts and carries.
 * Other channels are acknowledged, and their messages are dropped.
 */
struct data_channels;

#define DATA_CHANNEL_MESSAGE (256U << 10) /* bytes of a message, at most */
#define DATA_CHANNEL_UNSENT (1U << 20)    /* unsent bytes, at most */

struct data_channel_events {
	void (*send)(void *arg, const void *, size_t n); /* an SCTP packet */
	/* The channel can be used now. */
	void (*open)(void *arg, const char *label);
	void (*message)(void *arg, const char *label, const void *, size_t n);
};

struct data_channel_settings {
	int port;  /* SCTP port on both sides */
	bool open; /* we open the two; else the peer does */
	bool even; /* our streams have even numbers: we are the client of DTLS */
};

/* The library starts with the first struct and ends with the last one. */
void data_channel_start(void);
void data_channel_stop(void);
/* Timers of all associations; for each 10 ms or longer. */
void data_channel_timers(int64_t now_us);
/* When the next call of data_channel_timers() is due; INT64_MAX: no association. */
int64_t data_channel_due_us(void);

/* Connects.  Freed by data_channels_free(), which notifies the peer. */
struct data_channels *data_channels_new(struct arena *,
    const struct data_channel_settings *, const struct data_channel_events *, void *arg,
    int64_t now_us);
void data_channels_free(struct data_channels *); /* NULL is fine; not in callbacks */

/* Receive a packet of the peer; calls back. */
void data_channels_put(struct data_channels *, const void *, size_t n, int64_t now_us);
/*
 * Sends waiting messages.  An association that is not up after 8 s is started again,
 * once.  False: it failed, or it ended.
 */
bool data_channels_tick(struct data_channels *, int64_t now_us) MUST_CHECK;
bool data_channels_failed(const struct data_channels *);
/* The next time to call data_channels_tick(); INT64_MAX: none. */
int64_t data_channels_due_us(const struct data_channels *, int64_t now_us);

/*
 * Messages are queued when they cannot be sent now.  `_lossy`: unordered, not repeated.
 * False: the channel is not open, or too much waits or would.
 */
bool data_channels_send(struct data_channels *, const char *label, const void *,
    size_t n, int64_t now_us) MUST_CHECK;
bool data_channels_is_open(const struct data_channels *, const char *label);
/* Unsent bytes; *since_us: the last progress. */
size_t data_channels_unsent(const struct data_channels *, int64_t *since_us);

#endif
