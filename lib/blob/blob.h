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
 * Where bytes live: below a directory, or in a bucket of S3 or its kin, as
 * blob.store of the settings says.  What they mean is the database's affair;
 * here a file is its name and its bytes, and a name is never used twice.
 *
 * Names: blob_name() makes those of what we store ourselves.  What clients
 * send straight to S3 is named by the key of the form, "u/<account>/<blob>".
 *
 * Every call: ERR_FULL when the disk is at blob.reserve_bytes or a quota,
 * ERR_FAILED for other faults of the machine.  With S3 also ERR_TIMEOUT: it was
 * unreachable or silent, ERR_BUSY: it may work later, ERR_REFUSED: it said no.
 * All but ERR_NOT_FOUND was logged.
 */
const char *blob_name(struct arena *, const char *blob_id);
/* A name that can only be that of a file on our disk: no path leads out by it. */
bool blob_is_name(const char *name);

/* The signer of forms and, with S3, of our calls and links. */
struct sigv4 blob_signer(const struct conf *);

/*
 * What tells this store from any other: the id in the file store.id of blob.dir, or
 * the address of the bucket.  "": there is no such file; make: then it is made.
 */
enum err blob_identity(
    const struct conf *, struct arena *, bool make, const char **id) MUST_CHECK;

/* With S3: the address of the bucket, without a slash at its end. */
const char *blob_bucket_url(const struct conf *, struct arena *);
/* What is wrong with the bucket, a sentence; NULL: nothing, or there is none.  Asks it.
 */
const char *blob_fault(const struct conf *, struct arena *);

/*
 * Remove what is in the bucket below a prefix, "hls/0123", unless something of it was
 * put after before_us: then another host goes on with it.  Up to BLOB_CLEAR_MOST files
 * are looked at.  Without a bucket: OK.
 */
#define BLOB_CLEAR_MOST 10000
enum err blob_bucket_clear(const struct conf *, struct arena *, const char *prefix,
    int64_t before_us) MUST_CHECK;

/* ---- storing ---- */

/* Whether the disk has room for so many bytes above its reserve; a bucket has. */
enum err blob_room(const struct conf *, int64_t bytes) MUST_CHECK;
/*
 * Whether the disk below blob.dir, where with a bucket too all that arrives lies
 * first, is at its reserve; not logged.
 */
bool blob_disk_full(const struct conf *);

struct blob_in;

struct blob_facts {
	int64_t bytes;
	const char *sha256; /* hex; NULL: not known, as S3 does not tell */
	const char *etag;   /* S3's, with its quotes; NULL: on disk */
};

/*
 * Begin to receive a file; expected_bytes (0: not known) have to fit.  It is
 * gone without a trace when the arena is reset before blob_end() said OK, or
 * the process killed; in that case at the next blob_sweep().
 */
enum err blob_begin(const struct conf *, struct arena *, int64_t expected_bytes,
    struct blob_in **) MUST_CHECK;
/* An error ends it, as blob_abort() does. */
enum err blob_put(struct blob_in *, const void *, size_t) MUST_CHECK;
/* Keep it under that name; when this answers OK it survives a power failure. */
enum err blob_end(struct blob_in *, const char *name, struct blob_facts *) MUST_CHECK;
void blob_abort(struct blob_in *); /* after an end: nothing happens */
/*
 * Keep a file that is in another folder (a descriptor) and is not written any more; it
 * stays there.  Within the file system of blob.dir it gets another name, takes no room
 * and has no sha256; else it is copied.  OK is as of blob_end().
 */
enum err blob_adopt(const struct conf *, struct arena *, int folder, const char *file,
    const char *name, struct blob_facts *) MUST_CHECK;

/* ---- reading ---- */

struct blob_file {
	int fd;           /* at the beginning; closed when the arena is reset */
	const char *path; /* of the same; good until then */
	int64_t bytes;
};

/* ERR_NOT_FOUND: there is no such file.  S3's is fetched into a temporary one. */
enum err blob_open(const struct conf *, struct arena *, const char *name,
    struct blob_file *) MUST_CHECK;
/* The same without the bytes; on disk without the hash.  S3 must let us list the
   bucket, or it says no instead of not found. */
enum err blob_look(const struct conf *, struct arena *, const char *name,
    struct blob_facts *) MUST_CHECK;
/* An address from which anyone may fetch it for so many seconds, as a download
   of that type; NULL: the store has none, read it here. */
const char *blob_link(const struct conf *, struct arena *, const char *name,
    const char *mime_type, int64_t now_us, int64_t seconds);

/* ---- removing ---- */

/* One that is not there is OK.  ERR_BUSY, not logged: a backup is made; later. */
enum err blob_remove(const struct conf *, struct arena *, const char *name) MUST_CHECK;
/*
 * Remove what is not waited for: temporary files last written before then.  Files
 * on disk as old that is_stray() says no row knows are put into lost/, and
 * removed a week later.  *removed counts both.  In a bucket nothing is looked
 * for: give it a lifecycle rule.
 */
enum err blob_sweep(const struct conf *, struct arena *, int64_t before_us,
    bool (*is_stray)(void *arg, const char *name), void *arg,
    int64_t *removed) MUST_CHECK;

/* ---- what a store has to offer to blob.c ---- */

struct blob_store {
	const char *name; /* blob.store of the settings */
	/* Take over a whole file, synced already; its path may be gone after. */
	enum err (*keep)(const struct conf *, struct arena *, const char *path,
	    const char *name) MUST_CHECK;
	/* to->fd is closed by blob_open(). */
	enum err (*open)(const struct conf *, struct arena *, const char *name,
	    struct blob_file *) MUST_CHECK;
	enum err (*look)(const struct conf *, struct arena *, const char *name,
	    struct blob_facts *) MUST_CHECK;
	enum err (*remove)(
	    const struct conf *, struct arena *, const char *name) MUST_CHECK;
	/* NULL: it has none. */
	const char *(*link)(const struct conf *, struct arena *, const char *name,
	    const char *mime_type, int64_t now_us, int64_t seconds);
	/* Files, not temporary ones; NULL: it has no such thing. */
	enum err (*sweep)(const struct conf *, struct arena *, int64_t before_us,
	    bool (*is_stray)(void *arg, const char *name), void *arg,
	    int64_t *removed) MUST_CHECK;
};

#define BLOB_S3 "s3" /* blob.store, of blob_s3 */
extern const struct blob_store blob_disk, blob_s3;

/* For stores: a new temporary file; -1: *e says why.  Removed at arena's reset. */
int blob_temporary(const struct conf *, struct arena *, const char **path, enum err *e);
/* Another name for a file in a folder, as temporary as those; false: it cannot be, as
   the file is in another file system. */
bool blob_temporary_link(const struct conf *, struct arena *, int folder,
    const char *file, const char **path);
/* For stores: names in it survive a power failure. */
enum err blob_sync_folder(const char *path) MUST_CHECK;
/* For stores: what an errno that was not expected is; logged. */
enum err blob_failed(const char *doing, int errnum);

#endif
