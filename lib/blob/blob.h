/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef BLOB_BLOB_H
#define BLOB_BLOB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/conf.h"
#include "base/err.h"
#include "blob/sigv4.h"

/*
 * Storage of files: below a directory, or in a bucket of S3 or a compatible service,
 * as blob.store of the settings says.  The database knows their meaning; here a file
 * is its name and its bytes, and a name is never used twice.
 *
 * blob_name() makes names of files that we store ourselves.  A file that a client
 * sends straight to S3 has the name of the form's key, "u/<account>/<blob>".
 *
 * Results of all calls: ERR_FULL when the disk is at blob.reserve_bytes or a quota,
 * ERR_FAILED for other faults of the machine.  With S3 also ERR_TIMEOUT: unreachable
 * or silent, ERR_BUSY: it may work later, ERR_REFUSED: S3 refused.  All but
 * ERR_NOT_FOUND are logged.
 */
const char *blob_name(struct arena *, const char *blob_id);
/*
 * True if it can be the name of a file on our disk: it cannot lead out of the folder.
 */
bool blob_is_name(const char *name);

/* The credential that signs forms and, with S3, our own calls and links. */
struct sigv4 blob_signer(const struct conf *);

/*
 * The identity of this store: the id in the file store.id of blob.dir, or the address
 * of the bucket.  "": there is no such file; make: then it is created.
 */
enum err blob_identity(
    const struct conf *, struct arena *, bool make, const char **id) MUST_CHECK;

/* With S3: returns the address of the bucket, without a slash at its end. */
const char *blob_bucket_url(const struct conf *, struct arena *);
/*
 * Check the bucket. Returns a sentence about its fault, or NULL: no fault, or no
 * bucket.
 */
const char *blob_fault(const struct conf *, struct arena *);

/*
 * Remove all files of the bucket below a prefix, "hls/0123", unless one was put after
 * before_us: then another host continues with them.  Up to BLOB_CLEAR_MOST files are
 * checked.  Without a bucket: OK.
 */
#define BLOB_CLEAR_MOST 10000
enum err blob_bucket_clear(const struct conf *, struct arena *, const char *prefix,
    int64_t before_us) MUST_CHECK;

/* ---- storing ---- */

/*
 * OK if the disk has room for so many bytes above its reserve; always OK for a bucket.
 */
enum err blob_room(const struct conf *, int64_t bytes) MUST_CHECK;
/*
 * True if the disk of blob.dir, where files arrive first even with a bucket, is at its
 * reserve; not logged.
 */
bool blob_disk_full(const struct conf *);

struct blob_in;

struct blob_facts {
	int64_t bytes;
	const char *sha256; /* hex; NULL: unknown, as S3 does not report it */
	const char *etag;   /* S3's, with its quotes; NULL: on disk */
};

/*
 * Begin to receive a file; there must be room for expected_bytes (0: unknown).  The
 * file vanishes when the arena is reset before blob_end() returned OK; if the process
 * was killed, at the next blob_sweep().
 */
enum err blob_begin(const struct conf *, struct arena *, int64_t expected_bytes,
    struct blob_in **) MUST_CHECK;
/* Append bytes. An error ends the file, as blob_abort() does. */
enum err blob_put(struct blob_in *, const void *, size_t) MUST_CHECK;
/* Store the file under that name; after OK it survives a power failure. */
enum err blob_end(struct blob_in *, const char *name, struct blob_facts *) MUST_CHECK;
void blob_abort(struct blob_in *); /* does nothing after the end */
/*
 * Store a file of another folder (a descriptor) that is no longer written; it also
 * stays there. Within the file system of blob.dir it only gets another name, and has no
 * sha256; else it is copied. Returns as blob_end().
 */
enum err blob_adopt(const struct conf *, struct arena *, int folder, const char *file,
    const char *name, struct blob_facts *) MUST_CHECK;

/* ---- reading ---- */

struct blob_file {
	/*
	 * File descriptor, at the beginning of the file. It is closed when the arena is
	 * reset.
	 */
	int fd;
	const char *path; /* the file's path; valid as long as fd */
	int64_t bytes;
};

/*
 * Open a file. ERR_NOT_FOUND: no such file. A file of S3 is fetched into a temporary
 * file.
 */
enum err blob_open(const struct conf *, struct arena *, const char *name,
    struct blob_file *) MUST_CHECK;
/*
 * As blob_open(), without the bytes; on disk without the hash. S3 must let us list the
 * bucket, else it returns refused instead of not found.
 */
enum err blob_stat(const struct conf *, struct arena *, const char *name,
    struct blob_facts *) MUST_CHECK;
/*
 * Returns an address from which the file can be downloaded, with that type, for so many
 * seconds; NULL: the store has no addresses, read the file here.
 */
const char *blob_link(const struct conf *, struct arena *, const char *name,
    const char *mime_type, int64_t now_us, int64_t seconds);

/* ---- removing ---- */

/*
 * Remove a file. OK also if it is absent. ERR_BUSY, not logged: a backup is running;
 * retry later.
 */
enum err blob_remove(const struct conf *, struct arena *, const char *name) MUST_CHECK;
/*
 * Remove temporary files last written before before_us. Files on disk that are as old,
 * and for which is_stray() finds no row, move to lost/ and are removed a week later.
 * *removed counts both. A bucket is not swept: give it a lifecycle rule.
 */
enum err blob_sweep(const struct conf *, struct arena *, int64_t before_us,
    bool (*is_stray)(void *arg, const char *name), void *arg,
    int64_t *removed) MUST_CHECK;

/* ---- what a store has to offer to blob.c ---- */

struct blob_store {
	const char *name; /* blob.store of the settings */
	/* Take over a whole, synced file; its path may be gone afterwards. */
	enum err (*store)(const struct conf *, struct arena *, const char *path,
	    const char *name) MUST_CHECK;
	/* Open a file; blob_open() closes to->fd. */
	enum err (*open)(const struct conf *, struct arena *, const char *name,
	    struct blob_file *) MUST_CHECK;
	enum err (*stat)(const struct conf *, struct arena *, const char *name,
	    struct blob_facts *) MUST_CHECK;
	enum err (*remove)(
	    const struct conf *, struct arena *, const char *name) MUST_CHECK;
	/* Returns an address for downloads; NULL: the store has none. */
	const char *(*link)(const struct conf *, struct arena *, const char *name,
	    const char *mime_type, int64_t now_us, int64_t seconds);
	/* Lists files, without temporary ones; NULL: not supported. */
	enum err (*sweep)(const struct conf *, struct arena *, int64_t before_us,
	    bool (*is_stray)(void *arg, const char *name), void *arg,
	    int64_t *removed) MUST_CHECK;
};

#define BLOB_S3 "s3" /* blob.store, of blob_s3 */
extern const struct blob_store blob_disk, blob_s3;

/* For stores: make a new temporary file, removed when the arena is reset; -1: see *e.
 */
int blob_temporary(const struct conf *, struct arena *, const char **path, enum err *e);
/*
 * Give a file in a folder a temporary second name. False: not possible, because it is
 * in another file system.
 */
bool blob_temporary_link(const struct conf *, struct arena *, int folder,
    const char *file, const char **path);
/* For stores: sync a folder, so that names in it survive a power failure. */
enum err blob_sync_folder(const char *path) MUST_CHECK;
/* For stores: log an unexpected errno and convert it. */
enum err blob_failed(const char *doing, int errnum);

#endif
