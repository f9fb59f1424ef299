/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef BASE_HASH_H
#define BASE_HASH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"

/* Nouns: crc, hex, hmac, random, same. */

#define SHA256_BYTES 32

/* SHA-256 (FIPS 180-4) of a stream.  The object lives in the arena. */
struct sha256;
struct sha256 *sha256_new(struct arena *);
void sha256_put(struct sha256 *, const void *, size_t);
const char *sha256_hex(struct arena *, struct sha256 *); /* ends it; 64 digits */

const char *hash_hex(struct arena *, const void *, size_t); /* SHA-256, 64 digits */
/* HMAC-SHA256, RFC 2104. */
void hmac(const void *key, size_t, const void *, size_t, unsigned char[SHA256_BYTES]);
/* HMAC-SHA1, RFC 2104, for protocols that know nothing else. */
#define SHA1_BYTES 20
void hmac_sha1(
    const void *key, size_t, const void *, size_t, unsigned char[SHA1_BYTES]);
/* MD5, RFC 1321, for keys of TURN alone: RFC 8489, 9.2.2. */
#define MD5_BYTES 16
void hash_md5(const void *, size_t, unsigned char[MD5_BYTES]);
/*
 * SipHash-2-4 of 64 bits (Aumasson and Bernstein 2012): the place of an untrusted name
 * in a table.  Without the key, an attacker cannot find names that collide.
 */
#define SIPHASH_KEY_BYTES 16
uint64_t hash_keyed(const unsigned char key[SIPHASH_KEY_BYTES], const void *, size_t);
/* keyed hash with a random key of this process */
uint64_t hash_own(const void *, size_t);
uint32_t crc(const void *, size_t); /* CRC-32 of ISO 3309, as in zlib */
bool same_bytes(const void *, const void *, size_t); /* compares in constant time */

const char *hex(struct arena *, const void *, size_t);
/* The value of a hexadecimal digit; -1: it is none. */
int hex_digit(char);

/* Fill with random bytes from the system's generator. */
void random_bytes(void *, size_t);

/* Nouns: deflate. */

/* The bytes as one whole ZLIB stream (RFC 1950), at the speed of level 1. */
void *deflate_message(struct arena *, const void *, size_t n, size_t *bytes);

#endif
