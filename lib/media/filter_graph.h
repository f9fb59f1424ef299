/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef MEDIA_FILTER_GRAPH_H
#define MEDIA_FILTER_GRAPH_H

#include <libavutil/frame.h>
#include <stdbool.h>
#include <stddef.h>

/* A chain of libav's filters for mono float sound. */
struct filter_graph;

/* Load libavfilter, before the calls below and before the sandbox; false: the reason is
   on the standard error. */
bool filter_graph_load(void);
/* The filters in the syntax of ffmpeg(1); NULL: it cannot be built. */
struct filter_graph *filter_graph_new(const char *filters, int rate_hz);
/* Filter n samples, and end the graph.  The output goes to `to`, in the format of the
   last filter.  False: a filter or `to` failed. */
bool filter_graph_run(struct filter_graph *, const float *, size_t n,
    bool (*to)(void *, AVFrame *), void *arg);

#endif
