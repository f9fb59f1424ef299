/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef MODELS_INSTALL_H
#define MODELS_INSTALL_H

#include "base/conf.h"
#include "models/catalogue.h"

/*
 * Installed models: a folder NAME in models.dir for each, with its files and their
 * sums, SHA256SUMS.  `downloads` has what is not installed yet, `known-sums` the sums
 * of first downloads for which the catalogue has none.
 */
struct models {
	struct arena *mem;
	const struct conf *conf;
	struct catalogue catalogue;
	int lock; /* of models_lock(); -1: not held */
	/* Report a step to the operator. */
	void (*say)(const char *line);
	void (*progress)(void *arg, int64_t bytes, int64_t of);
	const char *why; /* the reason of the last failure */
};

/* False, with ->why: the catalogue cannot be read. */
bool models_open(struct models *, struct arena *, const struct conf *) MUST_CHECK;
/* Make the folder, and let no other process change it.  False, with ->why. */
bool models_lock(struct models *) MUST_CHECK;
void models_unlock(struct models *);

bool models_has(const struct models *, const struct model_row *);
/* Enough room for these rows? */
bool models_has_room(struct models *, const struct model_row *const *, size_t n);
/* True if the processor has what the row's library needs. */
bool models_fits_cpu(struct models *, const struct model_row *);
/*
 * Download from the first source that can be reached, check the sums, unpack, convert,
 * and put it into its place in one step.  False, with ->why: nothing was installed;
 * an unfinished download is continued by the next call.
 */
bool models_install(struct models *, const struct model_row *) MUST_CHECK;
bool models_remove(struct models *, const struct model_row *) MUST_CHECK;
/* Compare its files with their sums. */
bool models_verify(struct models *, const struct model_row *) MUST_CHECK;

/*
 * Write the row's settings to dragoman.conf, or take them out, and report each change.
 * False, with ->why: the file is as it was.
 */
bool models_configure(struct models *, const struct model_row *, bool in) MUST_CHECK;

#endif
