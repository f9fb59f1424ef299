/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef EGRESS_MIX_H
#define EGRESS_MIX_H

#include "audio/opus_packets.h"
#include "egress/egress.h"
#include "media/picture_wire.h"

/*
 * Mixes the sound of each language: its translation above the original, which is
 * delayed by the order's delay and lowered while the translation is audible. "original"
 * is the original alone.
 */
struct mix;

struct mix *mix_new(struct arena *, const struct egress_order *);
/* Add packets (copied) of order->codes[i], or of the original: i = order->n. */
void mix_put(struct mix *, size_t i, struct opus_packets, bool last);
/* Add packets of the original with their time in us. */
void mix_put_original(struct mix *, int64_t time_us, struct opus_packets);
/* The original's time at the beginning of this tick; false: not known yet. */
bool mix_time(const struct mix *, int64_t *us);
void mix_flush(struct mix *, size_t i);
/* Begin the next tick. */
void mix_step(struct mix *);
/* The tick's samples in a language, -1 to 1. */
void mix_sound(struct mix *, size_t i, float to[EGRESS_TICK]);

/* Pictures that wait until the sound beside them is played; zero-initialise. */
struct picture_queue {
	struct picture_reader reader;
	struct waiting_picture *first, *last;
	size_t bytes;  /* bytes of all packets */
	bool need_key; /* some were lost */
};

/* Add a message of media/picture_wire.h; base_us is added to its times.  When too many
   pictures wait, all are dropped.  A picture without valid times is ignored. */
void picture_queue_add(struct picture_queue *, int64_t base_us, const void *, size_t);
/* The first picture, if it must be decoded by time_us; else NULL. */
const struct picture *picture_queue_first(
    const struct picture_queue *, int64_t time_us);
/* Remove the first picture. */
void picture_queue_drop(struct picture_queue *);

#endif
