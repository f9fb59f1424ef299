/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Search in titles and descriptions.  The database returns candidates, newest first.
 * This file checks which of them contain all words, in the folded text, so results do
 * not depend on how the candidates were found.
 */
#include "store/event_search.h"

#include <string.h>

#include "base/clock.h"
#include "base/grams.h"
#include "base/text.h"

#define FIRST 200            /* events that are read before the index is used */
#define BATCH 500            /* candidates in one query */
#define BUDGET 2000          /* candidates of a search at most; each takes 1 to 4 us */
#define BLOCK 12             /* bits of a seq in its block, see schema/0036 */
#define SPAN_FIRST 8         /* blocks in the first query of the index */
#define SPAN_MOST 32         /* blocks in one query at most */
#define LONG_US (S_US / 100) /* a search that took as long asks no further query */

/*
 * $1 account, $2 cursor, $3 now, $4 limit, $5 status, $6 parts of the words, $7 the
 * first seq to look at. Without a status SQLite does not read the event's own row.
 */
#define CANDIDATE                                                                      \
	"SELECT e.seq, t.folded, CASE WHEN CAST($5 AS TEXT) IS NULL THEN 1"            \
	" WHEN " EVENT_LIFECYCLE("$3") " = $5 THEN 1 ELSE 0 END"

enum { READ, ASK, OLDEST, SQL_END };

/* clang-format off */
const struct sql	 event_search_sql[SQL_END + 1] = {
	[READ] = { "search.read",
	    CANDIDATE " FROM events e CROSS JOIN event_texts t WHERE e.account = $1"
	    " AND e.seq < $2 AND t.rowid = e.seq ORDER BY e.seq DESC LIMIT $4" },
	/* PostgreSQL's index returns all matches of a block at once, in any order. */
	[ASK] = { "search.ask",
	    CANDIDATE " FROM event_terms i CROSS JOIN event_texts t CROSS JOIN events e"
	    " WHERE i.event_terms MATCH grams($1, $6, 0) AND i.rowid < $2 AND i.rowid >= $7"
	    " AND t.rowid = i.rowid AND t.account = $1 AND e.seq = t.rowid"
	    " ORDER BY i.rowid DESC LIMIT $4",
	    CANDIDATE " FROM event_candidates($1, $6, $2, $7, $4) t"
	    " JOIN events e ON e.seq = t.seq ORDER BY t.seq DESC LIMIT $4" },
	[OLDEST] = { "search.oldest", "SELECT min(seq) FROM events WHERE account = $1" },
};
/* clang-format on */

struct search {
	const char *account, *status;
	struct list words; /* const char *, folded */
	const char *parts; /* parts of the words, for the index; "": none */
	int64_t batch;     /* candidates of the next query */
	int64_t cursor;    /* seq of the last candidate */
	int64_t seen;
	int64_t oldest; /* seq of the account's first event */
	int64_t span;   /* blocks of the next query of the index; 0: read without it */
	int64_t from;   /* first seq of that query */
};

/* ---- words ---- */

static void
read_words(struct arena *mem, const char *q, struct search *s)
{
	struct buf words = { .mem = mem };
	const char *word;
	size_t n;

	q = text_fold(mem, q);
	s->parts = grams_parts(mem, q);
	for (; *(q += strspn(q, " \t\n\v\f\r")) != '\0'; q += n) {
		n = strcspn(q, " \t\n\v\f\r");
		word = arena_dup(mem, q, n);
		buf_put(&words, &word, sizeof(word));
	}
	s->words = (struct list){ words.p, words.len / sizeof(char *) };
}

/* ---- candidates ---- */

static bool
has_words(const struct search *s, const char *folded)
{
	const char *const *word = s->words.items;

	for (size_t i = 0; i < s->words.n; i++)
		if (strstr(folded, word[i]) == NULL)
			return false;
	return true;
}

/* Reads the newest events first, where frequent words are found; then uses the index.
 */
static struct rows
candidates(struct db *db, const struct search *s)
{
	const struct val a[] = { { 0 }, TEXT(s->account), INT(s->cursor), INT(now_us()),
		INT(s->batch), TEXT(s->status), TEXT(s->parts), INT(s->from) };
	bool asks = s->span > 0;

	return db_query(db, &event_search_sql[asks ? ASK : READ], a, asks ? 7 : 5);
}

/*
 * Check one batch of candidates; put the seq of each match into found. mem is scratch.
 */
static enum err
check_candidates(
    struct db *db, struct arena *mem, struct search *s, size_t want, struct buf *found)
{
	struct rows rs = candidates(db, s);

	while (found->len < want && db_next(&rs)) {
		s->cursor = row_int(&rs, 0);
		if (row_bool(&rs, 2) && has_words(s, row_text(&rs, 1, mem)))
			buf_put(found, &s->cursor, sizeof(s->cursor));
	}
	s->seen += rs.n;
	if (rs.n < s->batch && found->len < want)
		s->cursor = s->from > s->oldest ? s->from : INT64_MIN;
	return db_done(&rs);
}

/* Prepare the query after the first: a few blocks of events, or more without the index.
 */
static enum err
go_on(struct db *db, struct search *s)
{
	enum err e = OK;

	s->batch = BATCH;
	if (s->parts[0] == '\0')
		return OK;
	if (s->span == 0)
		e = db_number(
		    db, &event_search_sql[OLDEST], ARGS(TEXT(s->account)), &s->oldest);
	s->span = s->span == 0          ? SPAN_FIRST
		  : s->span < SPAN_MOST ? 2 * s->span
					: SPAN_MOST;
	s->from = (((s->cursor - 1) >> BLOCK) + 1 - s->span) * (1 << BLOCK);
	return e;
}

/* True when the search may ask another query: it has no page yet, and neither has it
   seen all events nor used up its bounds. */
static bool
may_go_on(
    const struct search *s, size_t want, const struct buf *found, int64_t until_us)
{
	return s->cursor != INT64_MIN && found->len < want && s->seen < BUDGET &&
	       (s->span == 0 || monotonic_us() < until_us);
}

enum err
event_search(struct db *db, const char *account, const struct event_query *q,
    struct buf *found, int64_t *rest)
{
	struct search s = {
		.account = account,
		.status = q->status,
		.batch = FIRST,
		.cursor = q->before,
	};
	size_t want = (size_t)q->limit * sizeof(s.cursor);
	int64_t until_us = monotonic_us() + LONG_US;
	struct arena *batch = arena_new();
	enum err e;

	read_words(found->mem, q->q, &s);
	e = check_candidates(db, batch, &s, want, found);
	while (e == OK && may_go_on(&s, want, found, until_us)) {
		arena_reset(batch);
		if ((e = go_on(db, &s)) == OK)
			e = check_candidates(db, batch, &s, want, found);
	}
	arena_free(batch);
	*rest = s.cursor;
	return e;
}
