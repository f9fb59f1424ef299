#ifndef MEDIA_MEDIA_INTERNAL_H
#define MEDIA_MEDIA_INTERNAL_H

#include <stdbool.h>

#include "media/pcm.h"
#include "media/sniff.h"
#include "media/wire.h"

/*
 * The child process: it reads descriptor 0, does one of these tasks and ends.  It frees
 * nothing.
 *
 *	check.c  decode.c  encode.c    the tasks
 *	source.c  picture.c            files -> frames
 *	mixer.c  loudness.c  filter_graph.c   frames -> mono, effects
 */
struct media_answer {
	struct wire head;
	const void *body;
	size_t bytes; /* of body */
};

/* The arguments are those of wire.h. */
/* Check a file; see media_check(). */
void media_child_check(char **args, struct media_answer *);
/* Decode it; see media_decode(). */
void media_child_decode(char **args, struct media_answer *);
/* Encode raw float samples; UNDECODABLE: it failed; see media_encode(). */
void media_child_encode(char **args, struct media_answer *);

/* Whether this decoder decodes the picture on descriptor 0 completely. */
bool picture_decodes(const char *decoder);
/* Fill in the format, once the verdict is known, and of a picture the codec; NULL: name
   what was found instead. */
void media_child_name(struct wire *, const struct sniff_kind *);
/* In place; the length does not change.  On failure the sound may stay as it was. */
void loudness_denoise(struct pcm *);
void loudness_normalise(struct pcm *);
/* Clip samples to -most .. most; NaN becomes 0. */
void loudness_bound(struct pcm *, float most);

#endif
