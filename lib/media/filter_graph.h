#ifndef MEDIA_FILTER_GRAPH_H
#define MEDIA_FILTER_GRAPH_H

#include <libavutil/frame.h>
#include <stdbool.h>
#include <stddef.h>

/* A chain of libav's filters that mono float sound is sent through. */
struct filter_graph;

/* The filters as ffmpeg(1) writes them; NULL: it cannot be built. */
struct filter_graph *filter_graph_new(const char *filters, int rate_hz);
/*
 * Let n samples through, the last ones there are.  What comes out is handed to
 * `to` frame by frame, of at most frame_size samples (0: any) in the format the
 * filters end with.  False: something failed, `to` among it.
 */
bool filter_graph_run(struct filter_graph *, const float *, size_t n, int frame_size,
    bool (*to)(void *, AVFrame *), void *arg);

#endif
