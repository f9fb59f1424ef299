#ifndef SERVER_CONNECT_LIMITER_H
#define SERVER_CONNECT_LIMITER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"

/* How often each credential connects; of one thread. */
struct connect_limiter;

/* Freed with the arena. */
struct connect_limiter *connect_limiter_new(struct arena *);
/* Whether one more connection is within LIMIT_CONNECTIONS; then it counts. */
bool connect_limiter_take(
    struct connect_limiter *, const char *credential, int64_t now_us);

#endif
