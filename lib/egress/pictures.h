#ifndef EGRESS_PICTURES_H
#define EGRESS_PICTURES_H

#include <libavcodec/avcodec.h>

#include "media/picture_wire.h"

/* Pictures that wait until the sound beside them is heard; zero-initialise. */
struct pictures {
	struct picture_reader reader;
	struct waiting_picture *first, *last;
	size_t bytes;  /* of all */
	bool need_key; /* some were lost */
};

/* A message of media/picture_wire.h, whose times are later by base_us.  When too many
   wait all are lost; one whose times are none is passed over. */
void pictures_take(struct pictures *, int64_t base_us, const void *, size_t);
/* The first one, if it is to be decoded by then; NULL: none. */
const struct picture *pictures_due(const struct pictures *, int64_t time_us);
/* It was used. */
void pictures_drop(struct pictures *);
/* A copy for a muxer, at times of its own; owned.  NULL: no memory. */
AVPacket *pictures_packet(const struct picture *, int64_t pts, int64_t dts);
/* As a muxer wants it: H.264 of this head, which is copied, and size in pixels.  False:
   no memory. */
bool pictures_describe(
    AVCodecParameters *, const void *head, size_t n, int width, int height);

#endif
