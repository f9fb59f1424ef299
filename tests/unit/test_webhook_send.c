/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The worker that sends messages to webhooks, with a server that answers, hangs,
 * redirects, sends too much, refuses and recovers.
 */
#include "tests/unit/webhook_send_fixture.h"

/* ---- what is sent ---- */

START_TEST(a_message_is_sent_as_the_standard_has_it)
{
	const char *id = webhook("/ok?tenant=7"), *body, *message;

	emit();
	send_until(tries() == 1);
	body = of(id, "opened(body)");
	message = of(id, "message");
	ck_assert_int_eq(receiver_count(), 1);
	ck_assert_str_eq(receiver.got[0].target, "/ok?tenant=7");
	ck_assert_int_eq(strncmp(receiver.got[0].head, "POST ", 5), 0);
	ck_assert_str_eq(receiver.got[0].body, body);
	ck_assert_str_eq(received(0, "content-type"), "application/json");
	ck_assert_str_eq(received(0, "user-agent"), "dragoman/" VERSION);
	ck_assert_str_eq(received(0, "webhook-id"), message);
	ck_assert_str_eq(received(0, "webhook-signature"),
	    webhook_signature(w.conf, fixture.mem,
		&(struct webhook_due){ .id = id, .seed = "new" },
		&(struct webhook_delivery){ .message = message, .body = body },
		atoll(received(0, "webhook-timestamp"))));
	ck_assert_str_eq(of(id, "status, due_us, response_status, error"),
	    "delivered|NULL|204|NULL");
	ck_assert_int_eq(number("SELECT count(*) FROM webhooks WHERE due_us IS NULL"
				" AND last_status = 'delivered' AND failing = 0"),
	    1);
}
END_TEST

START_TEST(during_rotation_a_message_bears_two_signatures)
{
	webhook("/ok");
	sql(arena_printf(fixture.mem,
	    "UPDATE webhooks SET old_seed = 'old', old_until_us = %lld",
	    (long long)(now_us() + 3600 * S_US)));
	emit();
	send_until(tries() == 1);
	ck_assert_ptr_nonnull(strstr(received(0, "webhook-signature"), " v1,"));
	sql("UPDATE webhooks SET old_until_us = 1");
	emit();
	send_until(tries() == 2);
	ck_assert_ptr_null(strchr(received(1, "webhook-signature"), ' '));
}
END_TEST

START_TEST(all_that_is_due_is_sent_once)
{
	webhook("/ok");
	webhook("/ok/2");
	for (int i = 0; i < 50; i++)
		emit();
	send_until(tries() == 100);
	ck_assert_int_eq(receiver_count(), 100);
	ck_assert_int_eq(number("SELECT count(*) FROM webhook_deliveries"
				" WHERE status = 'delivered' AND tries = 1"),
	    100);
	step();
	ck_assert_int_eq(receiver_count(), 100);
}
END_TEST

/* ---- endpoints that do not take it ---- */

static const struct {
	const char *path, *columns; /* status, response_status, error */
} refusals[] = {
	{ "/redirect", "pending|302|It answered 302, and redirects are not followed." },
	{ "/answer-500", "pending|500|Oh \xc3\xa9 ? no" },
	{ "/answer-404", "pending|404|Oh \xc3\xa9 ? no" },
	{ "/answer-304",
	    "pending|304|It answered 304, and redirects are not followed." },
	{ "/answer-410", "failed|410|Oh \xc3\xa9 ? no" },
};

START_TEST(a_refusal_is_told_and_tried_again)
{
	const char *id = webhook(refusals[_i].path);

	receiver.text = "\r\n Oh \xc3\xa9 \xff\nno\t";
	emit();
	send_until(tries() == 1);
	ck_assert_str_eq(
	    of(id, "status, response_status, error"), refusals[_i].columns);
	ck_assert_int_eq(receiver_count(), 1);
	if (strncmp(refusals[_i].columns, "pending", 7) == 0) {
		ck_assert_int_ge(wait_s(id), 3);
		ck_assert_int_le(wait_s(id), 6);
	}
	ck_assert_int_eq(number("SELECT count(*) FROM webhooks WHERE enabled = 0"
				" AND disabled_reason = 'gone'"),
	    strstr(refusals[_i].columns, "410") != NULL);
}
END_TEST

static const struct {
	const char *path, *columns; /* status, response_status, error */
} stalls[] = {
	{ "/stall-200", "delivered|200|NULL" },
	{ "/stall-503", "pending|503|Not now, as" },
};

START_TEST(the_status_counts_though_the_body_hangs)
{
	const char *id = webhook(stalls[_i].path);
	int64_t began_us = monotonic_us();

	receiver.text = "Not now, as ";
	emit();
	send_until(tries() == 1);
	ck_assert_str_eq(of(id, "status, response_status, error"), stalls[_i].columns);
	ck_assert_int_lt(monotonic_us() - began_us, 8 * S_US);
}
END_TEST

START_TEST(what_retry_after_says_is_obeyed)
{
	const char *id = webhook("/answer-503");

	receiver.line = "Retry-After: 7200\r\n";
	emit();
	send_until(tries() == 1);
	ck_assert_int_ge(wait_s(id), 7100);
	ck_assert_int_le(wait_s(id), 7200);
}
END_TEST

START_TEST(an_answer_of_megabytes_is_not_read)
{
	const char *id = webhook("/large");

	emit();
	send_until(tries() == 1);
	ck_assert_str_eq(of(id, "status, response_status"), "delivered|200");
	await(receiver.large_bytes > 0);
	ck_assert_uint_lt(receiver.large_bytes, LARGE_BYTES / 2);
}
END_TEST

START_TEST(five_hundred_characters_of_an_answer_are_kept)
{
	const char *id = webhook("/answer-500");
	struct buf b = { .mem = fixture.mem };

	for (int i = 0; i < 40000; i++)
		buf_str(&b, "\xc3\xa9");
	receiver.text = buf_text(&b);
	emit();
	send_until(tries() == 1);
	ck_assert_str_eq(of(id, "length(error)"), "500");
}
END_TEST

static const char *const private_hosts[] = { "127.0.0.1", "localhost", "0x7f.1",
	"[::1]", "2130706433" };

START_TEST(a_private_address_is_not_called)
{
	const char *id = webhook_at(arena_printf(
	    fixture.mem, "http://%s:%d/ok", private_hosts[_i], receiver.port));

	fixture.app.conf.webhook_allow_private = false;
	emit();
	send_until(tries() == 1);
	ck_assert_int_eq(receiver_count(), 0);
	ck_assert_str_eq(of(id, "status, response_status, error"),
	    "pending|NULL|the address is not a public one");
}
END_TEST

START_TEST(an_endpoint_that_is_not_there_is_tried_again)
{
	const char *id = webhook_at("http://127.0.0.1:1/");

	emit();
	send_until(tries() == 1);
	ck_assert_str_eq(of(id, "status, response_status"), "pending|NULL");
	ck_assert_str_ne(of(id, "error"), "NULL");
}
END_TEST

START_TEST(an_endpoint_that_comes_back_after_a_day_gets_the_same_message)
{
	const char *id = webhook("/answer-503"), *message;

	emit();
	message = of(id, "message");
	for (int i = 1; i <= 9; i++) {
		send_until(tries() == i);
		go_on(DAY_US);
	}
	sql(arena_printf(fixture.mem,
	    "UPDATE webhooks SET url = 'http://127.0.0.1:%d/ok'", receiver.port));
	send_until(tries() == 10);
	ck_assert_str_eq(of(id, "status"), "delivered");
	for (int i = 0; i < 10; i++) {
		ck_assert_str_eq(received(i, "webhook-id"), message);
		ck_assert_str_eq(receiver.got[i].body, receiver.got[0].body);
	}
}
END_TEST

START_TEST(after_eleven_tries_it_has_failed)
{
	const char *id = webhook("/answer-500");

	emit();
	for (int i = 1; i <= 11; i++) {
		send_until(tries() == i);
		go_on(2 * DAY_US);
	}
	step();
	ck_assert_str_eq(of(id, "status, tries, due_us"), "failed|11|NULL");
	ck_assert_int_eq(receiver_count(), 11);
	ck_assert_int_eq(number("SELECT failures FROM webhooks"), 1);
	ck_assert_int_eq(number("SELECT enabled FROM webhooks"), 1);
}
END_TEST

/* ---- endpoints that hang ---- */

START_TEST(an_endpoint_that_hangs_gets_four_tries_at_a_time_and_delays_no_other)
{
	const char *good;

	webhook("/hang");
	for (int i = 0; i < 20; i++)
		emit();
	send_until(receiver_hanging() == 4);
	good = webhook("/ok");
	for (int i = 0; i < 3; i++)
		emit();
	send_until(number(arena_printf(fixture.mem,
		       "SELECT count(*) FROM webhook_deliveries WHERE webhook = '%s'"
		       " AND status = 'delivered'",
		       good)) == 3);
	ck_assert_int_eq(receiver.most, 4);
	ck_assert(is_busy());
}
END_TEST

START_TEST(endpoints_that_fail_leave_threads_to_the_others)
{
	const char *good;

	for (int i = 0; i < 40; i++)
		webhook(arena_printf(fixture.mem, "/hang/%d", i));
	sql("UPDATE webhooks SET failing = 1");
	emit();
	emit();
	send_until(receiver_hanging() == FAILING);
	good = webhook("/ok");
	emit();
	send_until(strcmp(of(good, "status"), "delivered") == 0);
	ck_assert_int_eq(receiver.most, FAILING);
}
END_TEST

START_TEST(there_are_thirty_two_tries_at_a_time)
{
	for (int i = 0; i < 40; i++)
		webhook(arena_printf(fixture.mem, "/hang/%d", i));
	emit();
	send_until(receiver_hanging() == ALL);
	step();
	ck_assert_int_eq(receiver.most, ALL);
	ck_assert_int_eq(
	    number("SELECT count(*) FROM webhook_deliveries WHERE holder IS NOT NULL"),
	    ALL);
}
END_TEST

START_TEST(a_database_that_fails_loses_nothing)
{
	webhook("/ok");
	for (int n = 1; n < 40; n++) {
		emit();
		db_fault(w.db, n, ERR_BUSY);
		if (send_due(&w) == OK && !is_busy())
			db_fault(w.db, 0, OK);
		arena_reset(fixture.wire);
		db_fault(w.db, 0, OK);
		ck_assert(db_idle(w.db));
		send_until(number("SELECT count(*) FROM webhook_deliveries"
				  " WHERE status = 'pending'") == 0);
	}
	ck_assert_int_eq(number("SELECT count(*) FROM webhook_deliveries"
				" WHERE status = 'delivered'"),
	    39);
}
END_TEST

START_TEST(what_a_deleted_webhook_left_is_removed)
{
	const char *id = webhook("/ok");

	emit();
	sql("DELETE FROM webhooks");
	ck_assert_int_eq(
	    queue_add(w.db, fixture.mem, WEBHOOK_PURGE, fixture.account, id), OK);
	ck_assert_int_eq(work_one(&w, kinds, "test"), OK);
	ck_assert_int_eq(number("SELECT count(*) FROM webhook_deliveries"), 0);
}
END_TEST

static Suite *
all_tests(void)
{
	Suite *s = suite_create("webhook_send");
	TCase *t = tcase_create("all");

	tcase_add_checked_fixture(t, setup, teardown);
	tcase_set_timeout(t, 90);
	tcase_add_test(t, a_message_is_sent_as_the_standard_has_it);
	tcase_add_test(t, during_rotation_a_message_bears_two_signatures);
	tcase_add_test(t, all_that_is_due_is_sent_once);
	tcase_add_loop_test(t, a_refusal_is_told_and_tried_again, 0, COUNT(refusals));
	tcase_add_loop_test(
	    t, the_status_counts_though_the_body_hangs, 0, COUNT(stalls));
	tcase_add_test(t, what_retry_after_says_is_obeyed);
	tcase_add_test(t, an_answer_of_megabytes_is_not_read);
	tcase_add_test(t, five_hundred_characters_of_an_answer_are_kept);
	tcase_add_loop_test(
	    t, a_private_address_is_not_called, 0, COUNT(private_hosts));
	tcase_add_test(t, an_endpoint_that_is_not_there_is_tried_again);
	tcase_add_test(
	    t, an_endpoint_that_comes_back_after_a_day_gets_the_same_message);
	tcase_add_test(t, after_eleven_tries_it_has_failed);
	tcase_add_test(
	    t, an_endpoint_that_hangs_gets_four_tries_at_a_time_and_delays_no_other);
	tcase_add_test(t, endpoints_that_fail_leave_threads_to_the_others);
	tcase_add_test(t, there_are_thirty_two_tries_at_a_time);
	tcase_add_test(t, a_database_that_fails_loses_nothing);
	tcase_add_test(t, what_a_deleted_webhook_left_is_removed);
	suite_add_tcase(s, t);
	return s;
}

int
main(void)
{
	return unit_run(all_tests());
}
