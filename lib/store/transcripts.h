/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef STORE_TRANSCRIPTS_H
#define STORE_TRANSCRIPTS_H

#include "db/db.h"

/* Transcripts: the final texts of channels, a line for each text in the source language
   and in each target.  Nouns: transcript. */
struct transcript_line {
	int64_t id; /* increases with time */
	const char *account, *channel;
	const char *event, *stage; /* NULL: standalone channel */
	const char *segment;       /* transcription_id, shared by its translations */
	int64_t part;              /* part of a long translation, from 0 */
	const char *language;      /* folded code */
	bool original;             /* false: a translation */
	const char *text;
	const char *original_text; /* before its first correction, or NULL */
	const char *speaker;       /* or NULL */
	int64_t epoch;             /* to store it: of the channel's lease; 0: none */
	int64_t start_us, end_us;  /* unix time */
	int64_t correction;        /* number in its channel, from 1; NULL_INT: none */
	/* Set by transcript_fill_view(): RFC 3339 with milliseconds; the id as text. */
	const char *start, *end, *id_text;
};

/* Selects lines of a channel or of an event. */
struct transcript_query {
	const char *account;         /* the owner */
	const char *channel, *event; /* one of them is NULL */
	const char *stage;           /* NULL: any */
	const char *language;        /* folded code, "original"; NULL: all */
	int64_t from_us, to_us;      /* from_us <= start_us < to_us */
	bool public;                 /* only lines that were public when spoken */
};

/* The last line that was read. The next page starts after it; { from_us, 0 } is before
   all lines. */
struct transcript_cursor {
	int64_t start_us, id;
};

extern const struct field transcript_fields[];
extern const struct sql transcript_sql[];

/* Set the result to true if texts of the channel must be stored now. */
enum err transcript_is_stored(struct db *, const char *channel, bool *) MUST_CHECK;
/* Add a line, in a transaction; sets id, account, event and stage in the row.  Nothing
   is added if texts of the channel are not stored, if the line exists already, or if it
   was spoken after another node took the channel. */
enum err transcript_add(struct db *, const struct transcript_line *) MUST_CHECK;
/* Set the result to true if a line of the channel starts at start_us or later. */
enum err transcript_since(
    struct db *, const char *channel, int64_t start_us, bool *) MUST_CHECK;

/* ERR_NOT_FOUND: there is neither such a channel nor a line of it. */
enum err transcript_known(
    struct db *, const char *account, const char *channel) MUST_CHECK;
/* List up to n lines after a cursor, by start. A language selects its translations and
   the lines spoken in it, unless these were translated into it as well. */
enum err transcript_page(struct db *, struct arena *, const struct transcript_query *,
    const struct transcript_cursor *, int64_t n, struct list *) MUST_CHECK;
/* List the target languages among the lines, const char *, in alphabetical order. */
enum err transcript_languages(struct db *, struct arena *,
    const struct transcript_query *, struct list *) MUST_CHECK;
/* Get start_us of the first line in any language. ERR_NOT_FOUND: there is no line. */
enum err transcript_begin(
    struct db *, const struct transcript_query *, int64_t *start_us) MUST_CHECK;
/* Set start, end and id_text. */
void transcript_fill_view(struct arena *, struct transcript_line *);

enum err transcript_get(struct db *, struct arena *, const char *account,
    const char *channel, int64_t id, struct transcript_line *) MUST_CHECK;
/* Replace the text of a line, under the write lock, and update *line. */
enum err transcript_correct(
    struct db *, const char *text, struct transcript_line *) MUST_CHECK;
/* Set the speaker of a phrase, in all languages, under the write lock; NULL: unknown.
 */
enum err transcript_name_speaker(
    struct db *, const char *speaker, struct transcript_line *) MUST_CHECK;
/* Read the number of a channel's last correction; 0: none. */
enum err transcript_corrections(struct db *, const char *channel, int64_t *) MUST_CHECK;
/* List up to n lines of a channel with a correction after `since`, in the order of
   corrections. */
enum err transcript_corrected(struct db *, struct arena *, const char *channel,
    int64_t since, int64_t n, struct list *) MUST_CHECK;

/* Delete up to n lines: those of a channel, or those of all accounts that ended before
   before_us. */
enum err transcript_drop(struct db *, const char *account, const char *channel,
    int64_t n, int64_t *dropped) MUST_CHECK;
enum err transcript_expire(
    struct db *, int64_t before_us, int n, int64_t *dropped) MUST_CHECK;
/* Delete up to n lines of a channel that is deleted, with its event if it had one. */
enum err transcript_sweep(struct db *, int n, int64_t *dropped) MUST_CHECK;

#endif
