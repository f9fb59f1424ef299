/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * .../transcript of channels and events: lines and files for organisers; captions of
 * public events for any visitor.
 */
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/id.h"
#include "base/lang.h"
#include "base/text.h"
#include "pipeline/blocked.h"
#include "service/transcript_file.h"
#include "store/channels.h"
#include "store/events.h"
#include "store/idempotent_responses.h"
#include "store/public_view_cache.h"
#include "web/access_code.h"
#include "web/web.h"

#define LIVE_US (600 * S_US) /* length of the part that a polling player gets */
#define DROPPED 5000         /* lines deleted in a transaction */

/* ---- input ---- */

struct lines_in {
	struct page page;
	const char *language, *format, *stage;
	int64_t from_us, to_us, zero_us;
	int64_t live;
};

struct line_in {
	const char *text, *speaker;
};

/* clang-format off */
static const char *
language_check(const char *s)
{
	char code[LANG_BYTES];

	return lang_spell(s, code) && (lang_in(lang_listenable, code) || lang_in(lang_spoken, code))
		   ? NULL : "must be the code of a language, or original";
}

static const char *const	 all_formats[] = { "json", "json-times", "txt", "srt", "vtt", "csv", "docx", NULL };
static const char *const	 public_formats[] = { "vtt", "srt", "txt", NULL };
static const struct field	 channel_query[] = FIELDS(
	{ "page_size", F_INT,  MEMBER(lines_in, page.size), 1, 100, F_IO | F_OPT },
	{ "language",  F_TEXT, MEMBER(lines_in, language),  1, 15,  F_IO | F_OPT, language_check },
	{ "format",    F_ENUM, MEMBER(lines_in, format),    0, 0,   F_IO | F_OPT, .names = all_formats },
	{ "from",      F_TIME, MEMBER(lines_in, from_us),   0, 0,   F_IO | F_OPT },
	{ "to",        F_TIME, MEMBER(lines_in, to_us),     0, 0,   F_IO | F_OPT },
	{ "zero",      F_TIME, MEMBER(lines_in, zero_us),   0, 0,   F_IO | F_OPT },
	{ "live",      F_INT,  MEMBER(lines_in, live),      0, 1,   F_IO | F_OPT }
);
static const struct field	 event_query[] = FIELDS(
	{ "page_size", F_INT,  MEMBER(lines_in, page.size), 1, 100, F_IO | F_OPT },
	{ "language",  F_TEXT, MEMBER(lines_in, language),  1, 15,  F_IO | F_OPT, language_check },
	{ "format",    F_ENUM, MEMBER(lines_in, format),    0, 0,   F_IO | F_OPT, .names = all_formats },
	{ "from",      F_TIME, MEMBER(lines_in, from_us),   0, 0,   F_IO | F_OPT },
	{ "to",        F_TIME, MEMBER(lines_in, to_us),     0, 0,   F_IO | F_OPT },
	{ "stage_id",  F_TEXT, MEMBER(lines_in, stage),     0, 0,   F_IO | F_OPT, .check = id_check },
	{ "zero",      F_TIME, MEMBER(lines_in, zero_us),   0, 0,   F_IO | F_OPT },
	{ "live",      F_INT,  MEMBER(lines_in, live),      0, 1,   F_IO | F_OPT }
);
static const struct field	 public_query[] = FIELDS(
	{ "code",      F_TEXT, MEMBER(lines_in, page.sort), 0, 0,   F_IO | F_OPT },
	{ "language",  F_TEXT, MEMBER(lines_in, language),  1, 15,  F_IO | F_OPT, language_check },
	{ "format",    F_ENUM, MEMBER(lines_in, format),    0, 0,   F_IO | F_OPT, .names = public_formats },
	{ "stage_id",  F_TEXT, MEMBER(lines_in, stage),     0, 0,   F_IO | F_OPT, .check = id_check },
	{ "zero",      F_TIME, MEMBER(lines_in, zero_us),   0, 0,   F_IO | F_OPT },
	{ "live",      F_INT,  MEMBER(lines_in, live),      0, 1,   F_IO | F_OPT }
);
static const struct field	 line_fields[] = FIELDS(
	{ "text",    F_TEXT, MEMBER(line_in, text),    1, 2000, F_IN },
	{ "speaker", F_TEXT, MEMBER(line_in, speaker), 1, 100,  F_IN | F_NULLABLE,
	  .help = "Of the phrase in all languages; null: unknown." }
);
/* clang-format on */

/* ---- lookup ---- */

static enum err
find_channel(struct request *rq)
{
	struct transcript_query *q = rq->it = arena_alloc(rq->mem, sizeof(*q));

	*q = (struct transcript_query){ .account = rq->who->account,
		.channel = rq->args[0] };
	return transcript_known(rq->db, q->account, q->channel);
}

static enum err
find_event(struct request *rq)
{
	struct event *ev = arena_alloc(rq->mem, sizeof(*ev));
	struct transcript_query *q = rq->it = arena_alloc(rq->mem, sizeof(*q));

	*q = (struct transcript_query){ .account = rq->who->account,
		.event = rq->args[0] };
	return event_get(rq->db, rq->mem, q->account, q->event, ev);
}

/* If the event's transcript is not public, answer as if there was none. */
static enum err
find_public(struct request *rq)
{
	struct cached_view *b = rq->it = arena_alloc(rq->mem, sizeof(*b));
	enum err e = public_view_cache_head(rq->db, rq->mem, rq->args[0], now_us(), b);

	return e == OK && strcmp(b->transcript, "public") != 0 ? ERR_NOT_FOUND : e;
}

static bool
admit(struct request *rq, struct reply *no)
{
	const struct cached_view *b = rq->it;

	return access_code_admit(rq, b->event, b->access_code, no);
}

/* A value too long for an id names no line. */
static enum err
find_line(struct request *rq)
{
	struct transcript_line *l = rq->it = arena_alloc(rq->mem, sizeof(*l));
	const char *id = rq->args[1];

	if (id[0] == '\0' || id[strspn(id, "0123456789")] != '\0' || strlen(id) > 18)
		return ERR_NOT_FOUND;
	return transcript_get(
	    rq->db, rq->mem, rq->who->account, rq->args[0], strtoll(id, NULL, 10), l);
}

/* ---- reading ---- */

static struct transcript_query
query_of(struct request *rq, const struct transcript_query *whose)
{
	const struct lines_in *in = rq->query;
	struct transcript_query q = *whose;

	q.language =
	    in->language != NULL ? lang_fold(rq->mem, in->language) : "original";
	q.stage = in->stage != NULL ? id_read(rq->mem, in->stage) : NULL;
	q.from_us = in->from_us != NULL_INT ? in->from_us : 0;
	q.to_us = in->to_us != NULL_INT ? in->to_us : INT64_MAX;
	return q;
}

static struct reply
list_lines(struct request *rq, const struct transcript_query *q)
{
	const struct page *p = &((const struct lines_in *)rq->query)->page;
	struct transcript_cursor at = { q->from_us, 0 };
	struct list l;
	enum err e;

	if (p->after_us != NULL_INT)
		at = (struct transcript_cursor){ p->after_us,
			strtoll(p->after_id, NULL, 10) };
	e = transcript_page(rq->db, rq->mem, q, &at, page_limit(p) + 1, &l);
	if (e != OK)
		return problem_err(rq, e);
	for (size_t i = 0; i < l.n; i++)
		transcript_fill_view(rq->mem, (struct transcript_line *)l.items + i);
	return reply_page(
	    rq, transcript_fields, l, ITEM(transcript_line, start_us, id_text));
}

/* ---- files ---- */

static const char *
file_name(struct request *rq, const struct transcript_file *f)
{
	bool all = strcmp(f->format, "csv") == 0;

	return arena_printf(rq->mem, "%s-%s-%s.%s",
	    f->lines.channel != NULL ? "channel" : "event",
	    f->lines.channel != NULL ? f->lines.channel : f->lines.event,
	    all ? "transcript" : f->lines.language,
	    transcript_file_extension(f->format));
}

/*
 * Limit the file to the last minutes, for a player that polls it. Times still count
 * from the beginning of the transcript, so a caption has the same times in each answer.
 */
static enum err
make_live(struct request *rq, struct transcript_file *f)
{
	int64_t from = now_us() - LIVE_US;
	enum err e = OK;

	if (f->zero_us == NULL_INT)
		e = transcript_begin(rq->db, &f->lines, &f->zero_us);
	if (f->lines.from_us < from)
		f->lines.from_us = from;
	return e;
}

static struct reply
reply_lines(struct request *rq, const struct transcript_file *f, bool live)
{
	struct transcript_made made;
	const char *tag;
	enum err e = transcript_file_make(rq->db, rq->mem, rq->conf, f, &made);

	if (e == ERR_NOT_FOUND)
		return problem(rq, P_NOT_FOUND, "There are no lines.");
	if (e != OK)
		return problem_err(rq, e);
	tag = arena_printf(rq->mem, "\"%.32s\"", made.hash);
	header(rq, "ETag", "%s", tag);
	header(rq, "Content-Type", "%s", transcript_file_type(f->format));
	if (!live)
		header(rq, "Content-Disposition", "attachment; filename=\"%s\"",
		    file_name(rq, f));
	if (!etag_known(rq, tag))
		return reply_file(rq, 200, made.fd, 0, made.bytes);
	reply_file(rq, 304, made.fd, 0, made.bytes);
	return reply_empty(rq, 304);
}

static struct reply
refuse_live(struct request *rq)
{
	return problem_faults(
	    rq, NULL, fault_add(rq->mem, NULL, "/live", "live needs the format vtt."));
}

static struct reply
send_file(struct request *rq, const struct transcript_query *whose, const char *format)
{
	const struct lines_in *in = rq->query;
	struct transcript_file f = { query_of(rq, whose), format, in->zero_us };
	bool live = in->live == 1;
	enum err e = live ? make_live(rq, &f) : OK;

	if (live && strcmp(format, "vtt") != 0)
		return refuse_live(rq);
	if (strcmp(format, "csv") == 0)
		f.lines.language = NULL;
	if (e == ERR_NOT_FOUND)
		return problem(rq, P_NOT_FOUND, "There are no lines.");
	return e != OK ? problem_err(rq, e) : reply_lines(rq, &f, live);
}

static struct reply
get_lines(struct request *rq)
{
	const struct lines_in *in = rq->query;
	struct transcript_query q = query_of(rq, rq->it);

	if (in->format == NULL || strcmp(in->format, "json") == 0)
		return in->live == 1 ? refuse_live(rq) : list_lines(rq, &q);
	return send_file(rq, rq->it, in->format);
}

static struct reply
get_public(struct request *rq)
{
	const struct cached_view *b = rq->it;
	struct lines_in *in = rq->query;
	const struct transcript_query q = {
		.account = b->account, .event = b->event, .public = true
	};

	in->from_us = in->to_us = NULL_INT;
	return send_file(rq, &q, in->format != NULL ? in->format : "vtt");
}

/* ---- changes ---- */

static struct fault *
line_rules(struct request *rq)
{
	return input_has(rq, "text") || input_has(rq, "speaker")
		   ? NULL
		   : fault_add(
			 rq->mem, NULL, "/data/text", "text or speaker is required.");
}

/* Correct a line, with the channel's blocked words masked. A deleted channel has none.
 */
static enum err
correct_text(struct request *rq, const char *text, struct transcript_line *l)
{
	struct channel c;
	struct list words;
	enum err e = channel_get(rq->db, rq->mem, l->account, l->channel, &c);

	if (e != OK && e != ERR_NOT_FOUND)
		return e;
	words = texts_read(rq->mem, e == OK ? c.blocked_words : "[]");
	text = blocked_mask(blocked_new(rq->mem, &words), rq->mem, text);
	return transcript_correct(rq->db, text, l);
}

static struct reply
correct_line(struct request *rq)
{
	const struct line_in *in = rq->in;
	struct transcript_line *l = rq->it;
	enum err e = OK;

	if (in->text != NULL)
		e = correct_text(rq, in->text, l);
	if (e == OK && input_has(rq, "speaker"))
		e = transcript_name_speaker(rq->db, in->speaker, l);
	if (e != OK)
		return problem_err(rq, e);
	transcript_fill_view(rq->mem, l);
	return reply_one(rq, 200, transcript_fields, l, 0);
}

/* Drop lines in several transactions, so that other requests can take the lock between
   two. */
static struct reply
drop_lines(struct request *rq)
{
	const struct transcript_query *q = rq->it;
	int64_t n = DROPPED;
	enum err e = OK;

	while (e == OK && n == DROPPED)
		if ((e = db_begin(rq->db, rq->who->account)) != OK ||
		    (e = transcript_drop(
			 rq->db, q->account, q->channel, DROPPED, &n)) != OK ||
		    (e = db_commit(rq->db)) != OK)
			return problem_err(rq, e);
	return reply_null(rq, 200);
}

/* clang-format off */
#define CHANNEL "/saas/channel/{channel_id}/transcript"
#define LINES(f) QUERY(f, struct lines_in), .token = "token", \
	  .shape = A_PAGE, .out = transcript_fields

const struct route	 transcript_routes[] = {
	{ "GET",    CHANNEL, get_lines, "channels:read", 0, find_channel, LINES(channel_query),
	  .summary = "Read the transcript of a channel", .also = "304" },
	{ "DELETE", CHANNEL, drop_lines, "channels:write", 0, find_channel,
	  .summary = "Delete the transcript of a channel" },
	{ "PATCH",  CHANNEL "/{line_id}", correct_line, "channels:run", JSON_BODY | PARTIAL | LOCKED, find_line,
	  BODY(line_fields, struct line_in), .rules = line_rules, .summary = "Correct a line", .shape = A_ONE,
	  .out = transcript_fields },
	{ "GET",    "/saas/v2/event/{event_id}/transcript", get_lines, "events:read", 0, find_event,
	  LINES(event_query), .summary = "Read the transcript of an event", .also = "304" },
	{ "GET",    "/saas/v2/event/public/{event_id}/transcript", get_public, NULL, PUBLIC,
	  find_public, admit, QUERY(public_query, struct lines_in),
	  .summary = "Read captions of an event", .shape = A_FILE, .also = "304" },
	ROUTES_END,
};
/* clang-format on */

PROGRAM("transcripts", transcript_routes, account_sql, channel_sql, event_sql,
    idempotent_response_sql, public_view_cache_sql, stage_sql, transcript_sql)
