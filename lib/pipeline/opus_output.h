/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PIPELINE_OPUS_OUTPUT_H
#define PIPELINE_OPUS_OUTPUT_H

#include "audio/chunks.h"
#include "pipeline/pipeline_internal.h"

/*
 * Chunks of one language as Opus, encoded once for all receivers: packets for each
 * chunk, and messages for sockets. A message has OPUS_OUTPUT_CHUNKS chunks, because
 * with one chunk the JSON members would take a fifth of the bytes. Only the first chunk
 * of a group is sent at once.
 */
#define OPUS_OUTPUT_CHUNKS 3

struct opus_output;

struct opus_output *opus_output_new(struct arena *);
/* A group begins.  on false: its chunks get no packets. */
void opus_output_begin(struct opus_output *, bool on);
bool opus_output_is_on(const struct opus_output *);
/* Loss at the receivers, percent. */
void opus_output_loss(struct opus_output *, int percent);
/* Add packets, and perhaps a message, of the next chunk.  audio: its message as PCM. */
void opus_output_put(struct opus_output *, const struct chunk *,
    const struct output_audio *, struct pipeline_payload *);

#endif
