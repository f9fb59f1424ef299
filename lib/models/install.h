/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef MODELS_INSTALL_H
#define MODELS_INSTALL_H

#include "base/conf.h"
#include "models/catalogue.h"

/*
 * Installed models. Each has a folder NAME in models.dir with its files and their sums,
 * SHA256SUMS. The folder `downloads` has unfinished downloads; `known-sums` has the
 * sums of first downloads when the catalogue gives none.
 */
struct models {
	struct arena *mem;
	const struct conf *conf;
	struct catalogue catalogue;
	int lock; /* file descriptor of models_lock(); -1: not held */
	/* Report a step to the operator. */
	void (*say)(const char *line);
	void (*progress)(void *arg, int64_t bytes, int64_t of);
	const char *why; /* the reason of the last failure */
};

/* Read the catalogue. False, with ->why: it cannot be read. */
bool models_open(struct models *, struct arena *, const struct conf *) MUST_CHECK;
/* Create models.dir and lock it against other processes. False, with ->why. */
bool models_lock(struct models *) MUST_CHECK;
void models_unlock(struct models *);

bool models_has(const struct models *, const struct model_row *);
/* True if the disk has enough room for these rows. */
bool models_has_room(struct models *, const struct model_row *const *, size_t n);
/* True if the processor has the features that the row needs. */
bool models_fits_cpu(struct models *, const struct model_row *);
/*
 * Download from the first reachable source, check the sums, unpack, convert, and
 * install in one step. False, with ->why: nothing was installed. The next call
 * continues an unfinished download.
 */
bool models_install(struct models *, const struct model_row *) MUST_CHECK;
bool models_remove(struct models *, const struct model_row *) MUST_CHECK;
/* Compare a model's files with their sums. */
bool models_verify(struct models *, const struct model_row *) MUST_CHECK;

/*
 * Write the row's settings to dragoman.conf, or remove them, and report each change.
 * False, with ->why: the file is unchanged.
 */
bool models_configure(struct models *, const struct model_row *, bool in) MUST_CHECK;

#endif
