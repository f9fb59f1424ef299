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
	const char *display_name; /* display name or NULL */
	const char *description;  /* description or NULL */
	const char *voice;        /* the voice it belongs to, or NULL */
	int64_t min_bytes, max_bytes;
	const char *file;   /* name in the blob store; NULL: no file has arrived */
	int64_t bytes;      /* size; NULL_INT until a file has arrived */
	const char *sha256; /* hash in hex; NULL until a file has arrived */
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
 * hash, and the account's bytes, in the caller's transaction. now: the blob as
 * blob_get() returned it. ERR_STALE: another file arrived in between. ERR_CONFLICT: the
 * blob may no longer be overwritten. ERR_LIMIT: the account's capacity (0: no limit)
 * would be exceeded.
 */
enum err blob_arrived(struct db *, const struct blob *now, const char *file,
    int64_t bytes, const char *sha256, int64_t capacity) MUST_CHECK;
/* Change the state from stored to checked. ERR_STALE: the blob has another file now. */
enum err blob_checked(struct db *, const char *id, const char *file) MUST_CHECK;
/* Change the state from stored to rejected; the bytes no longer count. ERR_STALE: the
   blob has another file now. */
enum err blob_reject(struct db *, const struct blob *) MUST_CHECK;
/* Change the state of a plain upload of the account to gone; its bytes no longer count.
 */
enum err blob_drop(struct db *, const struct blob *) MUST_CHECK;
/* Change the state of all blobs of a voice to gone. */
enum err blob_drop_of_voice(
    struct db *, const char *account, const char *voice) MUST_CHECK;
/* Change the state of a voice's TTS samples to gone; account NULL: of a built-in voice.
 */
enum err blob_drop_samples(
    struct db *, const char *account, const char *voice) MUST_CHECK;
/* Change the state of all blobs of all voices of an account to gone. */
enum err blob_drop_of_voices(struct db *, const char *account) MUST_CHECK;

/* Change the state of a glossary's file to gone. ERR_NOT_FOUND: the account has no such
   file. */
enum err blob_drop_glossary(
    struct db *, const char *account, const char *id) MUST_CHECK;

/* Change the state of a recording's file to gone; its bytes no longer count. */
enum err blob_drop_recording(
    struct db *, const char *account, const char *id) MUST_CHECK;
/*
 * Change the state of at most `most` awaiting blobs made before before_us to gone; *n
 * is their number.
 */
enum err blob_expire(struct db *, int64_t before_us, int most, int64_t *n) MUST_CHECK;
/* Change the state from awaiting to rejected: the file that arrived is refused.
   ERR_STALE: not awaiting. */
enum err blob_refuse_arrival(struct db *, const struct blob *) MUST_CHECK;

/*
 * The following functions return lists of at most n struct blob. List the awaiting
 * blobs after a position, oldest first.
 */
enum err blob_awaited(struct db *, struct arena *, int64_t after_us, const char *after,
    int n, struct list *) MUST_CHECK;
/* List the stored and checked blobs after a file name, in the order of these names. */
enum err blob_named(
    struct db *, struct arena *, const char *after, int n, struct list *) MUST_CHECK;
/*
 * List the blobs of an account that are not gone, after an id, in the order of the ids.
 */
enum err blob_of_account(struct db *, struct arena *, const char *account,
    const char *after, int n, struct list *) MUST_CHECK;
/* List the gone blobs, or the rejected blobs that still have a file, after an id. */
enum err blob_garbage(struct db *, struct arena *, bool rejected, const char *after,
    int n, struct list *) MUST_CHECK;
/* Delete a gone blob, or the file name of a rejected one. */
enum err blob_forget(struct db *, const struct blob *) MUST_CHECK;
/* Count the blobs with this file; *n is their number. */
enum err blob_has_file(struct db *, const char *file, int64_t *n) MUST_CHECK;
/* Add up the bytes of all stored blobs, for /metrics. */
enum err blob_total(struct db *, int64_t *bytes) MUST_CHECK;

#endif
