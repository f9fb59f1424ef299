/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef RTC_TURN_H
#define RTC_TURN_H

#include "rtc/stun.h"

/*
 * Messages of a TURN client (RFC 8656) with long-term credentials (RFC 8489, 9.2), by
 * which this installation tries its TURN server. Reads and writes bytes: no call sends,
 * allocates or stores anything elsewhere.
 */
#define TURN_ROOM 1200 /* bytes of a message written, at most */
#define TURN_TEXT                                                                      \
	129 /* bytes of a name or nonce with its NUL; longer ones are refused */

struct turn_client {
	char username[TURN_TEXT], password[TURN_TEXT];
	/* from the server's first answer; realm "": there was none */
	char realm[TURN_TEXT], nonce[TURN_TEXT];
	unsigned char id[STUN_ID]; /* id of the latest request */
};

/* Requests; they are signed once the realm is known. They return their length. */
size_t turn_write_allocate(struct turn_client *, unsigned char to[TURN_ROOM]);
size_t turn_write_permission(
    struct turn_client *, const struct sockaddr *peer, unsigned char to[TURN_ROOM]);
/* Data for the peer, at most STUN_ROOM bytes; there is no answer. */
size_t turn_write_data(struct turn_client *, const struct sockaddr *peer,
    const void *data, size_t n, unsigned char to[TURN_ROOM]);

/*
 * Read an answer to the latest request. Returns 0: success; 300 to 699: the error code;
 * -1: it is no answer to it. The realm and the nonce are kept.
 */
int turn_read_answer(struct turn_client *, const void *, size_t n);
/* Read data that a peer sent. NULL: the message has none. */
const void *turn_read_data(const void *, size_t n, size_t *data_bytes);

/* Bytes of the message that begins here, in a stream; 0: not known yet, or no STUN. */
size_t turn_message_bytes(const void *, size_t n);

/* ---- addresses: RFC 7065 ---- */

struct turn_url {
	char host[256];
	int port;
	bool tls; /* turns */
	bool tcp; /* TCP or TLS; else UDP */
};

/* Read "turn:HOST[:PORT][?transport=udp|tcp]", or turns:. False: malformed. */
bool turn_url_read(const char *, struct turn_url *) MUST_CHECK;

#endif
