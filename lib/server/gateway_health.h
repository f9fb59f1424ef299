/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef SERVER_GATEWAY_HEALTH_H
#define SERVER_GATEWAY_HEALTH_H

#include "gateway/gateway.h"

/* The state of the gateway: its connections, tasks and speech detector. */
struct reply gateway_health(struct request *, const struct gateway *);

#endif
