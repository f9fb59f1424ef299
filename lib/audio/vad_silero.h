/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef AUDIO_VAD_SILERO_H
#define AUDIO_VAD_SILERO_H

#include "audio/vad.h"
#include "base/conf.h"

/*
 * Speech by the Silero network, versions 5 and 6 (github.com/snakers4/silero-vad, MIT):
 * its input is the last 36 ms of sound at 16 kHz, of which 32 ms are new, and its own
 * state; its output is a probability. onnx.h runs it.
 */
struct silero;

/* The files of a network; NULL: there is none. */
struct silero_files {
	const char *library, *model;
};

/*
 * Returns the files of vad.library and vad.model. For an empty setting, the file that
 * `dragoman models get silero` has installed in models.dir, or one in a folder where
 * hosts keep such files.  NULL, also with "none".
 */
struct silero_files silero_find(struct arena *, const struct conf *);
/*
 * A detector for one stream, freed with the arena.  NULL: there are no files, or they
 * cannot be loaded, which is logged once for each process.
 */
struct silero *silero_new(struct arena *, const struct silero_files *);
/*
 * Add VAD_FRAME samples and return the probability of speech in the last 32 ms. -1: the
 * network failed; this was logged, and the network is not used again.
 */
float silero_frame(struct silero *, const int16_t *);
/* True if there is a network that could not be loaded. */
bool silero_missing(void);

#endif
