#ifndef INGRESS_QUIET_TRACK_H
#define INGRESS_QUIET_TRACK_H

#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "media/mixer.h"

/*
 * A track of sound that is not taken.  It is decoded only while it is asked for.
 * Zero-initialise.
 */
struct quiet_track {
	bool left; /* it comes before the one that is taken, and says nothing */
	AVCodecContext *dec;
	struct mixer mixer;
};

/* True if a packet of the track has sound. */
bool quiet_track_sounds(struct quiet_track *, const AVStream *, const AVPacket *);
/* Whether samples have none: less than a microphone that nothing is said to. */
bool quiet_track_silent(const int16_t *, size_t n);
/* End the decoder; the track is not left any more. */
void quiet_track_free(struct quiet_track *);

#endif
