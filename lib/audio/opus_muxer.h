/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef AUDIO_OPUS_MUXER_H
#define AUDIO_OPUS_MUXER_H

#include "audio/opus_packets.h"
#include "base/arena.h"
#include "base/buf.h"

/*
 * Opus packets of OPUS_PACKETS_MS, mono, as a stream of Ogg pages (RFC 7845) by libogg.
 * A receiver may begin with any page, after the head.
 */
struct opus_muxer;

struct opus_muxer *opus_muxer_new(struct arena *);
/* Append the pages that each receiver gets first. */
void opus_muxer_head(const struct opus_muxer *, struct buf *);
/* Add a packet of one frame to the next page. */
void opus_muxer_put(struct opus_muxer *, const struct opus_packet *);
/* Append a page with all packets added since the last one, up to 255. */
void opus_muxer_page(struct opus_muxer *, struct buf *);

#endif
