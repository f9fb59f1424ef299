/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef WEBRTC_CLIENT_HEARING_H
#define WEBRTC_CLIENT_HEARING_H

#include <stdbool.h>
#include <stdint.h>

#include "audio/opus_decoder.h"
#include "audio/rtp.h"
#include "base/buf.h"

#define HEARING_TRACKS 16

/* A track of the server, and the sound received on it. */
struct heard_track {
	char sid[32], name[80];
	uint32_t ssrc; /* 0: none yet */
	struct opus_decoder *decoder;
	struct buf sound; /* samples of SPOKEN_HZ, placed by timestamp */
	struct buf heard; /* sound that opus_decoder adds for losses */
	uint32_t first_ts;
	uint16_t first_seq;
	int32_t last; /* highest sequence number, counted from the first */
	unsigned packets;
	int64_t first_us, last_us; /* 0: nothing arrived yet */
};

struct hearing {
	struct arena *mem;
	struct heard_track tracks[HEARING_TRACKS];
	int n;
	unsigned unknown; /* packets that belong to no track */
};

/* Stores a track's name and source, from signalling or descriptions. */
void hearing_name(struct hearing *, const char *sid, const char *name);
void hearing_source(struct hearing *, const char *sid, uint32_t ssrc);
void hearing_take(struct hearing *, const struct rtp_packet *, int64_t now_us);
unsigned hearing_lost(const struct heard_track *);
/* Writes a WAV file for each received track: "{prefix}{name}.wav". */
bool hearing_write(const struct hearing *, const char *prefix);

#endif
