#ifndef STORE_RECORDINGS_H
#define STORE_RECORDINGS_H

#include "db/db.h"
#include "store/cursor.h"

/* Recordings of channels, a row for each file.  Nouns: recording. */
struct recording {
	const char *id;
	const char *account, *channel;
	const char *event;    /* NULL: of a standalone channel */
	const char *language; /* folded code, "original"; NULL: it has several */
	const char *format;   /* ogg, mp4 */
	int64_t start_us, duration_ms, bytes;
	const char *blob; /* its file */
	const char *url;  /* where it is read; not of the row */
};

extern const struct field recording_fields[];
extern const struct sql recording_sql[];

/* The account and event (NULL: none) of a channel that there is; ERR_NOT_FOUND. */
enum err recording_owner(
    struct db *, struct arena *, const char *channel, struct recording *) MUST_CHECK;
/* ERR_CONFLICT: there is one of this id. */
enum err recording_add(struct db *, const struct recording *) MUST_CHECK;
/* ERR_NOT_FOUND: there is neither the channel nor a recording of it. */
enum err recording_known(
    struct db *, const char *account, const char *channel) MUST_CHECK;
/* Those of a channel, by their start. */
enum err recording_list(struct db *, struct arena *, const char *account,
    const char *channel, const struct list_cursor *, struct list *) MUST_CHECK;
enum err recording_get(struct db *, struct arena *, const char *account,
    const char *channel, const char *id, struct recording *) MUST_CHECK;
/* In a transaction: the account is given back its bytes, and the janitor removes them.
 */
enum err recording_drop(struct db *, const struct recording *) MUST_CHECK;
/* Up to n of all accounts that began before then. */
enum err recording_old(
    struct db *, struct arena *, int64_t before_us, int n, struct list *) MUST_CHECK;
/* Up to n whose channel is gone, with its event if it had one. */
enum err recording_left(struct db *, struct arena *, int n, struct list *) MUST_CHECK;

#endif
