/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef GATEWAY_CONNECT_LIMITER_H
#define GATEWAY_CONNECT_LIMITER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"

/* Connection rate per credential; used by one thread. */
struct connect_limiter;

/* Freed with the arena. */
struct connect_limiter *connect_limiter_new(struct arena *);
/*
 * True if one more connection may open, within LIMIT_CONNECTIONS; then it is counted.
 */
bool connect_limiter_admit(
    struct connect_limiter *, const char *credential, int64_t now_us);

#endif
