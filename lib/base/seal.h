/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef BASE_SEAL_H
#define BASE_SEAL_H

#include "base/arena.h"
#include "base/hash.h"

/*
 * Stored form of secrets that the service must read back: AES-256-GCM (NIST SP
 * 800-38D) with a random nonce of 96 bits; nonce, text and tag in base64url.  Use a
 * key of conf_key() for one purpose only.
 */
const char *seal_text(
    struct arena *, const unsigned char key[SHA256_BYTES], const char *text);
/* NULL: it was changed, cut, or sealed with another key. */
const char *seal_open(
    struct arena *, const unsigned char key[SHA256_BYTES], const char *sealed);

#endif
