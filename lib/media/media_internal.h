/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef MEDIA_MEDIA_INTERNAL_H
#define MEDIA_MEDIA_INTERNAL_H

#include <stdbool.h>

#include "audio/pcm.h"
#include "media/wire.h"

/*
 * The child process: it reads descriptor 0, does one of these tasks and ends.  It frees
 * nothing.
 *
 *	media_decode.c  media_encode.c  the tasks
 *	source.c                        files -> frames
 *	mixer.c  loudness.c  filter_graph.c   frames -> mono, effects
 */
struct media_answer {
	struct wire head;
	const void *body;
	size_t bytes; /* bytes of body */
};

/* The programs of the child; their arguments are described in wire.h. */
/* Check a file; see media_check(). */
void media_child_check(char **args, struct media_answer *);
/* Before the sandbox: load what the filters of this decode need; false: logged. */
bool media_child_load(char **args);
/* Decode it; see media_decode(). */
void media_child_decode(char **args, struct media_answer *);
/* Encode raw float samples; UNDECODABLE: it failed; see media_encode(). */
void media_child_encode(char **args, struct media_answer *);

/* Remove noise in place; the length does not change. On failure the sound may be
   unchanged. */
void loudness_denoise(struct pcm *);
void loudness_normalise(struct pcm *);
/* Clip samples to -most .. most; NaN becomes 0. */
void loudness_bound(struct pcm *, float most);

#endif
