#ifndef GATEWAY_RATES_H
#define GATEWAY_RATES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"

/* How often each credential connects; of one thread. */
struct rates;

/* Freed with the arena. */
struct rates *rates_new(struct arena *);
/* Whether one more connection is within LIMIT_CONNECTIONS; then it counts. */
bool rates_take(struct rates *, const char *credential, int64_t now_us);

#endif
