/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef EGRESS_MUXER_H
#define EGRESS_MUXER_H

#include <libavformat/avformat.h>
#include <stdbool.h>

#include "media/picture_wire.h"

/* Muxers of libavformat as the sinks use them. */

/*
 * Write the container's header once all streams are known.  MP4 is written in
 * fragments, which the caller cuts; timestamps may begin anywhere.  There is no
 * trailer: the fragments hold all that it would say, and the muxer keeps none of them
 * in memory.
 */
bool muxer_begin(AVFormatContext *);
/* Parameters of an H.264 stream with this head, which is copied, and this size in
   pixels.  False: no memory. */
bool muxer_describe_picture(
    AVCodecParameters *, const void *head, size_t n, int width, int height);
/* A copy of a picture with its own timestamps, owned by the caller.  NULL: no memory.
 */
AVPacket *muxer_picture_packet(const struct picture *, int64_t pts, int64_t dts);

#endif
