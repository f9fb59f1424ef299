/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef AUDIO_OPUS_DECODER_H
#define AUDIO_OPUS_DECODER_H

#include <stddef.h>

#include "audio/opus_packets.h"
#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"

/*
 * Opus to 16 kHz mono by libopus, which mixes channels and limits the band itself.
 * Samples are appended to a buf as int16_t.  ERR_LIMIT: the buf has `most` bytes.
 */
struct opus_decoder;

struct opus_decoder *opus_decoder_new(struct arena *);
/* One packet, RFC 6716, at most 120 ms; ERR_REFUSED: not a packet. */
enum err opus_decoder_packet(
    struct opus_decoder *, const void *, size_t, struct buf *) MUST_CHECK;
/*
 * A packet after its struct opus_gap. Missing sound is filled in first, so that times
 * stay correct: up to OPUS_DECODER_GUESS_MS of lost sound is concealed, then comes
 * silence, and the last lost frame is decoded from its copy in this packet. Errors as
 * opus_decoder_packet(); then nothing is appended.
 */
#define OPUS_DECODER_GUESS_MS 100
enum err opus_decoder_received(
    struct opus_decoder *, const void *, size_t, struct buf *) MUST_CHECK;
/* Losses that opus_decoder_received() has counted so far. */
const struct opus_losses *opus_decoder_losses(const struct opus_decoder *);
/*
 * A piece of an Ogg Opus stream, RFC 7845, cut anywhere.  The first stream with Opus of
 * one or two channels is decoded, and the streams chained after it.  Damaged pages and
 * packets are skipped.  ERR_REFUSED: no Opus, or a packet of over a megabyte.
 */
enum err opus_decoder_stream(
    struct opus_decoder *, const void *, size_t, struct buf *, size_t most) MUST_CHECK;
/*
 * Also decode the following packets at SPOKEN_HZ into this buf (borrowed). NULL: stop.
 */
void opus_decoder_fine(struct opus_decoder *, struct buf *);
/* Reset: another stream begins. */
void opus_decoder_restart(struct opus_decoder *);

#endif
