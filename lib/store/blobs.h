#ifndef STORE_BLOBS_H
#define STORE_BLOBS_H

#include "db/db.h"

/*
 * Files, as the database knows them:
 *
 *	awaiting --file arrives--> stored --content accepted--> checked
 *	   |                         |  ^ the form may be used again
 *	   +--too late               +--refused--> rejected
 *	   v
 *	  gone <-- deleted, from any state; its bytes are removed by the janitor
 *
 * The bytes of awaiting, rejected and gone blobs do not count for the account,
 * nor do those of glossaries, which are checked from the start, as recordings are.
 */
struct blob {
	const char *id;
	const char *account; /* NULL: of a built-in voice */
	const char *kind;    /* upload, voice_sample, tts_sample, glossary, recording */
	const char *state;
	const char *mime_type; /* as declared */
	const char *filename;
	const char *display_name; /* or NULL */
	const char *description;  /* or NULL */
	const char *voice;        /* that it belongs to, or NULL */
	int64_t min_bytes, max_bytes;
	const char *file;   /* name in the blob store; NULL: none has arrived */
	int64_t bytes;      /* NULL_INT until then */
	const char *sha256; /* hex; NULL until then */
	int64_t created_us;
	int64_t stored_us;
};

extern const struct sql blob_sql[];

/* stored or checked: its bytes may be read and count for the account. */
bool blob_has_bytes(const struct blob *);

enum err blob_add(struct db *, const struct blob *) MUST_CHECK;
/* In any state and of any account, but not gone: for signed addresses. */
enum err blob_get(
    struct db *, struct arena *, const char *id, struct blob *) MUST_CHECK;
/* The account's, with bytes that may be read; not a glossary's. */
enum err blob_own(struct db *, struct arena *, const char *account, const char *id,
    struct blob *) MUST_CHECK;

/*
 * A file has arrived for an awaiting or stored blob: name, size and hash, and
 * the account's bytes, in the caller's transaction.  now is what blob_get()
 * answered: ERR_STALE when another file came in between, ERR_CONFLICT when it
 * may not be overwritten any more, ERR_LIMIT when the account's capacity (0: no
 * limit) would be passed.
 */
enum err blob_arrived(struct db *, const struct blob *now, const char *file,
    int64_t bytes, const char *sha256, int64_t capacity) MUST_CHECK;
/* stored -> checked; ERR_STALE when that file is not the blob's any more. */
enum err blob_checked(struct db *, const char *id, const char *file) MUST_CHECK;
/* stored -> rejected, bytes given back; the same. */
enum err blob_reject(struct db *, const struct blob *) MUST_CHECK;
/* -> gone, bytes given back; the account's own plain uploads only. */
enum err blob_drop(struct db *, const struct blob *) MUST_CHECK;
/* The same for all blobs of a voice. */
enum err blob_drop_of_voice(
    struct db *, const char *account, const char *voice) MUST_CHECK;
/* The same for the TTS samples of a voice; account NULL: a built-in one's. */
enum err blob_drop_samples(
    struct db *, const char *account, const char *voice) MUST_CHECK;
/* The same for all blobs of all voices of an account. */
enum err blob_drop_of_voices(struct db *, const char *account) MUST_CHECK;

/* -> gone, the file of a glossary; ERR_NOT_FOUND: it is none of the account's. */
enum err blob_drop_glossary(
    struct db *, const char *account, const char *id) MUST_CHECK;

/* -> gone, the file of a recording, bytes given back. */
enum err blob_drop_recording(
    struct db *, const char *account, const char *id) MUST_CHECK;
/* awaiting since before then -> gone, at most so many; *n counts them. */
enum err blob_expire(struct db *, int64_t before_us, int most, int64_t *n) MUST_CHECK;
/* awaiting -> rejected: what arrived is not taken.  ERR_STALE: not awaiting. */
enum err blob_refuse_arrival(struct db *, const struct blob *) MUST_CHECK;

/*
 * Lists of struct blob, at most n: those that await their file, in the order
 * they were made, behind a place in it.
 */
enum err blob_awaited(struct db *, struct arena *, int64_t after_us, const char *after,
    int n, struct list *) MUST_CHECK;
/* Those whose bytes are kept, by file, behind one. */
enum err blob_named(
    struct db *, struct arena *, const char *after, int n, struct list *) MUST_CHECK;
/* Those of an account that are not gone, by id, behind one. */
enum err blob_of_account(struct db *, struct arena *, const char *account,
    const char *after, int n, struct list *) MUST_CHECK;
/* Gone ones, or rejected ones that still have a file, behind an id. */
enum err blob_garbage(struct db *, struct arena *, bool rejected, const char *after,
    int n, struct list *) MUST_CHECK;
/* Forget a gone blob, or that a rejected one had a file. */
enum err blob_forget(struct db *, const struct blob *) MUST_CHECK;
/* Whether any blob has this file. */
enum err blob_has_file(struct db *, const char *file, int64_t *n) MUST_CHECK;
/* Bytes of all stored blobs, for /metrics. */
enum err blob_total(struct db *, int64_t *bytes) MUST_CHECK;

#endif
