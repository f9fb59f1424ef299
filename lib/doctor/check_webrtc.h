/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DOCTOR_CHECK_WEBRTC_H
#define DOCTOR_CHECK_WEBRTC_H

#include "doctor/check.h"
#include "rtc/ice.h"
#include "rtc/stun.h"

/* Shared by the checks of WebRTC and TURN. */

bool check_webrtc_is_on(const struct check *);
/* The addresses that clients get. */
const struct ice_candidate *check_webrtc_candidates(const struct check *, size_t *n);
/*
 * Write a connectivity check that the gateway of this installation answers. Returns its
 * length.
 */
size_t check_webrtc_request(
    const struct check *, struct stun_check *, unsigned char to[STUN_ROOM]);

#endif
