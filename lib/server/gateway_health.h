/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef SERVER_GATEWAY_HEALTH_H
#define SERVER_GATEWAY_HEALTH_H

#include "gateway/gateway.h"

/* The gateway's connections, tasks, speech detector and connection to NATS. */
struct reply gateway_health(struct request *, const struct gateway *);

#endif
