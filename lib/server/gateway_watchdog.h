/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef SERVER_GATEWAY_WATCHDOG_H
#define SERVER_GATEWAY_WATCHDOG_H

#include "gateway/gateway.h"

/*
 * Watch the event loop and the media threads from a thread that ends with the process.
 * One that has not turned for 5 s is gateway.stalled.  After 10 s the gateway ends, for
 * cron or systemd to start it again: as by SIGTERM, so that tasks end and are booked,
 * or at once where the event loop stands still.
 */
void gateway_watchdog_start(struct gateway *);

#endif
