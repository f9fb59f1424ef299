#ifndef STORE_TRANSCRIPTS_H
#define STORE_TRANSCRIPTS_H

#include "db/db.h"

/*
 * Transcripts: final texts of channels, a line for each text of the source and of each
 * target.  Nouns: transcript.
 */
struct transcript_line {
	int64_t id; /* growing */
	const char *account, *channel;
	const char *event, *stage; /* NULL: of a standalone channel */
	const char *segment;       /* transcription_id, shared by its translations */
	int64_t part;              /* of a long translation, from 0 */
	const char *language;      /* folded code */
	bool original;             /* what was said, not a translation */
	const char *text;
	const char *original_text; /* before its first correction, or NULL */
	const char *speaker;       /* or NULL */
	int64_t start_us, end_us;  /* unix time */
	int64_t correction;        /* in its channel, from 1; NULL_INT: none */
	/* See transcript_tell(): RFC 3339 with milliseconds; the id as a text. */
	const char *start, *end, *id_text;
};

/* Which lines; those of a channel or of an event. */
struct transcript_query {
	const char *account;         /* whose they are */
	const char *channel, *event; /* one of them is NULL */
	const char *stage;           /* NULL: any */
	const char *language;        /* folded code, "original"; NULL: all */
	int64_t from_us, to_us;      /* start_us at or behind, and before */
	bool public;                 /* only what was said for everybody */
};

/* The last line read, where the next page goes on; { from_us, 0 } is before all. */
struct transcript_cursor {
	int64_t start_us, id;
};

extern const struct field transcript_fields[];
extern const struct sql transcript_sql[];

/* Whether texts of the channel are to be kept now. */
enum err transcript_kept(struct db *, const char *channel, bool *) MUST_CHECK;
/*
 * Add a line, in a transaction: id, account, event and stage are set here.  Nothing is
 * added for a channel whose texts are not kept, nor of a line that is there already.
 */
enum err transcript_add(struct db *, const struct transcript_line *) MUST_CHECK;
/* Whether a line of the channel was said at that time or later. */
enum err transcript_since(
    struct db *, const char *channel, int64_t start_us, bool *) MUST_CHECK;

/* Whether there is such a channel, or lines of one that was deleted; ERR_NOT_FOUND. */
enum err transcript_known(
    struct db *, const char *account, const char *channel) MUST_CHECK;
/*
 * Up to n lines behind a place, by start.  A language has its translations and what was
 * said in it, unless that was translated into it, too.
 */
enum err transcript_page(struct db *, struct arena *, const struct transcript_query *,
    const struct transcript_cursor *, int64_t n, struct list *) MUST_CHECK;
/* Codes of the targets among the lines, const char *, in the order of the alphabet. */
enum err transcript_languages(struct db *, struct arena *,
    const struct transcript_query *, struct list *) MUST_CHECK;
/* start_us of the first line of a query in any language; ERR_NOT_FOUND: no line. */
enum err transcript_begin(
    struct db *, const struct transcript_query *, int64_t *start_us) MUST_CHECK;
/* Set start, end and id_text. */
void transcript_tell(struct arena *, struct transcript_line *);

enum err transcript_get(struct db *, struct arena *, const char *account,
    const char *channel, int64_t id, struct transcript_line *) MUST_CHECK;
/* Replace the text of a line, under the write lock; the line follows. */
enum err transcript_correct(
    struct db *, const char *text, struct transcript_line *) MUST_CHECK;
/* The number of the last correction of a channel; 0: none. */
enum err transcript_corrections(struct db *, const char *channel, int64_t *) MUST_CHECK;
/* Up to n lines of a channel that were corrected since, in the order of that. */
enum err transcript_corrected(struct db *, struct arena *, const char *channel,
    int64_t since, int64_t n, struct list *) MUST_CHECK;

/* Remove up to n lines of a channel; of all accounts, those that ended before. */
enum err transcript_drop(struct db *, const char *account, const char *channel,
    int64_t n, int64_t *dropped) MUST_CHECK;
enum err transcript_expire(
    struct db *, int64_t before_us, int n, int64_t *dropped) MUST_CHECK;
/* Remove up to n lines of a channel that is gone, with its event if it had one. */
enum err transcript_sweep(struct db *, int n, int64_t *dropped) MUST_CHECK;

#endif
