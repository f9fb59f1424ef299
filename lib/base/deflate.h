#ifndef BASE_DEFLATE_H
#define BASE_DEFLATE_H

#include <stddef.h>

#include "base/arena.h"

/* The bytes as one whole ZLIB stream (RFC 1950), at the speed of level 1. */
void *deflate_message(struct arena *, const void *, size_t n, size_t *bytes);

#endif
