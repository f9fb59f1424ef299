/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef RTC_SRTP_H
#define RTC_SRTP_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/err.h"
#include "rtc/dtls.h"

/* SRTP and SRTCP (RFC 3711, RFC 7714) of one peer connection, any SSRCs. */
struct packet_cipher;

#define PACKET_CIPHER_ROOM 148 /* bytes that a packet may grow by */

/* NULL, and logged: the library failed. Freed by packet_cipher_free(). */
struct packet_cipher *packet_cipher_new(struct arena *, const struct dtls_keys *);
/* A packet will be sent soon: fetch what it needs into the processor's caches. */
void packet_cipher_prefetch(const struct packet_cipher *);
void packet_cipher_free(struct packet_cipher *); /* NULL is fine */

/*
 * Encrypt or decrypt n bytes in place, with PACKET_CIPHER_ROOM after them; aligned to 4
 * bytes. Returns the new length; 0: not possible, or a received packet is forged,
 * repeated or too old.
 */
size_t packet_cipher_protect(struct packet_cipher *, unsigned char *, size_t n);
size_t packet_cipher_protect_rtcp(struct packet_cipher *, unsigned char *, size_t n);
size_t packet_cipher_unprotect(struct packet_cipher *, unsigned char *, size_t n);
size_t packet_cipher_unprotect_rtcp(struct packet_cipher *, unsigned char *, size_t n);

#endif
