/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef STORE_RECORDINGS_H
#define STORE_RECORDINGS_H

#include "db/db.h"
#include "store/cursor.h"

/* Recordings of channels, a row for each file.  Nouns: recording. */
struct recording {
	const char *id;
	const char *account, *channel;
	const char *event;    /* NULL: standalone channel */
	const char *language; /* folded code, "original"; NULL: several */
	const char *format;   /* ogg, wav, mp4 */
	int64_t start_us, duration_ms, bytes;
	const char *blob; /* its file */
	const char *url;  /* download address; not in the row */
};

extern const struct field recording_fields[];
extern const struct sql recording_sql[];

/* Read account and event (NULL: none) of a channel.  ERR_NOT_FOUND: there is no such
   channel. */
enum err recording_owner(
    struct db *, struct arena *, const char *channel, struct recording *) MUST_CHECK;
/* ERR_CONFLICT: there is a recording with this id. */
enum err recording_add(struct db *, const struct recording *) MUST_CHECK;
/* ERR_NOT_FOUND: neither the channel nor a recording of it exists. */
enum err recording_known(
    struct db *, const char *account, const char *channel) MUST_CHECK;
/* List the recordings of a channel, by start. */
enum err recording_list(struct db *, struct arena *, const char *account,
    const char *channel, const struct list_cursor *, struct list *) MUST_CHECK;
/* List the recordings of all channels of an event, also of deleted ones, by start. */
enum err recording_list_event(struct db *, struct arena *, const char *account,
    const char *event, const struct list_cursor *, struct list *) MUST_CHECK;
enum err recording_get(struct db *, struct arena *, const char *account,
    const char *channel, const char *id, struct recording *) MUST_CHECK;
/* Delete a recording, in a transaction: its bytes no longer count for the account; the
   janitor removes the file. */
enum err recording_drop(struct db *, const struct recording *) MUST_CHECK;
/* List up to n recordings of all accounts that started before before_us. */
enum err recording_old(
    struct db *, struct arena *, int64_t before_us, int n, struct list *) MUST_CHECK;
/* List up to n recordings whose channel is deleted, and its event if it had one. */
enum err recording_left(struct db *, struct arena *, int n, struct list *) MUST_CHECK;

#endif
