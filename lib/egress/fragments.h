#ifndef EGRESS_FRAGMENTS_H
#define EGRESS_FRAGMENTS_H

#include <libavformat/avformat.h>
#include <stdbool.h>

/*
 * Write the head of a muxer whose streams are there: MP4 in fragments, which its caller
 * cuts, with times as they are put, wherever they begin; other formats as they are.
 * There is no end: what it has to say is said in the fragments, and none is kept in
 * memory.
 */
bool fragments_begin(AVFormatContext *);

#endif
