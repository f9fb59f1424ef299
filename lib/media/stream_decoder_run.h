/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef MEDIA_STREAM_DECODER_RUN_H
#define MEDIA_STREAM_DECODER_RUN_H

#include <stdbool.h>

/*
 * Decode a stream of that format (stream_decoder.h) from standard input until it ends;
 * false: there is no such format.  It runs in a separate process: see
 * stream_decoder_wire.h.
 */
bool stream_decoder_run(const char *format);

#endif
