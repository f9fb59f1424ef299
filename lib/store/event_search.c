/*
 * The search in title and description.  The database offers candidates, newest
 * first; which of them have all the words is decided here, on the folded text,
 * so that what is found does not depend on how it was looked for.
 */
#include "store/event_search.h"

#include <string.h>

#include "base/clock.h"
#include "base/text.h"

#define BATCH 500   /* candidates at once */
#define BUDGET 5000 /* candidates of one search, 3 to 10 us each */

/*
 * $1 account, $2 place, $3 now, $4 how many, $5 the longest word as a pattern,
 * $6 status.  Without a status the event's own row is not read.
 */
#define CANDIDATE                                                                      \
	"SELECT e.seq, t.folded, CASE WHEN CAST($6 AS TEXT) IS NULL THEN 1"            \
	" WHEN " EVENT_LIFECYCLE("$3") " = $6 THEN 1 ELSE 0 END"
#define OWN                                                                            \
	CANDIDATE " FROM events e CROSS JOIN event_texts t WHERE e.account = $1"       \
		  " AND e.seq < $2 AND t.rowid = e.seq"
#define LIKE " AND t.folded LIKE $5 ESCAPE '\\'"
#define NEWEST " ORDER BY e.seq DESC LIMIT $4"

enum { FEW, MANY, COUNT, SQL_END };

/* clang-format off */
const struct sql	 event_search_sql[] = {
	/* PostgreSQL chooses its index of trigrams by itself. */
	[FEW] = { "search.few", OWN " AND $5 IS NOT NULL" NEWEST, OWN LIKE NEWEST },
	/* Whose event it is, is asked before its row is read. */
	[MANY] = { "search.many",
	    CANDIDATE " FROM event_texts t CROSS JOIN events e WHERE t.event_texts MATCH $7"
	    " AND t.rowid < $2 AND EXISTS (SELECT 1 FROM events o INDEXED BY events_list"
	    " WHERE o.account = $1 AND o.seq = t.rowid) AND e.seq = t.rowid AND $5 IS NOT NULL"
	    " ORDER BY t.rowid DESC LIMIT $4",
	    OWN LIKE " AND CAST($7 AS TEXT) IS NOT NULL" NEWEST },
	[COUNT] = { "search.count",
	    "SELECT count(*) FROM (SELECT 1 FROM events WHERE account = $1 LIMIT $2) few", NULL },
	[SQL_END] = { NULL, NULL, NULL },
};
/* clang-format on */

struct search {
	const char *account, *status;
	struct list words; /* const char *, folded */
	const char *like;  /* the longest of them */
	const char *match; /* those that trigrams find, for FTS5; or NULL */
	int which;         /* FEW or MANY */
	int64_t place;     /* that it goes on behind */
	int64_t seen;
};

/* ---- words ---- */

static void
take_word(struct search *s, struct buf *words, struct buf *match, const char *word)
{
	buf_put(words, &word, sizeof(word));
	if (s->like == NULL || strlen(word) > strlen(s->like))
		s->like = word;
	if (text_length(word) < 3)
		return;
	buf_str(match, match->len > 0 ? " \"" : "\"");
	for (; *word != '\0'; word++)
		buf_put(match, *word == '"' ? "\"\"" : word, *word == '"' ? 2 : 1);
	buf_str(match, "\"");
}

static void
read_words(struct arena *mem, const char *q, struct search *s)
{
	struct buf words = { .mem = mem }, match = { .mem = mem };
	size_t n;

	for (q = text_fold(mem, q); *(q += strspn(q, " \t\n\v\f\r")) != '\0'; q += n) {
		n = strcspn(q, " \t\n\v\f\r");
		take_word(s, &words, &match, arena_dup(mem, q, n));
	}
	s->words = (struct list){ words.p, words.len / sizeof(char *) };
	s->match = match.len > 0 ? buf_text(&match) : NULL;
	s->like = s->like != NULL ? text_like(mem, s->like) : "%";
}

/* An index over everybody's events serves those well who have many of them. */
static enum err
choose(struct db *db, struct search *s)
{
	int64_t n = 0;
	enum err e = db_number(db, &event_search_sql[COUNT],
	    ARGS(TEXT(s->account), INT(EVENT_FEW + 1)), &n);

	s->which = n > EVENT_FEW && s->match != NULL ? MANY : FEW;
	return e;
}

/* ---- looking ---- */

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
	const struct val a[] = { { 0 }, TEXT(s->account), INT(s->place), INT(now_us()),
		INT(BATCH), TEXT(s->like), TEXT(s->status), TEXT(s->match) };

	return db_query(db, &event_search_sql[s->which], a, s->which == FEW ? 6 : 7);
}

/* One batch; what it looked at dies with mem, places go to found. */
static enum err
look_through(
    struct db *db, struct arena *mem, struct search *s, size_t want, struct buf *found)
{
	struct rows rs = candidates(db, s);

	while (found->len < want && db_next(&rs)) {
		s->place = row_int(&rs, 0);
		if (row_bool(&rs, 2) && has_words(s, row_text(&rs, 1, mem)))
			buf_put(found, &s->place, sizeof(s->place));
	}
	s->seen += rs.n;
	if (rs.n < BATCH && found->len < want)
		s->place = INT64_MIN;
	return db_done(&rs);
}

enum err
event_search(struct db *db, const char *account, const struct event_query *q,
    struct buf *found, int64_t *rest)
{
	struct search s = {
		.account = account, .status = q->status, .place = q->before
	};
	size_t want = (size_t)q->limit * sizeof(s.place);
	struct arena *batch = arena_new();
	enum err e;

	read_words(found->mem, q->q, &s);
	e = choose(db, &s);
	while (
	    e == OK && s.place != INT64_MIN && found->len < want && s.seen < BUDGET) {
		e = look_through(db, batch, &s, want, found);
		arena_reset(batch);
	}
	arena_free(batch);
	*rest = s.place;
	return e;
}
