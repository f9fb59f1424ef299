/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Webhooks over HTTP: creating, reading, changing and deleting them, their secrets, and
 * their deliveries.
 */
#define UNIT_TEST
#include "tests/unit/unit.h"

#include "cgi-bin/webhooks.c"

#define DATA(members) "{\"data\":{" members "}}"
#define HOOK DATA("\"url\":\"https://example.org/hook\",\"events\":[\"voice.ready\"]")
#define ALL DATA("\"url\":\"https://example.org/hook\",\"events\":[\"*\"]")

static void
setup(void)
{
	static const struct sql *const prepared[] = { account_sql,
		idempotent_response_sql, webhook_sql, webhook_delivery_sql, queue_sql,
		NULL };

	fixture_open("webhooks", webhook_routes, prepared);
}

static struct response
on(const char *method, const char *id, const char *more, const char *body)
{
	return ask(
	    arena_printf(fixture.mem, "%s /saas/webhook/%s%s", method, id, more), body);
}

static const char *
made(const char *body)
{
	struct response a = ask("POST /saas/webhook", body);

	answered(a, 201);
	return said(&a, "/data/webhook_id");
}

static void
emit(const char *type)
{
	ck_assert_int_eq(db_begin(fixture.app.db, DB_ALL), OK);
	ck_assert_int_eq(
	    webhook_emit(fixture.app.db, fixture.mem, fixture.account, type, "{}"), OK);
	ck_assert_int_eq(db_commit(fixture.app.db), OK);
}

/* ---- making ---- */

START_TEST(a_new_webhook_answers_its_record_with_its_secret)
{
	struct response a = ask("POST /saas/webhook", HOOK), b;
	const char *id = said(&a, "/data/webhook_id"),
		   *when = said(&a, "/data/utc_created_at"),
		   *secret = said(&a, "/data/secret");
	size_t n;

	answered(a, 201);
	ck_assert_pstr_eq(head_of(&a, "ETag"), "\"v1\"");
	ck_assert_int_eq(strncmp(secret, "whsec_", 6), 0);
	ck_assert_ptr_nonnull(
	    base64_read(fixture.mem, secret + 6, strlen(secret + 6), &n));
	ck_assert_uint_eq(n, 32);
	b = on("GET", id, "", NULL);
	assert_same_body(b.body,
	    arena_printf(fixture.mem,
		"{\"ok\":true,\"data\":{\"webhook_id\":\"%s\",\"url\":"
		"\"https://example.org/hook\",\"description\":null,\"events\":"
		"[\"voice.ready\"],\"is_enabled\":true,\"is_pulled\":false,"
		"\"disabled_reason\":null,"
		"\"failures\":0,\"last_delivery\":null,\"utc_created_at\":\"%s\","
		"\"utc_updated_at\":\"%s\"}}",
		id, when, when));
}
END_TEST

START_TEST(the_secret_is_not_in_the_database)
{
	struct response a = ask("POST /saas/webhook", HOOK);
	const char *secret = said(&a, "/data/secret");
	const char *row = sql("SELECT * FROM webhooks");

	answered(a, 201);
	ck_assert_ptr_null(strstr(row, secret + 6));
	ck_assert_str_ne(said(&a, "/data/secret"), "(none)");
	a = ask("GET /saas/webhooks", NULL);
	is(a, "/data/items/0/secret", "(none)");
}
END_TEST

START_TEST(an_answer_that_is_kept_for_its_key_is_sealed)
{
	const char *const *key = HEADS("Idempotency-Key: \"once\"");
	struct response a = ask_with("POST /saas/webhook", HOOK, key), b;

	answered(a, 201);
	ck_assert_ptr_null(strstr(sql("SELECT * FROM answers"), "whsec_"));
	b = ask_with("POST /saas/webhook", HOOK, key);
	ck_assert_str_eq(a.body, b.body);
	ck_assert_int_eq(number("SELECT count(*) FROM webhooks"), 1);
}
END_TEST

static const struct {
	const char *members, *fault;
} refusals[] = {
	{ "\"events\":[\"*\"]", "/data/url: url is required." },
	{ "\"url\":\"http://example.org/\",\"events\":[\"*\"]",
	    "/data/url: url must be an https address of a public host." },
	{ "\"url\":\"https://10.1.2.3/\",\"events\":[\"*\"]",
	    "/data/url: url must be an https address of a public host." },
	{ "\"url\":\"https://localhost/\",\"events\":[\"*\"]",
	    "/data/url: url must be an https address of a public host." },
	{ "\"url\":\"https://me:secret@example.org/\",\"events\":[\"*\"]",
	    "/data/url: url must be an https address of a public host." },
	{ "\"url\":\"https://a/\"", "/data/events: events is required." },
	{ "\"url\":\"https://a/\",\"events\":[]",
	    "/data/events: events must have 1 to 20 items." },
	{ "\"url\":\"https://a/\",\"events\":[\"*\",\"voice.ready\"]",
	    "/data/events: events must be distinct types, or only *." },
	{ "\"url\":\"https://a/\",\"events\":[\"event.live\",\"event.live\"]",
	    "/data/events: events must be distinct types, or only *." },
	{ "\"url\":\"https://a/\",\"events\":[\"event.liv\"]", "/data/events/0: " },
	{ "\"url\":\"https://a/\",\"events\":[\"*\"],\"is_enabled\":1",
	    "/data/is_enabled: " },
};

START_TEST(what_is_wrong_is_told)
{
	struct response a = ask("POST /saas/webhook",
	    arena_printf(fixture.mem, DATA("%s"), refusals[_i].members));
	const char *faults = faults_of(&a);

	refused(a, 422, "validation-error");
	ck_assert_msg(
	    strncmp(faults, refusals[_i].fault, strlen(refusals[_i].fault)) == 0, "%s",
	    faults);
	ck_assert_int_eq(number("SELECT count(*) FROM webhooks"), 0);
}
END_TEST

START_TEST(a_setting_lets_webhooks_be_private)
{
	const char *http = DATA(
		       "\"url\":\"http://127.0.0.1:8080/h?a=1\",\"events\":[\"*\"]"),
		   *ftp = DATA("\"url\":\"ftp://127.0.0.1/\",\"events\":[\"*\"]");
	struct response a;

	fixture.app.conf.webhook_allow_private = true;
	made(http);
	a = ask("POST /saas/webhook", ftp);
	ck_assert_str_eq(
	    faults_of(&a), "/data/url: url must be an http or https address.");
}
END_TEST

START_TEST(every_type_and_no_other_may_be_taken)
{
	struct buf b = { .mem = fixture.mem };

	for (int i = 0; webhook_events[i][0] != '*'; i++)
		buf_printf(&b, "%s\"%s\"", i > 0 ? "," : "", webhook_events[i]);
	made(arena_printf(fixture.mem,
	    DATA("\"url\":\"https://example.org/\",\"events\":[%s]"), buf_text(&b)));
}
END_TEST

START_TEST(the_plan_bounds_their_number)
{
	struct response a;

	for (int i = 0; i < 10; i++)
		made(HOOK);
	a = ask("POST /saas/webhook", HOOK);
	refused(a, 403, "webhook-limit-reached");
	is(a, "/errors/0/detail", "The plan allows 10 webhooks.");
	sql("UPDATE accounts SET plan_webhooks = 11");
	made(HOOK);
	sql("UPDATE accounts SET plan_webhooks = 0");
	made(HOOK);
}
END_TEST

/* ---- changing ---- */

START_TEST(what_is_changed_stays_and_the_rest_is_as_it_was)
{
	const char *id = made(HOOK);
	struct response a = on("PATCH", id, "",
	    DATA("\"description\":\"Ours\",\"events\":[\"event.live\",\"event."
		 "finished\"]"));

	answered(a, 200);
	ck_assert_pstr_eq(head_of(&a, "ETag"), "\"v2\"");
	is(a, "/data/secret", "(none)");
	is(a, "/data/url", "https://example.org/hook");
	is(a, "/data/description", "Ours");
	is(a, "/data/events", "[\"event.live\",\"event.finished\"]");
	a = on("PATCH", id, "", DATA("\"description\":null"));
	is(a, "/data/description", "null");
	a = on("PATCH", id, "", DATA("\"url\":null"));
	refused(a, 422, "validation-error");
	a = on("PATCH", id, "", DATA(""));
	ck_assert_pstr_eq(head_of(&a, "ETag"), "\"v3\"");
}
END_TEST

START_TEST(an_owner_disables_and_enables_it)
{
	const char *id = made(ALL);
	struct response a;

	emit("voice.ready");
	a = on("PATCH", id, "", DATA("\"is_enabled\":false"));
	is(a, "/data/disabled_reason", "owner");
	ck_assert_int_eq(
	    number("SELECT count(*) FROM webhooks WHERE due_us IS NOT NULL"), 0);
	a = on("GET", id, "/deliveries", NULL);
	is(a, "/data/items/0/status", "pending");
	is(a, "/data/items/0/next_try_at", "null");
	sql("UPDATE webhooks SET disabled_reason = 'failing', failures = 22, good_us = "
	    "1");
	a = on("PATCH", id, "", DATA("\"is_enabled\":false"));
	is(a, "/data/disabled_reason", "failing");
	a = on("PATCH", id, "", DATA("\"is_enabled\":true"));
	is(a, "/data/disabled_reason", "null");
	is(a, "/data/failures", "0");
	ck_assert_int_eq(
	    number("SELECT count(*) FROM webhooks WHERE due_us > 0 AND good_us > 1"),
	    1);
	a = on("GET", id, "/deliveries", NULL);
	ck_assert_str_ne(said(&a, "/data/items/0/next_try_at"), "null");
}
END_TEST

START_TEST(a_change_of_another_version_is_refused)
{
	const char *id = made(HOOK);
	struct response a =
	    ask_with(arena_printf(fixture.mem, "PATCH /saas/webhook/%s", id),
		DATA("\"description\":\"x\""), HEADS("If-Match: \"v7\""));

	refused(a, 412, "stale-version");
	a = ask_with(arena_printf(fixture.mem, "DELETE /saas/webhook/%s", id), NULL,
	    HEADS("If-Match: \"v7\""));
	refused(a, 412, "stale-version");
}
END_TEST

START_TEST(a_rotated_secret_is_another_one_and_the_old_one_stays_for_a_day)
{
	struct response a = ask("POST /saas/webhook", HOOK), b;
	const char *id = said(&a, "/data/webhook_id");

	b = on("POST", id, "/rotate-secret", NULL);
	answered(b, 200);
	ck_assert_pstr_eq(head_of(&b, "ETag"), "\"v2\"");
	ck_assert_str_ne(said(&a, "/data/secret"), said(&b, "/data/secret"));
	ck_assert_int_eq(number(arena_printf(fixture.mem,
			     "SELECT old_until_us BETWEEN %lld AND %lld FROM webhooks",
			     (long long)(now_us() + 23 * 3600 * S_US),
			     (long long)(now_us() + 24 * 3600 * S_US))),
	    1);
}
END_TEST

START_TEST(a_deleted_one_is_gone_and_a_job_removes_what_was_sent)
{
	const char *id = made(ALL);
	struct response a;

	emit("voice.ready");
	answered(on("DELETE", id, "", NULL), 200);
	a = on("GET", id, "", NULL);
	refused(a, 404, "resource-not-found");
	a = on("GET", id, "/deliveries", NULL);
	refused(a, 404, "resource-not-found");
	ck_assert_int_eq(
	    number(arena_printf(fixture.mem,
		"SELECT count(*) FROM jobs WHERE kind = 'webhook.purge' AND ref = '%s'",
		id)),
	    1);
}
END_TEST

/* ---- what was sent ---- */

START_TEST(a_test_is_sent_whatever_types_it_takes)
{
	const char *id = made(HOOK), *body;
	struct response a = on("POST", id, "/test", NULL);

	answered(a, 202);
	is(a, "/data/event_type", "webhook.test");
	is(a, "/data/status", "pending");
	is(a, "/data/tries", "0");
	is(a, "/data/error", "null");
	is(a, "/data/response_status", "null");
	is(a, "/data/response_ms", "null");
	ck_assert_str_eq(
	    said(&a, "/data/next_try_at"), said(&a, "/data/utc_created_at"));
	body = sql("SELECT opened(body) FROM webhook_deliveries");
	ck_assert_ptr_nonnull(
	    strstr(body, "{\"type\":\"webhook.test\",\"timestamp\":\""));
	ck_assert_ptr_nonnull(strstr(
	    body, arena_printf(fixture.mem, "\"data\":{\"webhook_id\":\"%s\"", id)));
	ck_assert_ptr_null(strstr(body, "whsec_"));
}
END_TEST

START_TEST(deliveries_are_a_page_each)
{
	const char *id = made(ALL);
	struct response a;

	for (int i = 0; i < 3; i++)
		emit(webhook_events[i]);
	a = on("GET", id, "/deliveries?page_size=2&sort=asc", NULL);
	answered(a, 200);
	is(a, "/data/count", "2");
	is(a, "/data/items/0/event_type", webhook_events[0]);
	a = on("GET", id,
	    arena_printf(fixture.mem, "/deliveries?token=%s", said(&a, "/data/next")),
	    NULL);
	is(a, "/data/count", "1");
	is(a, "/data/items/0/event_type", webhook_events[2]);
	is(a, "/data/next", "null");
}
END_TEST

START_TEST(what_failed_is_sent_again_under_its_name)
{
	const char *id = made(ALL), *other = made(HOOK), *delivery, *message;
	struct response a;

	emit("event.live");
	sql("UPDATE webhook_deliveries SET status = 'failed', tries = 11, due_us = "
	    "NULL,"
	    " response_status = 500, response_ms = 12, error = 'Oh'");
	sql("UPDATE webhooks SET due_us = NULL");
	a = on("GET", id, "/deliveries", NULL);
	is(a, "/data/items/0/error", "Oh");
	delivery = said(&a, "/data/items/0/delivery_id");
	message = said(&a, "/data/items/0/webhook_message_id");
	a = on("POST", other,
	    arena_printf(fixture.mem, "/deliveries/%s/redeliver", delivery), NULL);
	refused(a, 404, "resource-not-found");
	a = on("POST", id,
	    arena_printf(fixture.mem, "/deliveries/%s/redeliver", delivery), NULL);
	answered(a, 202);
	is(a, "/data/status", "pending");
	is(a, "/data/tries", "0");
	is(a, "/data/webhook_message_id", message);
	ck_assert_int_eq(
	    number("SELECT count(*) FROM webhooks WHERE due_us IS NOT NULL"), 1);
}
END_TEST

/* ---- messages that a client fetches ---- */

#define PULLED                                                                         \
	DATA("\"url\":\"http://127.0.0.1:3000/hook\",\"events\":[\"*\"],"              \
	     "\"is_pulled\":true")
#define SETTLED                                                                        \
	DATA("\"lease_key\":\"%s\",\"status\":\"delivered\",\"response_status\":204,"  \
	     "\"response_ms\":12")

static struct response
settle(const char *id, const char *delivery, const char *key)
{
	return on("POST", id, arena_printf(fixture.mem, "/pull/%s", delivery),
	    arena_printf(fixture.mem, SETTLED, key));
}

START_TEST(messages_are_fetched_in_order_and_settled)
{
	const char *id = made(PULLED), *delivery, *key;
	struct response a = on("POST", id, "/pull", NULL), b;

	is(a, "/data", "[]");
	emit("event.live");
	emit("event.finished");
	ck_assert_int_eq(
	    number("SELECT count(*) FROM webhooks WHERE due_us IS NOT NULL"), 0);
	a = on("POST", id, "/pull", NULL);
	is(a, "/data/0/event_type", "event.live");
	ck_assert_ptr_nonnull(strstr(said(&a, "/data/0/body"), "event.live"));
	ck_assert_int_eq(strncmp(said(&a, "/data/0/webhook_signature"), "v1,", 3), 0);
	b = on("POST", id, "/pull", NULL); /* one at a time */
	is(b, "/data", "[]");
	delivery = said(&a, "/data/0/delivery_id");
	key = said(&a, "/data/0/lease_key");
	b = settle(id, delivery, key);
	answered(b, 200);
	b = settle(id, delivery, key);
	refused(b, 412, "stale-version");
	a = on("POST", id, "/pull", NULL);
	is(a, "/data/0/event_type", "event.finished");
	a = on("GET", id, arena_printf(fixture.mem, "/deliveries/%s", delivery), NULL);
	is(a, "/data/status", "delivered");
	is(a, "/data/response_status", "204");
	a = on("GET", id, "", NULL);
	is(a, "/data/last_delivery/event_type", "event.live");
}
END_TEST

START_TEST(a_fetched_message_that_is_not_settled_comes_again)
{
	const char *id = made(PULLED), *message;
	struct response a;

	emit("event.live");
	a = on("POST", id, "/pull", NULL);
	message = said(&a, "/data/0/webhook_message_id");
	sql("UPDATE webhook_deliveries SET due_us = due_us - 61000000");
	a = on("POST", id, "/pull", NULL);
	is(a, "/data/0/webhook_message_id", message);
}
END_TEST

START_TEST(only_an_enabled_pulled_webhook_gives_its_messages)
{
	const char *sent = made(ALL), *id = made(PULLED);
	struct response a = on("PATCH", id, "", DATA("\"is_enabled\":false"));

	answered(a, 200);
	a = on("POST", sent, "/pull", NULL);
	refused(a, 409, "webhook-not-pulled");
	a = on("POST", id, "/pull", NULL);
	refused(a, 409, "webhook-not-pulled");
	a = ask("POST /saas/webhook",
	    DATA("\"url\":\"http://127.0.0.1:3000/hook\",\"events\":[\"*\"]"));
	refused(a, 422, "validation-error");
	a = on("PATCH", id, "", DATA("\"is_enabled\":true"));
	answered(a, 200);
	ck_assert_int_eq(
	    number("SELECT count(*) FROM webhooks WHERE due_us IS NOT NULL"), 0);
}
END_TEST

static Suite *
all_tests(void)
{
	Suite *s = suite_create("webhooks");
	TCase *t = tcase_create("all");

	tcase_add_checked_fixture(t, setup, fixture_close);
	tcase_add_test(t, a_new_webhook_answers_its_record_with_its_secret);
	tcase_add_test(t, the_secret_is_not_in_the_database);
	tcase_add_test(t, an_answer_that_is_kept_for_its_key_is_sealed);
	tcase_add_loop_test(t, what_is_wrong_is_told, 0, COUNT(refusals));
	tcase_add_test(t, a_setting_lets_webhooks_be_private);
	tcase_add_test(t, every_type_and_no_other_may_be_taken);
	tcase_add_test(t, the_plan_bounds_their_number);
	tcase_add_test(t, what_is_changed_stays_and_the_rest_is_as_it_was);
	tcase_add_test(t, an_owner_disables_and_enables_it);
	tcase_add_test(t, a_change_of_another_version_is_refused);
	tcase_add_test(
	    t, a_rotated_secret_is_another_one_and_the_old_one_stays_for_a_day);
	tcase_add_test(t, a_deleted_one_is_gone_and_a_job_removes_what_was_sent);
	tcase_add_test(t, a_test_is_sent_whatever_types_it_takes);
	tcase_add_test(t, deliveries_are_a_page_each);
	tcase_add_test(t, what_failed_is_sent_again_under_its_name);
	tcase_add_test(t, messages_are_fetched_in_order_and_settled);
	tcase_add_test(t, a_fetched_message_that_is_not_settled_comes_again);
	tcase_add_test(t, only_an_enabled_pulled_webhook_gives_its_messages);
	suite_add_tcase(s, t);
	return s;
}

int
main(void)
{
	return unit_run(all_tests());
}
