/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef RTC_STUN_MESSAGE_H
#define RTC_STUN_MESSAGE_H

/*
 * The parts of STUN (RFC 8489) that ICE and TURN share: attributes, integrity and
 * fingerprints. Only for stun.c and turn.c.
 */
#include "base/hash.h"
#include "rtc/stun.h"

/* Nouns: attribute, cursor, message. */

#define STUN_HEAD 20
#define STUN_OPTIONAL 0x8000 /* attributes from here on may be unknown */

enum stun_attribute {
	STUN_USERNAME = 0x0006,
	STUN_MESSAGE_INTEGRITY = 0x0008,
	STUN_ERROR_CODE = 0x0009,
	STUN_UNKNOWN_ATTRIBUTES = 0x000a,
	STUN_XOR_PEER_ADDRESS = 0x0012,
	STUN_DATA = 0x0013,
	STUN_REALM = 0x0014,
	STUN_NONCE = 0x0015,
	STUN_REQUESTED_TRANSPORT = 0x0019,
	STUN_XOR_MAPPED_ADDRESS = 0x0020,
	STUN_PRIORITY = 0x0024,
	STUN_USE_CANDIDATE = 0x0025,
	STUN_FINGERPRINT = 0x8028,
	STUN_ICE_CONTROLLED = 0x8029,
	STUN_ICE_CONTROLLING = 0x802a,
};

/* ---- reading: attributes, one after the other ---- */

struct stun_cursor {
	const unsigned char *bytes, *value;
	/* at: offset of the attribute; next: offset of the following one */
	size_t n, at;
	size_t next;
	unsigned type;
	size_t size; /* size of the value, without padding */
};

/* A cursor before the first attribute of n bytes. */
struct stun_cursor stun_cursor(const void *, size_t n);
/* True if the bytes are a whole message of this type, by its header. */
bool stun_message_is(const void *, size_t n, unsigned type);
/* Go to the next attribute. False: there is none, or it is longer than the message. */
bool stun_cursor_next(struct stun_cursor *);
/* Check FINGERPRINT, the last attribute, which covers all before it. */
bool stun_cursor_is_fingerprint(const struct stun_cursor *);
/* Check the MESSAGE-INTEGRITY at this offset, in constant time. */
bool stun_message_is_from(
    const unsigned char *, size_t at, const void *key, size_t key_bytes);
/* Read an XORed address. False: malformed. */
bool stun_cursor_address(const struct stun_cursor *, struct sockaddr_storage *to);

/* ---- writing ---- */

/* A message being written. The length in its header is correct after each put. */
struct stun_message {
	unsigned char *p; /* buffer of the caller, large enough */
	size_t n;
};

struct stun_message stun_message(
    unsigned char *to, unsigned type, const unsigned char *id);
/* Add an attribute; returns the place of its value, whose padding is zero. */
unsigned char *stun_message_put(struct stun_message *, unsigned type, size_t n);
void stun_message_put_address(
    struct stun_message *, unsigned type, const struct sockaddr *);
void stun_message_sign(struct stun_message *, const void *key, size_t key_bytes);
void stun_message_print(struct stun_message *); /* FINGERPRINT, the last attribute */

#endif
