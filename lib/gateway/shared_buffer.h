/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef GATEWAY_SHARED_BUFFER_H
#define GATEWAY_SHARED_BUFFER_H

#include <stddef.h>

#include "base/arena.h"

/* A message to one or many connections.  Freed with its last reference. */
struct shared_buffer;
struct shared_buffer *shared_buffer_new(const char *, size_t n); /* text */
struct shared_buffer *shared_buffer_binary(const void *, size_t n);
const char *shared_buffer_bytes(const struct shared_buffer *, size_t *n);
void shared_buffer_drop(struct shared_buffer *); /* the creator's reference */

#endif
