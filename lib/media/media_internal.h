#ifndef MEDIA_MEDIA_INTERNAL_H
#define MEDIA_MEDIA_INTERNAL_H

#include <stdbool.h>

#include "media/pcm.h"
#include "media/sniff.h"
#include "media/wire.h"

/*
 * What happens inside the child, which reads descriptor 0 and never frees: it
 * does one of these things, and ends.
 */
struct media_answer {
	struct wire head;
	const void *body;
	size_t bytes; /* of body */
};

/* Judge a file; see media_check(). */
void media_child_check(const char *mime_type, struct media_answer *);
/* Decode it; flags are WIRE_*; see media_decode(). */
void media_child_decode(
    const char *mime_type, int rate_hz, int max_s, int flags, struct media_answer *);
/* Encode raw float samples; UNDECODABLE: it failed; see media_encode(). */
void media_child_encode(const char *format, int rate_hz, struct media_answer *);

/* The still picture on descriptor 0, by this decoder: does all of it decode? */
bool picture_decodes(const char *decoder);
/* Fill in the format, and of a picture the codec. */
void media_child_name(struct wire *, const struct sniff_kind *);
/* In place; the sound keeps its length.  They may leave it as it was. */
void loudness_denoise(struct pcm *);
void loudness_normalise(struct pcm *);
/* No sample beyond that, none that is not a number. */
void loudness_bound(struct pcm *, float most);

#endif
