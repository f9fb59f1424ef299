/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef WEBRTC_CLIENT_RELAY_H
#define WEBRTC_CLIENT_RELAY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "rtc/ice.h"

/* A relay between one peer connection and the server that loses datagrams at random. */
struct relay;

/* *server becomes the relay's address. NULL: no socket could be opened. */
struct relay *relay_open(
    struct arena *, struct ice_candidate *server, int loss_in, int loss_out);
/* Passes datagrams on; dark: all are lost. */
void relay_turn(struct relay *, bool dark);
/* Datagrams lost so far. */
uint64_t relay_lost(const struct relay *);
int relay_fd(const struct relay *, int i); /* i: 0, 1 */

#endif
