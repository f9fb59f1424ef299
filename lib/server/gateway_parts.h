/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef SERVER_GATEWAY_PARTS_H
#define SERVER_GATEWAY_PARTS_H

#include "gateway/gateway.h"

/* Set gateway.sinks and gateway.channels: before the threads start. */
void gateway_parts(struct gateway *);

#endif
