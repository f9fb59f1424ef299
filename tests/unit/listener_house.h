#ifndef TESTS_UNIT_LISTENER_HOUSE_H
#define TESTS_UNIT_LISTENER_HOUSE_H

/*
 * The program of listeners in a house, with an event that has a stage and a
 * channel to German and French.  Nobody has a credential.  A test defines
 * UNIT_TEST first.
 */
#include "tests/unit/event_rows.h"

#include "cgi-bin/listeners.c"

#define MADE_US (INT64_C(1795169924) * S_US) /* 2026-11-20T10:18:44Z */

static const char *event, *stage, *channel;

static const struct sql *const listener_prepared[] = { account_sql, bundle_sql,
	event_sql, stage_sql, channel_sql, join_sql, request_sql, queue_sql, NULL };

static inline void
listener_house(void)
{
	house_open("listeners", listener_routes, listener_prepared);
	house.bearer = NULL;
	event = put_event(house.account, "Health Forum", MADE_US);
	stage = put_stage(event, "Main stage");
	channel = put_channel(
	    house.account, stage, "Main hall", "[\"de\",\"fr\"]", MADE_US + 1);
}

/* "GET", "/qr.svg" of the event. */
static inline struct response
at_event(const char *method, const char *more, const char *body)
{
	return ask(arena_printf(
		       house.mem, "%s /saas/v2/event/public/%s%s", method, event, more),
	    body);
}

/* {"data":{...}} with $1, $2, ... in the place of ids. */
static inline const char *
data_of(const char *members, const char *const *ids)
{
	struct buf b = { .mem = house.mem };

	buf_str(&b, "{\"data\":{");
	for (const char *s = members; *s != '\0'; s++)
		if (*s == '$')
			buf_str(&b, ids[*++s - '1']);
		else
			buf_put(&b, s, 1);
	buf_str(&b, "}}");
	return buf_text(&b);
}

/*
 * Fail the n-th statement of a call for every n: it is told or made good, and
 * nothing is half done.  reset: what is done between the tries.
 */
static inline void
fail_each(struct response (*call)(void), const char *reset, enum err with, int status)
{
	int failed = 0, n;

	for (n = 1; n < 20; n++) {
		const char *before;
		struct response a;

		sql(reset);
		before = everything();
		db_fault(house.app.db, n, with);
		a = call();
		db_fault(house.app.db, 0, OK);
		if (a.status < 300)
			continue;
		ck_assert_int_eq(a.status, status);
		ck_assert_str_eq(everything(), before);
		failed++;
	}
	ck_assert_int_gt(failed, 0);
	ck_assert_int_lt(failed, n - 1);
}

#endif
