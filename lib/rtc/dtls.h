/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef RTC_DTLS_H
#define RTC_DTLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/err.h"

/*
 * DTLS 1.2 (RFC 6347) with use_srtp (RFC 5764), over datagrams that the caller
 * carries.
 */

/* Our certificate: self-signed, made at each start; for both roles. */
struct dtls_context;
#define DTLS_FINGERPRINT 96 /* bytes of a SHA-256 fingerprint, with NUL */

/* Freed with the arena, which must outlive all connections.  NULL: logged. */
struct dtls_context *dtls_context_new(struct arena *);
/* SHA-256, upper-case hex with colons. */
const char *dtls_context_fingerprint(const struct dtls_context *);

struct dtls_events {
	void (*send)(void *arg, const void *, size_t n); /* sends one datagram */
	/* receives one decrypted record */
	void (*data)(void *arg, const void *, size_t n);
};

enum dtls_state {
	DTLS_HANDSHAKE,
	DTLS_UP,
	DTLS_CLOSED, /* close_notify came */
	DTLS_FAILED,
};

struct dtls;
/* client: begins the handshake at once.  Freed by dtls_free(). */
struct dtls *dtls_new(struct arena *, struct dtls_context *, bool client,
    const struct dtls_events *, void *arg);
void dtls_free(struct dtls *); /* NULL is fine */

/* Receive one datagram; calls back. */
enum dtls_state dtls_put(struct dtls *, const void *, size_t n);
enum dtls_state dtls_state(const struct dtls *);
/* During the handshake, retransmits a lost flight when it is due. */
enum dtls_state dtls_tick(struct dtls *);
/* Microseconds until the next dtls_tick(); below 0: none. */
int64_t dtls_wait_us(struct dtls *);

bool dtls_send(struct dtls *, const void *, size_t n); /* false: it is not up */
void dtls_close(struct dtls *);                        /* sends close_notify */

/*
 * True if the peer's certificate has this fingerprint, of "sha-256", "sha-384" or
 * "sha-512" in any case.  Must be called before any of its data is trusted.
 */
bool dtls_is_from(struct dtls *, const char *hash, const char *fingerprint) MUST_CHECK;

/* The keys of SRTP (RFC 5764, 4.2), each followed by its salt. */
enum dtls_profile { DTLS_NO_SRTP, DTLS_AES128_CM_SHA1_80, DTLS_AEAD_AES_128_GCM };
struct dtls_keys {
	enum dtls_profile profile;
	unsigned char local[30], remote[30];
};
/* False: the handshake agreed on no profile. */
bool dtls_keys(struct dtls *, struct dtls_keys *) MUST_CHECK;

#endif
