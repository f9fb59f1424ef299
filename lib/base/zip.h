/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef BASE_ZIP_H
#define BASE_ZIP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/buf.h"
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

/*
 * Reads a zip file of n bytes in memory, which is untrusted: its names are never used
 * as paths, only plain and deflated entries are read, and all of them unpack to at most
 * `most` bytes together, however often they are read.
 */
struct zip_reader;

/* ERR_REFUSED: the file is damaged, encrypted, no zip, or has more than ZIP_ENTRIES
   entries. ERR_LIMIT: the sizes that it states exceed `most`. */
enum err zip_reader_new(struct arena *, const char *, size_t n, size_t most,
    struct zip_reader **) MUST_CHECK;
/* Append the bytes of an entry; the case of its name does not matter.
   ERR_NOT_FOUND: there is none.  ERR_REFUSED, ERR_LIMIT: as above. */
enum err zip_read(struct zip_reader *, const char *name, struct buf *) MUST_CHECK;

#define ZIP_ENTRIES 5000

#endif
