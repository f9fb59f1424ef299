/* SPDX-License-Identifier: GPL-3.0-or-later */
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

/* Append the next message of a picture to the buf.  *done: bytes of the picture that
   are in messages already, 0 at first.  False: no message is left. */
bool picture_message(const struct picture *, size_t *done, struct buf *);

/* True if the message begins a picture at which decoding can begin. */
bool picture_message_is_key(const void *, size_t);

/* Zero-initialise. */
struct picture_reader {
	struct arena *mem; /* owned; NULL: no picture has begun */
	struct buf bytes;
	struct picture is;
};

/*
 * Read a message.  True: the picture is complete and valid until the next call.  A
 * picture that is damaged or lacks its beginning is skipped.  A caller that zeroes the
 * reader then owns its mem, and with it the picture.
 */
bool picture_receive(struct picture_reader *, const void *, size_t, struct picture *);
void picture_reader_free(struct picture_reader *);

#endif
