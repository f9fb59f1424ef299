/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef BASE_ZIP_H
#define BASE_ZIP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/err.h"

/*
 * Zip files, such as documents of word processors and spreadsheets.  An entry that is
 * written has no time, so the same entries make the same file.
 */
struct zip_writer;

/* Begin a zip file at the position of a descriptor, which stays open. */
struct zip_writer *zip_writer_new(struct arena *, int fd);
/* Add an entry; failures are reported by zip_writer_end(). */
void zip_add(struct zip_writer *, const char *name, const void *, size_t n);
/* Add an entry of n bytes that are read from the beginning of a file. */
void zip_add_file(struct zip_writer *, const char *name, int fd, int64_t n);
/* Complete the file. ERR_FULL: the disk is full. ERR_FAILED: an
   entry or the file could not be read or written; it is logged. */
enum err zip_writer_end(struct zip_writer *) MUST_CHECK;

#endif
