/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * libavfilter needs 32 libraries that nothing else here needs, a third of the time in
 * which dragoman-media starts.  So it is loaded only for a sound that is filtered.
 */
#include "media/filter_graph.h"

#include <dlfcn.h>
#include <libavfilter/avfilter.h>
#include <libavfilter/buffersink.h>
#include <libavfilter/buffersrc.h>
#include <libavutil/macros.h>
#include <libavutil/mem.h>
#include <stdio.h>
#include <string.h>

#define LIBRARY "libavfilter.so." AV_STRINGIFY(LIBAVFILTER_VERSION_MAJOR)
#define STEP 4096 /* samples at a time */

/* The functions of the library. */
#define CALLS(X)                                                                       \
	X(avfilter_get_by_name)                                                        \
	X(avfilter_graph_alloc)                                                        \
	X(avfilter_graph_config)                                                       \
	X(avfilter_graph_create_filter)                                                \
	X(avfilter_graph_parse_ptr)                                                    \
	X(avfilter_inout_alloc)                                                        \
	X(av_buffersink_get_frame)                                                     \
	X(av_buffersrc_add_frame)

#define MEMBER(name) __typeof__(name) *name;
static struct {
	CALLS(MEMBER)
} lib;

bool
filter_graph_load(void)
{
	void *so = dlopen(LIBRARY, RTLD_LAZY | RTLD_LOCAL);

#define FIND(name)                                                                     \
	if (so == NULL || (*(void **)&lib.name = dlsym(so, #name)) == NULL) {          \
		fprintf(stderr, "%s\n", dlerror());                                    \
		return false;                                                          \
	}
	CALLS(FIND)
	return true;
}

struct filter_graph {
	AVFilterGraph *graph;
	AVFilterContext *in, *out;
	int rate_hz;
};

static bool
connect(struct filter_graph *c, const char *filters)
{
	AVFilterInOut *outs = lib.avfilter_inout_alloc(),
		      *ins = lib.avfilter_inout_alloc();

	if (outs == NULL || ins == NULL)
		return false;
	*outs = (AVFilterInOut){ .name = av_strdup("in"), .filter_ctx = c->in };
	*ins = (AVFilterInOut){ .name = av_strdup("out"), .filter_ctx = c->out };
	return lib.avfilter_graph_parse_ptr(c->graph, filters, &ins, &outs, NULL) >=
		   0 &&
	       lib.avfilter_graph_config(c->graph, NULL) >= 0;
}

struct filter_graph *
filter_graph_new(const char *filters, int rate_hz)
{
	struct filter_graph *c = av_mallocz(sizeof(*c));
	char args[96];

	if (c == NULL || (c->graph = lib.avfilter_graph_alloc()) == NULL)
		return NULL;
	c->rate_hz = rate_hz;
	c->graph->nb_threads = 1;
	snprintf(args, sizeof(args),
	    "sample_rate=%d:sample_fmt=flt:channel_layout=mono:time_base=1/%d", rate_hz,
	    rate_hz);
	if (lib.avfilter_graph_create_filter(&c->in,
		lib.avfilter_get_by_name("abuffer"), "in", args, NULL, c->graph) < 0 ||
	    lib.avfilter_graph_create_filter(&c->out,
		lib.avfilter_get_by_name("abuffersink"), "out", NULL, NULL,
		c->graph) < 0 ||
	    !connect(c, filters))
		return NULL;
	return c;
}

/* Push one step of the sound; n 0: the end of the sound. */
static bool
push(struct filter_graph *c, const float *s, size_t n, size_t at)
{
	AVFrame *f = av_frame_alloc();
	bool done;

	if (f == NULL || n == 0) {
		av_frame_free(&f);
		return n == 0 && lib.av_buffersrc_add_frame(c->in, NULL) >= 0;
	}
	f->format = AV_SAMPLE_FMT_FLT;
	f->sample_rate = c->rate_hz;
	f->ch_layout = (AVChannelLayout)AV_CHANNEL_LAYOUT_MONO;
	f->nb_samples = (int)n;
	f->pts = (int64_t)at;
	done = av_frame_get_buffer(f, 0) >= 0;
	if (done) {
		memcpy(f->data[0], s, n * sizeof(*s));
		done = lib.av_buffersrc_add_frame(c->in, f) >= 0;
	}
	av_frame_free(&f);
	return done;
}

/* Pass on finished frames, if there are any; false: failure. */
static bool
pull(struct filter_graph *c, bool (*to)(void *, AVFrame *), void *arg)
{
	AVFrame *f = av_frame_alloc();
	bool fine = f != NULL;
	int e = 0;

	while (fine && (e = lib.av_buffersink_get_frame(c->out, f)) >= 0) {
		fine = to(arg, f);
		av_frame_unref(f);
	}
	av_frame_free(&f);
	return fine && (e == AVERROR(EAGAIN) || e == AVERROR_EOF);
}

bool
filter_graph_run(struct filter_graph *c, const float *s, size_t n,
    bool (*to)(void *, AVFrame *), void *arg)
{
	for (size_t at = 0; at < n; at += STEP)
		if (!push(c, s + at, n - at < STEP ? n - at : STEP, at) ||
		    !pull(c, to, arg))
			return false;
	return push(c, NULL, 0, n) && pull(c, to, arg);
}
