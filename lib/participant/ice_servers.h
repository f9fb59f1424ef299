/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PARTICIPANT_ICE_SERVERS_H
#define PARTICIPANT_ICE_SERVERS_H

#include "base/conf.h"
#include "livekit/signal.h"

/*
 * The STUN and TURN servers of rtc.ice_servers, at most 8, in the arena. With
 * rtc.turn_secret those of TURN have credentials for this id, valid for
 * rtc.turn_life_s: the username is "{unix seconds of their end}:{id}".
 */
const struct signal_ice_server *ice_servers(
    const struct conf *, struct arena *, const char *id, size_t *n);

#endif
