/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef SERVER_GATEWAY_HEALTH_H
#define SERVER_GATEWAY_HEALTH_H

#include "gateway/gateway.h"

/* How the gateway fares: its connections and tasks, its detector of speech. */
struct reply gateway_health(struct request *, const struct gateway *);

#endif
