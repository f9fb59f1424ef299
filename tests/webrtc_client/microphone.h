/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef WEBRTC_CLIENT_MICROPHONE_H
#define WEBRTC_CLIENT_MICROPHONE_H

#include "base/arena.h"
#include "rtc/rtc.h"

/* Sends a recording as Opus, 20 ms a packet, in real time, and then silence. */
struct microphone;

/* file: WAV of 16 bits; NULL: silence only. Returns NULL if the file cannot be read. */
struct microphone *microphone_open(struct arena *, const char *file);
uint32_t microphone_ssrc(const struct microphone *);
/* Send packets that are due. The recording begins when `speaks` is first true. */
void microphone_tick(
    struct microphone *, struct rtc_peer *, bool speaks, int64_t now_us);
unsigned microphone_packets(const struct microphone *);
bool microphone_is_over(const struct microphone *); /* the recording */

#endif
