/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef STORE_BLOBS_H
#define STORE_BLOBS_H

#include "db/db.h"

/*
 * Files in the database:
 *
 *	awaiting --file arrives--> stored --content accepted--> checked
 *	   |                         |  ^ the form may be used again
 *	   +--too late               +--refused--> rejected
 *	   v
 *	  gone <-- deleted, from any state; the janitor removes the bytes
 *
 * The bytes of awaiting, rejected and gone blobs do not count for the account, nor do
 * those of glossaries.  Glossaries and recordings start as checked.
 */
struct blob {
	const char *id;
	const char *account; /* NULL: the file of a built-in voice */
	const char *kind;    /* upload, voice_sample, tts_sample, glossary, recording */
	const char *state;
	const char *mime_type; /* as declared */
	const char *filename;
	const char *display_name; /* or NULL */
	const char *description;  /* or NULL */
	const char *voice;        /* the voice it belongs to, or NULL */
	int64_t min_bytes, max_bytes;
	const char *file;   /* name in the blob store; NULL: no file has arrived */
	int64_t bytes;      /* NULL_INT until then */
	const char *sha256; /* hex; NULL until then */
	int64_t created_us;
	int64_t stored_us;
};

extern const struct sql blob_sql[];

/* True if the state is stored or checked: the bytes may be read and count for the
   account. */
bool blob_has_bytes(const struct blob *);

enum err blob_add(struct db *, const struct blob *) MUST_CHECK;
/* Read a blob of any account in any state but gone: for signed addresses. */
enum err blob_get(
    struct db *, struct arena *, const char *id, struct blob *) MUST_CHECK;
/* Read a blob of the account whose bytes may be read; never the file of a glossary. */
enum err blob_own(struct db *, struct arena *, const char *account, const char *id,
    struct blob *) MUST_CHECK;

/*
 * Record the file that has arrived for an awaiting or stored blob: its name, size and
 * hash, and the account's bytes, in the caller's transaction. now is the blob as
 * blob_get() returned it.  ERR_STALE: another file arrived in between.  ERR_CONFLICT:
 * the blob may no longer be overwritten.  ERR_LIMIT: the account's capacity (0: no
 * limit) would be exceeded.
 */
enum err blob_arrived(struct db *, const struct blob *now, const char *file,
    int64_t bytes, const char *sha256, int64_t capacity) MUST_CHECK;
/* stored -> checked.  ERR_STALE: the blob has another file now. */
enum err blob_checked(struct db *, const char *id, const char *file) MUST_CHECK;
/* stored -> rejected; the bytes no longer count.  ERR_STALE: as above. */
enum err blob_reject(struct db *, const struct blob *) MUST_CHECK;
/* -> gone; the bytes no longer count.  Only for plain uploads of the account. */
enum err blob_drop(struct db *, const struct blob *) MUST_CHECK;
/* -> gone, for all blobs of a voice. */
enum err blob_drop_of_voice(
    struct db *, const char *account, const char *voice) MUST_CHECK;
/* -> gone, for the TTS samples of a voice; account NULL: of a built-in voice. */
enum err blob_drop_samples(
    struct db *, const char *account, const char *voice) MUST_CHECK;
/* -> gone, for all blobs of all voices of an account. */
enum err blob_drop_of_voices(struct db *, const char *account) MUST_CHECK;

/* -> gone, for the file of a glossary.  ERR_NOT_FOUND: the account has no such file. */
enum err blob_drop_glossary(
    struct db *, const char *account, const char *id) MUST_CHECK;

/* -> gone, for the file of a recording; its bytes no longer count. */
enum err blob_drop_recording(
    struct db *, const char *account, const char *id) MUST_CHECK;
/*
 * awaiting -> gone, for at most `most` blobs made before before_us; *n is their number.
 */
enum err blob_expire(struct db *, int64_t before_us, int most, int64_t *n) MUST_CHECK;
/* awaiting -> rejected: the file that arrived is refused.  ERR_STALE: not awaiting. */
enum err blob_refuse_arrival(struct db *, const struct blob *) MUST_CHECK;

/* Lists of at most n struct blob.  The awaiting ones after a position, oldest first. */
enum err blob_awaited(struct db *, struct arena *, int64_t after_us, const char *after,
    int n, struct list *) MUST_CHECK;
/* The stored and checked ones, in the order of their file names, after one. */
enum err blob_named(
    struct db *, struct arena *, const char *after, int n, struct list *) MUST_CHECK;
/* Those of an account that are not gone, in the order of their ids, after one. */
enum err blob_of_account(struct db *, struct arena *, const char *account,
    const char *after, int n, struct list *) MUST_CHECK;
/* The gone ones, or the rejected ones that still have a file, after an id. */
enum err blob_garbage(struct db *, struct arena *, bool rejected, const char *after,
    int n, struct list *) MUST_CHECK;
/* Delete a gone blob, or the file name of a rejected one. */
enum err blob_forget(struct db *, const struct blob *) MUST_CHECK;
/* *n is the number of blobs with this file. */
enum err blob_has_file(struct db *, const char *file, int64_t *n) MUST_CHECK;
/* The bytes of all stored blobs, for /metrics. */
enum err blob_total(struct db *, int64_t *bytes) MUST_CHECK;

#endif
