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

/* Events that are read before the index is used, and all that a search reads at most,
   see cost(). A row of a server takes longer. */
#define FIRST 200
#define FIRST_PG 100
#define BUDGET 2000
#define BUDGET_PG 600

#define LONG_US 1500 /* a search that took as long asks for no further block */

/* SQLite asks the index for one block, as it returns events in order. */
#define BLOCK 14 /* bits of a seq in its block, see schema/0041 */
#define FEW 20   /* events in a block that are read as fast as the index */

/* An account of PostgreSQL with as many events is asked for without blocks. */
#define WHOLE 5000

/*
 * $1 account, $2 cursor, $3 now, $4 limit, $5 status, $6 parts of the words, $7 the
 * first seq to look at, $8 "whole". Without a status the event's own row is not read.
 */
#define CASE_STATUS(is)                                                                \
	"CASE WHEN CAST($5 AS TEXT) IS NULL THEN 1 WHEN " is " = $5 THEN 1 ELSE 0 END"
#define CANDIDATE "SELECT e.seq, t.folded, " CASE_STATUS(EVENT_LIFECYCLE("$3"))

/* The owner of a block's terms in SQLite. */
#define OWNER "$1 || substr(1000 + ($7 >> 14) % 1000, -3)"

/* PostgreSQL must neither merge whole tables nor look for the account in all events. */
#define CASE_STATUS_PG                                                                 \
	CASE_STATUS(                                                                   \
	    "(SELECT " EVENT_LIFECYCLE("$3") " FROM events e WHERE e.seq = w.seq)")

enum { READ, ASK, OLDEST, COUNT, SQL_END };

/* clang-format off */
const struct sql	 event_search_sql[SQL_END + 1] = {
	[READ] = { "search.read",
	    CANDIDATE " FROM events e CROSS JOIN event_texts t WHERE e.account = $1"
	    " AND e.seq < $2 AND t.rowid = e.seq ORDER BY e.seq DESC LIMIT $4",
	    "SELECT w.seq, coalesce((SELECT t.folded FROM event_texts t WHERE t.rowid = w.seq), ''), "
	    CASE_STATUS_PG " FROM (SELECT e.seq FROM events e WHERE (e.account, e.seq) < ($1, $2)"
	    " AND e.account >= $1 ORDER BY e.account DESC, e.seq DESC LIMIT $4) w ORDER BY w.seq DESC" },
	/* PostgreSQL's index returns all matches of a block at once, in any order. */
	[ASK] = { "search.ask",
	    CANDIDATE " FROM event_terms i CROSS JOIN event_texts t CROSS JOIN events e"
	    " WHERE i.event_terms MATCH grams(" OWNER ", $6, 0) AND i.rowid < $2"
	    " AND i.rowid >= $7 AND t.rowid = i.rowid AND t.account = " OWNER
	    " AND e.seq = t.rowid ORDER BY i.rowid DESC LIMIT $4",
	    "SELECT w.seq, w.folded, " CASE_STATUS_PG
	    " FROM event_matches($1, $6, $2, $7, $4, $8 = 1) w ORDER BY w.seq DESC" },
	[OLDEST] = { "search.oldest", "SELECT min(seq) FROM events WHERE account = $1" },
	[COUNT] = { "search.count", NULL,
	    "SELECT count(*) FROM (SELECT 1 FROM events WHERE (account, seq) > ($1, 0) AND account <= $1"
	    " ORDER BY account, seq LIMIT $2) first" },
};
/* clang-format on */

struct search {
	const char *account, *status;
	struct list words; /* const char *, folded */
	const char *parts; /* parts of the words, for the index; "": none */
	bool server;       /* PostgreSQL */
	bool by_index;     /* the next query asks the index */
	bool whole;        /* and regards all events that are left */
	int64_t batch;     /* candidates of the next query */
	int64_t newest;    /* seq of the first candidate */
	int64_t cursor;    /* seq of the last candidate */
	int64_t from;      /* first seq of the next query */
	int64_t oldest;    /* seq of the account's first event */
	int64_t left;      /* rest of the budget */
	int64_t fit;       /* candidates with all words */
	int queries;
	int64_t until_us;
};

/* ---- words ---- */

static void
read_words(struct arena *mem, const char *q, struct search *s)
{
	struct buf words = { .mem = mem };
	const char *word;
	size_t n;

	q = text_fold(mem, q);
	s->parts = grams_parts(mem, q, s->server ? 4 : 2);
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

static struct rows
candidates(struct db *db, const struct search *s)
{
	const struct val a[] = { { 0 }, TEXT(s->account), INT(s->cursor), INT(now_us()),
		INT(s->batch), TEXT(s->status), TEXT(s->parts), INT(s->from),
		INT(s->whole) };

	return db_query(db, &event_search_sql[s->by_index ? ASK : READ], a,
	    !s->by_index ? 5
	    : s->server  ? 8
			 : 7);
}

/* The index takes as long as reading a text does, and so does the event's own row,
   twice over a server. */
static int
cost(const struct search *s)
{
	return s->status != NULL && s->server     ? 3
	       : s->status != NULL || s->by_index ? 2
						  : 1;
}

/*
 * Check one batch of candidates; put the seq of each match into found. mem is scratch.
 * A row without a text says where a query of a server has stopped.
 */
static enum err
check_candidates(
    struct db *db, struct arena *mem, struct search *s, size_t want, struct buf *found)
{
	struct rows rs = candidates(db, s);
	const char *text;
	bool stopped = false;

	while (!(stopped |= found->len >= want) && db_next(&rs)) {
		s->cursor = row_int(&rs, 0);
		if (s->newest == 0)
			s->newest = s->cursor;
		if ((text = row_text(&rs, 1, mem)) == NULL) {
			s->left = 0;
			stopped = true;
		} else if (has_words(s, text)) {
			s->fit++;
			if (row_bool(&rs, 2))
				buf_put(found, &s->cursor, sizeof(s->cursor));
		}
	}
	s->queries++;
	s->left -= rs.n * cost(s);
	if (!stopped && rs.n < s->batch)
		s->cursor = s->from > s->oldest ? s->from : INT64_MIN;
	return db_done(&rs);
}

/*
 * After the first query: ask the index, unless reading takes less: of so few events in
 * each block, or of so many with these words.
 */
static enum err
choose_way(struct db *db, struct search *s)
{
	int64_t span = s->newest - s->cursor, n = WHOLE;
	int first = s->server ? FIRST_PG : FIRST;
	enum err e;

	s->by_index = s->parts[0] != '\0' &&
		      (s->server ? s->fit < first / 4 : span >> BLOCK < first / FEW);
	if (!s->by_index)
		return OK;
	e = db_number(
	    db, &event_search_sql[OLDEST], ARGS(TEXT(s->account)), &s->oldest);
	if (e == OK && s->server && (s->cursor - s->oldest) / WHOLE < span / first)
		e = db_number(db, &event_search_sql[COUNT],
		    ARGS(TEXT(s->account), INT(WHOLE)), &n);
	s->whole = n < WHOLE;
	return e;
}

/* Prepare the next query; false: the search has a page, has seen all, or ends here. */
static bool
goes_on(struct search *s, size_t want, const struct buf *found)
{
	if (s->cursor == INT64_MIN)
		return false;
	s->batch = s->left / cost(s);
	if (s->by_index)
		s->from = s->server ? s->oldest : (s->cursor - 1) >> BLOCK << BLOCK;
	return found->len < want && s->batch > 0 &&
	       (s->queries == 1 || monotonic_us() < s->until_us);
}

enum err
event_search(struct db *db, const char *account, const struct event_query *q,
    struct buf *found, int64_t *rest)
{
	struct search s = {
		.account = account,
		.status = q->status,
		.server = db_is_server(db),
		.batch = db_is_server(db) ? FIRST_PG : FIRST,
		.left = db_is_server(db) ? BUDGET_PG : BUDGET,
		.cursor = q->before,
		.from = INT64_MIN,
		.oldest = INT64_MIN,
		.until_us = monotonic_us() + LONG_US,
	};
	size_t want = (size_t)q->limit * sizeof(s.cursor);
	struct arena *batch = arena_new();
	enum err e;

	read_words(found->mem, q->q, &s);
	e = check_candidates(db, batch, &s, want, found);
	if (e == OK && s.cursor != INT64_MIN)
		e = choose_way(db, &s);
	while (e == OK && goes_on(&s, want, found)) {
		arena_reset(batch);
		e = check_candidates(db, batch, &s, want, found);
	}
	arena_free(batch);
	*rest = s.cursor;
	return e;
}
