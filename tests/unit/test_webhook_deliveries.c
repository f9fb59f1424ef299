/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Messages to webhooks in both databases: their receivers, the order of leases, and the
 * states of a delivery and its webhook.
 */
#include "store/webhook_deliveries.h"
#include "tests/unit/webhook_rows.h"

#define HOLDER "a worker"
#define DAY_US (86400 * S_US)

/* Each test runs once for each database. */
#define ON_BOTH(name)                                                                  \
	static void name(int which);                                                   \
	START_TEST(name##_)                                                            \
	{                                                                              \
		books_open(_i);                                                        \
		account = books_account();                                             \
		name(_i);                                                              \
		books_close();                                                         \
	}                                                                              \
	END_TEST                                                                       \
	static void name(int which)

enum { ALL, SECOND_DUE, FAILURES, DISABLED, SQL_END };

/* clang-format off */
static const struct sql	 statements[] = {
	[ALL] = { "all", "SELECT count(*) FROM webhook_deliveries WHERE webhook = $1", NULL },
	[SECOND_DUE] = { "second_due", "SELECT count(*) FROM webhooks WHERE id = $1 AND due_us IS NOT NULL", NULL },
	[FAILURES] = { "failures", "SELECT failures FROM webhooks WHERE id = $1", NULL },
	[DISABLED] = { "disabled", "SELECT 1 - enabled FROM webhooks WHERE id = $1", NULL },
	[SQL_END] = { NULL, NULL, NULL },
};
/* clang-format on */

#define counted(what, id) books_number(&statements[what], id)

static struct list
lease_some(const char *id, int n)
{
	struct list l;
	const struct webhook_lease how = { HOLDER, 30, 4, n };
	enum err e = db_begin(db, DB_ALL);

	if (e == OK)
		e = webhook_delivery_lease(db, mem, id, &how, &l);
	is_ok(kept(e));
	return l;
}

static struct webhook_delivery
lease(const char *id)
{
	struct list l = lease_some(id, 1);

	ck_assert_uint_eq(l.n, 1);
	return *(struct webhook_delivery *)l.items;
}

static enum err
settle(const struct webhook_delivery *d, const struct webhook_result *r)
{
	enum err e = db_begin(db, DB_ALL);

	if (e == OK)
		e = webhook_delivery_settle(db, d, r);
	return kept(e);
}

#define RESULT(...) (&(const struct webhook_result){ .response_ms = 7, __VA_ARGS__ })
#define RETRY(at)                                                                      \
	RESULT(.status = "pending", .due_us = (at), .response_status = 500,            \
	    .error = "no")
#define ENDED(as, with, ...)                                                           \
	RESULT(.status = as, .due_us = NULL_INT, .response_status = with, __VA_ARGS__)
#define DELIVERED ENDED("delivered", 204)
#define FAILED ENDED("failed", 500, .error = "no")

static struct list
due(bool failing)
{
	struct list l;

	is_ok(webhook_due_list(db, mem, failing, 100, &l));
	return l;
}

static struct webhook_delivery
newest(const char *id)
{
	const struct list_cursor from = { false, NULL_INT, NULL, 1 };
	struct list l;

	is_ok(webhook_delivery_list(db, mem, account, id, &from, &l));
	ck_assert_uint_eq(l.n, 1);
	return *(struct webhook_delivery *)l.items;
}

/* Moves the times as if so much time had passed. */
static void
go_on(int64_t us)
{
	is_ok(db_script(
	    db, arena_printf(mem,
		    "UPDATE webhooks SET due_us = due_us - %lld,"
		    " good_us = good_us - %lld;"
		    "UPDATE webhook_deliveries SET due_us = due_us - %lld,"
		    " created_us = created_us - %lld",
		    (long long)us, (long long)us, (long long)us, (long long)us)));
}

/* ---- receivers of a message ---- */

ON_BOTH(a_message_goes_to_each_webhook_that_takes_its_type)
{
	const char *all = webhook("[\"*\"]"), *one = webhook("[\"voice.ready\"]"),
		   *other = webhook("[\"voice.failed\",\"event.live\"]"),
		   *off = webhook("[\"*\"]"),
		   *foreign = webhook_of(books_account(), "[\"*\"]");
	struct webhook_delivery a, b;
	struct webhook w = read_webhook(off);

	(void)which;
	w.enabled = false;
	is_ok(webhook_put(db, &w));
	emit("voice.ready");
	ck_assert_int_eq(counted(ALL, other), 0);
	ck_assert_int_eq(counted(ALL, off), 0);
	ck_assert_int_eq(counted(ALL, foreign), 0);
	a = lease(all);
	b = lease(one);
	ck_assert_str_eq(a.message, b.message);
	ck_assert_str_ne(a.id, b.id);
	ck_assert_str_eq(a.body, b.body);
	ck_assert_ptr_nonnull(
	    strstr(a.body, "{\"type\":\"voice.ready\",\"timestamp\":\"2"));
	ck_assert_ptr_nonnull(strstr(a.body, "Z\",\"data\":{\"a\":1}}"));
}

ON_BOTH(a_type_is_wanted_where_a_webhook_takes_it)
{
	(void)which;
	ck_assert_int_eq(webhook_wanted(db, account, "event.live"), ERR_NOT_FOUND);
	webhook("[\"voice.failed\",\"event.live\"]");
	is_ok(webhook_wanted(db, account, "event.live"));
	ck_assert_int_eq(webhook_wanted(db, account, "event.created"), ERR_NOT_FOUND);
	ck_assert_int_eq(
	    webhook_wanted(db, books_account(), "event.live"), ERR_NOT_FOUND);
}

ON_BOTH(a_rolled_back_transaction_leaves_no_message)
{
	const char *id = webhook("[\"*\"]");

	(void)which;
	is_ok(db_begin(db, DB_ALL));
	is_ok(webhook_emit(db, mem, account, "voice.ready", "{}"));
	db_rollback(db);
	ck_assert_int_eq(counted(ALL, id), 0);
	ck_assert_uint_eq(due(false).n, 0);
}

ON_BOTH(the_message_after_ten_thousand_pending_ones_fails_at_once)
{
	const char *id = webhook("[\"*\"]");
	struct webhook_delivery d;

	emit("voice.ready");
	is_ok(db_script(db,
	    arena_printf(mem,
		which == SQLITE
		    ? "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n"
		      " WHERE i < 9999) INSERT INTO webhook_deliveries (id, webhook,"
		      " account, message, type, status, tries, due_us, created_us, "
		      "body)"
		      " SELECT 'd' || i, '%s', '%s', 'm', 't', 'pending', 0, 1, 1, '' "
		      "FROM n"
		    : "INSERT INTO webhook_deliveries (id, webhook, account, message,"
		      " type, status, tries, due_us, created_us, body) SELECT 'd' || i,"
		      " '%s', '%s', 'm', 't', 'pending', 0, 1, 1, '' FROM"
		      " generate_series(1, 9999) i",
		id, account)));
	emit("voice.failed");
	d = newest(id);
	ck_assert_str_eq(d.type, "voice.failed");
	ck_assert_str_eq(d.status, "failed");
	ck_assert_str_eq(d.error, "Too many deliveries to this webhook are pending.");
	ck_assert(d.due_us == NULL_INT);
}

/* ---- leases ---- */

ON_BOTH(no_more_than_four_tries_of_a_webhook_are_leased)
{
	const char *id = webhook("[\"*\"]"), *next = webhook("[\"event.live\"]");
	struct list l;

	(void)which;
	for (int i = 0; i < 6; i++)
		emit("voice.ready");
	emit("event.live");
	l = lease_some(id, 100);
	ck_assert_uint_eq(l.n, 4);
	ck_assert_uint_eq(lease_some(id, 100).n, 0);
	/* the webhook whose slots are in use is skipped */
	ck_assert_uint_eq(due(false).n, 1);
	ck_assert_str_eq(((struct webhook_due *)due(false).items)->id, next);
	is_ok(settle(l.items, DELIVERED));
	ck_assert_uint_eq(due(false).n, 2);
	ck_assert_uint_eq(lease_some(id, 100).n, 1);
}

ON_BOTH(a_lease_that_ran_out_is_leased_again_and_its_holder_changes_nothing)
{
	const char *id = webhook("[\"*\"]");
	struct webhook_delivery first, again;

	(void)which;
	emit("voice.ready");
	first = lease(id);
	ck_assert_uint_eq(due(false).n, 0);
	go_on(31 * S_US);
	ck_assert_uint_eq(due(false).n, 1);
	again = lease(id);
	ck_assert_str_eq(first.message, again.message);
	ck_assert_str_eq(first.body, again.body);
	ck_assert_int_eq(settle(&first, DELIVERED), ERR_STALE);
	ck_assert_str_eq(newest(id).status, "pending");
	is_ok(settle(&again, DELIVERED));
	ck_assert_str_eq(newest(id).status, "delivered");
}

ON_BOTH(what_a_killed_worker_had_is_due_at_once)
{
	const char *id = webhook("[\"*\"]");
	int64_t n;

	(void)which;
	emit("voice.ready");
	lease(id);
	is_ok(webhook_delivery_reclaim(db, "another one", &n));
	ck_assert_int_eq(n, 0);
	is_ok(webhook_delivery_reclaim(db, HOLDER, &n));
	ck_assert_int_eq(n, 1);
	ck_assert_uint_eq(due(false).n, 1);
	ck_assert_int_eq(lease(id).tries, 0);
}

ON_BOTH(webhooks_whose_last_try_failed_are_listed_apart)
{
	const char *bad = webhook("[\"*\"]"), *good;
	struct webhook_delivery d;

	(void)which;
	emit("voice.ready");
	d = lease(bad);
	is_ok(
	    settle(&d, RESULT(.status = "pending", .due_us = now_us(), .error = "no")));
	good = webhook("[\"*\"]");
	emit("voice.failed");
	ck_assert_uint_eq(due(false).n, 1);
	ck_assert_str_eq(((struct webhook_due *)due(false).items)->id, good);
	ck_assert_uint_eq(due(true).n, 1);
	ck_assert_str_eq(((struct webhook_due *)due(true).items)->id, bad);
}

ON_BOTH(nothing_is_sent_for_an_account_that_is_suspended)
{
	(void)which;
	webhook("[\"*\"]");
	emit("voice.ready");
	is_ok(account_set_status(db, account, "suspended"));
	ck_assert_uint_eq(due(false).n, 0);
	is_ok(account_set_status(db, account, "active"));
	ck_assert_uint_eq(due(false).n, 1);
}

ON_BOTH(a_webhook_that_is_slow_counts_as_one_that_fails)
{
	const char *id = webhook("[\"*\"]");
	struct webhook_result slow = *ENDED("delivered", 200);
	struct webhook_delivery d;

	(void)which;
	slow.response_ms = 5000;
	emit("voice.ready");
	emit("voice.ready");
	d = lease(id);
	is_ok(settle(&d, &slow));
	ck_assert_uint_eq(due(false).n, 0);
	ck_assert_uint_eq(due(true).n, 1);
	d = lease(id);
	is_ok(settle(&d, DELIVERED));
	emit("voice.ready");
	ck_assert_uint_eq(due(false).n, 1);
}

/* ---- what becomes of it ---- */

ON_BOTH(a_try_is_told_of_its_delivery_and_of_the_webhook)
{
	const char *id = webhook("[\"*\"]");
	int64_t later = now_us() + 5 * S_US;
	struct webhook_delivery d;
	struct webhook w;

	(void)which;
	emit("voice.ready");
	d = lease(id);
	is_ok(settle(&d, RETRY(later)));
	d = newest(id);
	ck_assert_str_eq(d.status, "pending");
	ck_assert_int_eq(d.tries, 1);
	ck_assert_int_eq(d.due_us, later);
	ck_assert_int_eq(d.response_status, 500);
	ck_assert_int_eq(d.response_ms, 7);
	ck_assert_str_eq(d.error, "no");
	ck_assert_uint_eq(due(true).n, 0);
	w = read_webhook(id);
	webhook_fill_view(mem, &w);
	ck_assert_ptr_nonnull(strstr(
	    w.last_delivery, "{\"event_type\":\"voice.ready\",\"status\":\"pending\""));
	ck_assert_int_eq(w.failures, 0);
	ck_assert_int_eq(w.version, 2); /* as the reported record has changed */
	go_on(6 * S_US);
	d = lease(id);
	is_ok(settle(&d, DELIVERED));
	d = newest(id);
	ck_assert_str_eq(d.status, "delivered");
	ck_assert_int_eq(d.tries, 2);
	ck_assert(d.due_us == NULL_INT);
	ck_assert_ptr_null(d.error);
	ck_assert_int_eq(counted(SECOND_DUE, id), 0);
}

static void
fail_deliveries(const char *id, int n)
{
	struct webhook_delivery d;

	for (int i = 0; i < n; i++) {
		emit("voice.ready");
		d = lease(id);
		is_ok(settle(&d, FAILED));
	}
}

ON_BOTH(a_webhook_is_disabled_after_five_days_and_twenty_failed_deliveries)
{
	const char *id = webhook("[\"*\"]");
	struct webhook w;

	(void)which;
	fail_deliveries(id, 25); /* on one day */
	ck_assert_int_eq(counted(DISABLED, id), 0);
	ck_assert_int_eq(counted(FAILURES, id), 25);
	go_on(5 * DAY_US);
	fail_deliveries(id, 1);
	w = read_webhook(id);
	ck_assert(!w.enabled);
	ck_assert_str_eq(w.disabled_reason, "failing");
	ck_assert_int_eq(w.version, 28);
}

ON_BOTH(five_days_and_nineteen_failed_deliveries_do_not_disable_a_webhook)
{
	const char *id = webhook("[\"*\"]");

	(void)which;
	go_on(6 * DAY_US);
	fail_deliveries(id, 19);
	ck_assert_int_eq(counted(DISABLED, id), 0);
	fail_deliveries(id, 1);
	ck_assert_int_eq(counted(DISABLED, id), 1);
}

ON_BOTH(a_delivery_that_succeeds_begins_the_count_anew)
{
	const char *id = webhook("[\"*\"]");
	struct webhook_delivery d;

	(void)which;
	go_on(6 * DAY_US);
	fail_deliveries(id, 19);
	emit("voice.ready");
	d = lease(id);
	is_ok(settle(&d, DELIVERED));
	ck_assert_int_eq(counted(FAILURES, id), 0);
	fail_deliveries(id, 20);
	ck_assert_int_eq(counted(DISABLED, id), 0);
}

ON_BOTH(a_webhook_that_is_gone_is_disabled_and_what_is_pending_waits)
{
	const char *id = webhook("[\"*\"]");
	struct webhook_delivery d;
	struct webhook w;

	(void)which;
	emit("voice.ready");
	emit("voice.failed");
	d = lease(id);
	is_ok(settle(&d, ENDED("failed", 410, .error = "gone", .gone = true)));
	w = read_webhook(id);
	ck_assert(!w.enabled);
	ck_assert_str_eq(w.disabled_reason, "gone");
	ck_assert_uint_eq(due(false).n + due(true).n, 0);
	w.enabled = true;
	w.disabled_reason = NULL;
	ck_assert_int_eq(w.failures, 0); /* its tries are not used up */
	is_ok(webhook_put(db, &w));
	ck_assert_uint_eq(due(false).n, 1);
	ck_assert_str_eq(lease(id).type, "voice.failed");
}

ON_BOTH(a_delivery_is_sent_again_with_the_same_message)
{
	const char *id = webhook("[\"*\"]");
	struct webhook_delivery d, again;

	(void)which;
	emit("voice.ready");
	d = lease(id);
	is_ok(settle(&d, FAILED));
	is_ok(webhook_delivery_get(db, mem, account, id, d.id, &again));
	is_ok(webhook_delivery_again(db, &again));
	ck_assert_str_eq(newest(id).status, "pending");
	again = lease(id);
	ck_assert_str_eq(again.message, d.message);
	ck_assert_str_eq(again.body, d.body);
	ck_assert_int_eq(again.tries, 0);
	ck_assert_int_eq(
	    webhook_delivery_get(db, mem, books_account(), id, d.id, &again),
	    ERR_NOT_FOUND);
}

ON_BOTH(old_deliveries_and_those_of_a_dropped_webhook_are_removed)
{
	const char *id = webhook("[\"*\"]");
	struct webhook w = read_webhook(id);
	int64_t n, pending, failed;
	bool left;

	(void)which;
	emit("voice.ready");
	emit("voice.ready");
	fail_deliveries(id, 1);
	go_on(30 * DAY_US);
	emit("voice.ready");
	is_ok(webhook_delivery_counts(db, &pending, &failed));
	ck_assert_int_eq(pending + failed, 4);
	is_ok(webhook_delivery_expire(db, now_us() - 29 * DAY_US, 2, &n));
	ck_assert_int_eq(n, 2);
	is_ok(webhook_delivery_expire(db, now_us() - 29 * DAY_US, 2, &n));
	ck_assert_int_eq(n, 1);
	ck_assert_int_eq(counted(ALL, id), 1);
	emit("voice.ready");
	is_ok(webhook_drop(db, &w));
	is_ok(webhook_delivery_purge(db, id, 1, &left));
	ck_assert(left);
	is_ok(webhook_delivery_purge(db, id, 2, &left));
	ck_assert(!left);
	ck_assert_int_eq(counted(ALL, id), 0);
}

#define ADD(name) tcase_add_loop_test(t, name##_, 0, n)

static Suite *
all_tests(void)
{
	Suite *s = suite_create("webhook_deliveries");
	TCase *t = tcase_create("all");
	int n = books_count();

	tcase_set_timeout(t, 60);
	ADD(a_message_goes_to_each_webhook_that_takes_its_type);
	ADD(a_type_is_wanted_where_a_webhook_takes_it);
	ADD(a_rolled_back_transaction_leaves_no_message);
	ADD(the_message_after_ten_thousand_pending_ones_fails_at_once);
	ADD(no_more_than_four_tries_of_a_webhook_are_leased);
	ADD(a_lease_that_ran_out_is_leased_again_and_its_holder_changes_nothing);
	ADD(what_a_killed_worker_had_is_due_at_once);
	ADD(webhooks_whose_last_try_failed_are_listed_apart);
	ADD(a_webhook_that_is_slow_counts_as_one_that_fails);
	ADD(nothing_is_sent_for_an_account_that_is_suspended);
	ADD(a_try_is_told_of_its_delivery_and_of_the_webhook);
	ADD(a_webhook_is_disabled_after_five_days_and_twenty_failed_deliveries);
	ADD(five_days_and_nineteen_failed_deliveries_do_not_disable_a_webhook);
	ADD(a_delivery_that_succeeds_begins_the_count_anew);
	ADD(a_webhook_that_is_gone_is_disabled_and_what_is_pending_waits);
	ADD(a_delivery_is_sent_again_with_the_same_message);
	ADD(old_deliveries_and_those_of_a_dropped_webhook_are_removed);
	suite_add_tcase(s, t);
	return s;
}

int
main(void)
{
	return books_run(all_tests) != 0;
}
