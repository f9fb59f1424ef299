/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PIPELINE_OPUS_OUTPUT_H
#define PIPELINE_OPUS_OUTPUT_H

#include "audio/chunks.h"
#include "pipeline/pipeline_internal.h"

/*
 * Encodes the chunks of one language as Opus, once for all receivers: packets for each
 * chunk, and messages for sockets. A message has OPUS_OUTPUT_CHUNKS chunks, because
 * with one chunk a fifth of its bytes would be JSON. The first chunk of a group is a
 * message of its own, so that it is sent at once.
 */
#define OPUS_OUTPUT_CHUNKS 3

struct opus_output;

struct opus_output *opus_output_new(struct arena *);
/* Begin a group. on false: its chunks get no packets. */
void opus_output_begin(struct opus_output *, bool on);
bool opus_output_is_on(const struct opus_output *);
/* Set the packet loss at the receivers, in percent. */
void opus_output_loss(struct opus_output *, int percent);
/* Add the packets of the next chunk to the event, and a message if it is complete.
   audio: the chunk's message as PCM. */
void opus_output_put(struct opus_output *, const struct chunk *,
    const struct output_audio *, struct pipeline_payload *);

#endif
