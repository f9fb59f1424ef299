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

#define FIRST 200   /* events that are read before the index is used */
#define BATCH 500   /* candidates in one query */
#define BUDGET 2000 /* candidates of a search at most; each takes 1 to 4 us */

/*
 * $1 account, $2 cursor, $3 now, $4 limit, $5 status, $6 parts of the words for FTS5,
 * $7 the longest word as a pattern for PostgreSQL. Without a status the event's own row
 * is not read.
 */
#define CANDIDATE                                                                      \
	"SELECT e.seq, t.folded, CASE WHEN CAST($5 AS TEXT) IS NULL THEN 1"            \
	" WHEN " EVENT_LIFECYCLE("$3") " = $5 THEN 1 ELSE 0 END"

#define NEWEST                                                                         \
	CANDIDATE " FROM events e CROSS JOIN event_texts t WHERE e.account = $1"       \
		  " AND e.seq < $2 AND t.rowid = e.seq"
#define TERMS                                                                          \
	CANDIDATE " FROM event_terms i CROSS JOIN event_texts t CROSS JOIN events e"   \
		  " WHERE i.event_terms MATCH grams($1, $6, 0) AND i.rowid < $2"       \
		  " AND t.rowid = i.rowid AND t.account = $1 AND e.seq = t.rowid"      \
		  " AND $7 IS NOT NULL ORDER BY i.rowid DESC LIMIT $4"

enum { READ, ASK, ASK_SHORT, SQL_END };

/* clang-format off */
const struct sql	 event_search_sql[SQL_END + 1] = {
	[READ] = { "search.read", NEWEST " ORDER BY e.seq DESC LIMIT $4" },
	[ASK] = { "search.ask", TERMS,
	    "WITH t AS MATERIALIZED (SELECT rowid, folded FROM event_texts WHERE account = $1"
	    " AND rowid < $2 AND folded LIKE $7 ESCAPE '\\' AND CAST($6 AS TEXT) IS NOT NULL) "
	    CANDIDATE " FROM t JOIN events e ON e.seq = t.rowid ORDER BY t.rowid DESC LIMIT $4" },
	/* for two characters PostgreSQL would read its whole index */
	[ASK_SHORT] = { "search.ask_short", TERMS,
	    NEWEST " AND CAST($6 AS TEXT) IS NOT NULL AND CAST($7 AS TEXT) IS NOT NULL"
	    " ORDER BY e.seq DESC LIMIT $4" },
};
/* clang-format on */

struct search {
	const char *account, *status;
	struct list words; /* const char *, folded */
	const char *parts; /* parts of the words, for the index; "": none */
	const char *like;  /* pattern of the longest word, for the index; NULL: none */
	int ask;           /* the statement that uses the index */
	int batch;         /* candidates of the next query */
	int64_t cursor;    /* seq of the last candidate */
	int64_t seen;
};

/* ---- words ---- */

static void
read_words(struct arena *mem, const char *q, struct search *s)
{
	struct buf words = { .mem = mem };
	const char *word, *longest = "";
	size_t n;

	q = text_fold(mem, q);
	s->parts = grams_parts(mem, q);
	for (; *(q += strspn(q, " \t\n\v\f\r")) != '\0'; q += n) {
		n = strcspn(q, " \t\n\v\f\r");
		word = arena_dup(mem, q, n);
		buf_put(&words, &word, sizeof(word));
		if (text_length(word) > text_length(longest))
			longest = word;
	}
	s->like = text_like(mem, longest);
	s->ask = s->parts[0] == '\0'                    ? READ
		 : text_length(longest) < GRAMS_LONGEST ? ASK_SHORT
							: ASK;
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
		INT(s->batch), TEXT(s->status), TEXT(s->parts), TEXT(s->like) };
	int which = s->seen > 0 ? s->ask : READ;

	return db_query(db, &event_search_sql[which], a, which == READ ? 5 : 7);
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
		s->cursor = INT64_MIN;
	s->batch = BATCH;
	return db_done(&rs);
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
	struct arena *batch = arena_new();
	enum err e = OK;

	read_words(found->mem, q->q, &s);
	while (
	    e == OK && s.cursor != INT64_MIN && found->len < want && s.seen < BUDGET) {
		e = check_candidates(db, batch, &s, want, found);
		arena_reset(batch);
	}
	arena_free(batch);
	*rest = s.cursor;
	return e;
}
