/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef SERVER_GATEWAY_WATCHDOG_H
#define SERVER_GATEWAY_WATCHDOG_H

#include "gateway/gateway.h"

/*
 * Watch the event loop and the media threads from a thread that ends with the process.
 * One that has not completed a turn for 5 s becomes gateway.stalled. After 10 s the
 * gateway ends, so that cron or systemd starts it again. If the event loop still runs,
 * it ends as after SIGTERM, so tasks end and usage is booked; otherwise at once.
 */
void gateway_watchdog_start(struct gateway *);

#endif
