/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef SERVICE_EXPORT_FOLDER_H
#define SERVICE_EXPORT_FOLDER_H

#include "base/err.h"
#include "base/hash.h"
#include "base/json_writer.h"

/* Nouns: export. */

/*
 * Writes a folder that is complete or does not exist: files are written to
 * DIR.part-XXXXXX, which is renamed to DIR after the last file, manifest.json, is on
 * the disk. Only its owner may read it. No symbolic link is followed below its parent.
 */
struct export_folder;

struct export_file {
	struct export_folder *folder;
	const char *name; /* "events/ID/stats.json" */
	int fd;
	int64_t bytes;
	struct sha256 *sum;
	struct arena *mem; /* dies with the file */
};

/* ERR_CONFLICT: dir exists and is not an empty folder; ERR_FAILED, logged. */
enum err export_folder_begin(
    struct arena *, const char *dir, struct export_folder **) MUST_CHECK;

/* Create a file and the folders in its name. ERR_FULL, ERR_FAILED: logged. Several
   files may be open. */
enum err export_file_begin(
    struct export_folder *, const char *name, struct export_file *) MUST_CHECK;
enum err export_file_put(struct export_file *, const void *, size_t n) MUST_CHECK;
/* Finish the file and add it to the manifest. */
enum err export_file_end(struct export_file *) MUST_CHECK;
/* Close the file; does nothing after export_file_end(). */
void export_file_drop(struct export_file *);

/*
 * Write the manifest: the members that head has written into it, and "files", a list of
 * {path, bytes, sha256}; then give the folder its name.  *files counts them.
 */
enum err export_folder_end(struct export_folder *,
    void (*head)(void *arg, struct json_writer *), void *arg,
    int64_t *files) MUST_CHECK;
/* Remove the folder, unless export_folder_end() succeeded. */
void export_folder_drop(struct export_folder *);

#endif
