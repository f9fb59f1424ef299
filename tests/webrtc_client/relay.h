/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef WEBRTC_CLIENT_RELAY_H
#define WEBRTC_CLIENT_RELAY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "rtc/ice.h"

/* Between one peer connection and the server: loses datagrams at random. */
struct relay;

/* *server becomes the address of the relay.  NULL: there is no socket. */
struct relay *relay_open(
    struct arena *, struct ice_candidate *server, int loss_in, int loss_out);
/* dark: whatever comes is lost. */
void relay_turn(struct relay *, bool dark);
/* Datagrams lost so far. */
uint64_t relay_lost(const struct relay *);
int relay_fd(const struct relay *, int i); /* i: 0, 1 */

#endif
