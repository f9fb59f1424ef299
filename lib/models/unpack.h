/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef MODELS_UNPACK_H
#define MODELS_UNPACK_H

#include "models/catalogue.h"

/*
 * Put what part->take names of a download into a folder: from an archive (a wheel, a
 * .tgz, a .tar.bz2), or the file itself.  At most so many bytes are written.  False:
 * it is not such an archive, it lacks a name, or a file cannot be written, and *why
 * says which.
 */
bool unpack(struct arena *, const char *file, const struct model_part *,
    const char *folder, int64_t most_bytes, const char **why);

#endif
