/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef MEDIA_MIXER_H
#define MEDIA_MIXER_H

#include <libavutil/frame.h>
#include <libswresample/swresample.h>
#include <stdbool.h>

#include "audio/downmix.h"

/*
 * Converts frames to mono, at one rate and in one format.  Two channels that cancel
 * each other are mixed as downmix.h does.
 */
struct mixer {
	int to_hz;
	enum AVSampleFormat to; /* FLT or S16 */
	SwrContext *swr;        /* NULL: no input yet */
	AVChannelLayout layout; /* layout, format and rate of the input */
	enum AVSampleFormat format;
	int rate_hz;
	bool pairs; /* true for two channels */
	struct downmix mixing;
	float *both; /* pairs at to_hz; av_free() it */
	unsigned both_bytes;
};

/* True if the mixer is configured for frames like this one. */
bool mixer_fits(const struct mixer *, const AVFrame *);
/* Configure it for such frames; buffered samples are lost. False: it failed. */
bool mixer_tune(struct mixer *, const AVFrame *);
/* The most samples that a frame makes; NULL: the number of buffered ones. */
int mixer_most(const struct mixer *, const AVFrame *);
/*
 * Convert a frame, or with NULL the buffered samples.  Returns the samples written,
 * < 0: an error.  Samples without room are buffered.
 */
int mixer_run(struct mixer *, const AVFrame *, void *to, int room);

#endif
