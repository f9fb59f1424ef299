#ifndef MEDIA_MIXER_H
#define MEDIA_MIXER_H

#include <libavutil/frame.h>
#include <libswresample/swresample.h>
#include <stdbool.h>

/* Frames on their way to mono, at one rate and in one format. */
struct mixer {
	int to_hz;
	enum AVSampleFormat to;
	SwrContext *swr;        /* NULL: it was fed nothing yet */
	AVChannelLayout layout; /* these three: what swr is fed */
	enum AVSampleFormat format;
	int rate_hz;
};

/* Whether it is made for frames like this one. */
bool mixer_fits(const struct mixer *, const AVFrame *);
/* Make it so; what it held of earlier ones is lost.  False: it cannot be. */
bool mixer_tune(struct mixer *, const AVFrame *);
/* How many samples a frame makes, at most; with NULL what is still held. */
int mixer_most(const struct mixer *, const AVFrame *);
/*
 * Take in a frame, or let go with NULL what is still held: so many samples, or < 0:
 * an error.  What there is no room for is kept for the next time.
 */
int mixer_run(struct mixer *, const AVFrame *, void *to, int room);

#endif
