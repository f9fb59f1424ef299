/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef MODELS_UNPACK_H
#define MODELS_UNPACK_H

#include "models/catalogue.h"

/*
 * Copy the files that part->take names into a folder, from a downloaded archive (a
 * wheel, a .tgz, a .tar.bz2) or a file that gzip has compressed, or the download
 * itself. most_bytes limits the bytes written. False: the file is not such an archive,
 * it lacks a name, or a file cannot be written; *why says which.
 */
bool unpack(struct arena *, const char *file, const struct model_part *,
    const char *folder, int64_t most_bytes, const char **why);

#endif
