/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef BASE_BASE64_H
#define BASE_BASE64_H

#include <stddef.h>

#include "base/arena.h"

/* Nouns: base64url. */

const char *base64(struct arena *, const void *, size_t);    /* RFC 4648 §4 */
const char *base64url(struct arena *, const void *, size_t); /* §5, no padding */
/* Decode either alphabet, padded or not; NULL: it is neither. */
unsigned char *base64_read(struct arena *, const char *, size_t n, size_t *bytes);

#endif
