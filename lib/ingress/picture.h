#ifndef INGRESS_PICTURE_H
#define INGRESS_PICTURE_H

#include <libavformat/avformat.h>

#include "media/picture_wire.h"

/*
 * The picture beside the sound of a stream that comes in, H.264, passed on as it is:
 * not decoded, only its parameter sets are read.
 */
struct picture_track;

/* NULL: it is none that can be passed on. */
struct picture_track *picture_track_new(struct arena *, const AVStream *);
/*
 * Give put() what the packet (which stays the caller's) makes; offset_us: from its
 * times to those of struct picture.  Nothing comes before the first parameter sets.
 */
void picture_track_put(struct picture_track *, const AVPacket *, int64_t offset_us,
    void (*put)(void *, const struct picture *), void *);
/* NULL is fine. */
void picture_track_free(struct picture_track *);

#endif
