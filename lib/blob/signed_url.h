/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef BLOB_SIGNED_URL_H
#define BLOB_SIGNED_URL_H

#include <stdint.h>

#include "base/arena.h"
#include "base/conf.h"

/*
 * Signed download addresses, {base_url}/blobs/<id>?expires=<s>&signature=<...>. The
 * holder may read that blob until then. The signature is an HMAC with a key of the
 * installation; nothing is stored.
 */

/* An address that is valid for blob.url_s from now on. */
const char *signed_url_make(
    const struct conf *, struct arena *, const char *blob_id, int64_t now_us);

/*
 * Remaining seconds of an address, at least 1; 0: invalid or expired.  expires and
 * signature: from the query; NULL: missing.
 */
int64_t signed_url_left(const struct conf *, struct arena *, const char *blob_id,
    const char *expires, const char *signature, int64_t now_us);

#endif
