#ifndef MEDIA_PICTURE_WIRE_H
#define MEDIA_PICTURE_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

/*
 * A coded picture of a stream, cut into messages of at most PICTURE_MESSAGE_MOST bytes,
 * which come in order: H.264 as a byte stream (Annex B) between processes that do not
 * decode it.
 */
#define PICTURE_MESSAGE_MOST 60000
#define PICTURE_MOST ((size_t)8 << 20) /* bytes of one */

struct picture {
	bool key;          /* decoding can begin here */
	int64_t pts, dts;  /* us; of the stream's sound, whose begin is 0 */
	int width, height; /* pixels */
	/* Parameter sets (SPS, PPS); then the picture.  Borrowed. */
	const unsigned char *head, *bytes;
	size_t n_head, n;
};

/* The next message of a picture, behind what the buf has; *done: bytes of it that are
   in messages, 0 at first.  False: all are. */
bool picture_message(const struct picture *, size_t *done, struct buf *);

/* Whether a message begins one where decoding can begin. */
bool picture_message_is_key(const void *, size_t);

/* Zero-initialise; of mem. */
struct picture_reader {
	struct arena *mem; /* owned; NULL: no picture has begun */
	struct buf bytes;
	struct picture is;
};

/*
 * Take a message.  True: the picture is whole, and can be read until the next call.
 * One that is damaged, or has no beginning, is passed over.  A caller that zeroes the
 * reader then owns its mem, and with it the picture.
 */
bool picture_take(struct picture_reader *, const void *, size_t, struct picture *);
void picture_reader_free(struct picture_reader *);

#endif
