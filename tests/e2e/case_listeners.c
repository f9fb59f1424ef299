/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Public routes of an event, and the organiser's decisions on requests. The case writes
 * channels to the database, with the id of their stage.
 */
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/id.h"
#include "cases.h"
#include "db/db.h"

static struct account me;

static void
before(void)
{
	me = account_new("organiser");
}

static const char *
path_of(const char *event, const char *more)
{
	return text("/saas/v2/event/public/%s%s", event, more);
}

static struct answer
post(const char *path, const char *data)
{
	return ASK(.path = path, .json = text("{\"data\":{%s}}", data));
}

/* ---- events ---- */

struct held {
	const char *event, *stage;
};

static struct held
hold_event(const char *more)
{
	struct answer a = ASK(.path = "/saas/v2/event", .as = &me,
	    .json = text("{\"data\":{\"title\":\"Forum\",\"event_type\":\"online\","
			 "\"utc_start_dt\":\"2036-12-01T08:00:00Z\",\"utc_end_dt\":"
			 "\"2036-12-02T08:00:00Z\"%s}}",
		more));

	EXPECT(a, 201);
	return (struct held){ text_at(a.json, "data.event_id"),
		text_at(a.json, "data.stages.0.stage_id") };
}

static void
put_channel(const char *stage)
{
	static const struct sql ready = { "ready",
		"INSERT INTO channels (id, account, created_us, updated_us, type,"
		" event, stage, room_suffix, lifecycle, runtime, attempt, held,"
		" broadcast, name, input_type, source_language, target_languages,"
		" region, ignore_video, original_delay_s, original_volume, outputs)"
		" SELECT s.id, e.account, 1, 1, 'event', e.id, s.id, e.room_suffix,"
		" 'ready', 'active', 1, 1, s.id || '-1', 'Hall', 'webrtc_push', 'en',"
		" '[\"de\",\"fr\"]', 'local', 0, 0, 0, '[]' FROM stages s"
		" JOIN events e ON e.id = s.event WHERE s.id = $1",
		NULL };
	static const struct sql counted = { "counted",
		"UPDATE events SET channels_ready = 1, channels_active = 1"
		" WHERE id = (SELECT event FROM stages WHERE id = $1)",
		NULL };
	static const struct sql outdated = { "outdated",
		"INSERT INTO bundles (event, maker, hash, body) SELECT event, '', '', "
		"''"
		" FROM stages WHERE id = $1 ON CONFLICT (event) DO UPDATE SET maker = "
		"''",
		NULL };

	change_db(&ready, stage);
	change_db(&counted, stage);
	change_db(&outdated, stage);
}

static struct answer
change(const char *event, const char *data)
{
	struct answer a =
	    ASK(.method = "PATCH", .path = text("/saas/v2/event/%s", event), .as = &me,
		.json = text("{\"data\":{%s}}", data));

	EXPECT(a, 200);
	return a;
}

/* ---- the view ---- */

START_TEST(everybody_sees_what_the_owner_shows)
{
	static const char *const hidden[] = { "access_code", "cover_image_key",
		"finished_at", "is_recurring", "input_languages", "output_languages",
		"utc_created_at", "utc_updated_at" };
	struct held h = hold_event(",\"description\":\"Two days\"");
	json_t *own, *v;
	const char *key;
	struct answer a;

	put_channel(h.stage);
	a = ASK(.path = text("/saas/v2/event/%s", h.event), .as = &me);
	EXPECT(a, 200);
	own = at(a.json, "data");
	json_object_set_new(own, "captcha_required", json_false());
	for (int i = 0; i < ROWS(hidden); i++)
		json_object_del(own, hidden[i]);
	json_object_del(at(own, "stages.0.channels.0"), "lifecycle_status");
	a = ASK(.path = path_of(h.event, ""));
	EXPECT(a, 200);
	json_object_foreach(own, key, v) ck_assert_msg(
	    json_equal(v, at(a.json, text("data.%s", key))), "%s: %s", key, shown(&a));
	ck_assert_uint_eq(json_object_size(at(a.json, "data")), json_object_size(own));
	ck_assert_str_eq(header_of(&a, "Cache-Control"), "no-store");
}
END_TEST

START_TEST(a_view_is_sent_once_and_shows_every_change)
{
	struct held h = hold_event("");
	struct answer a = ASK(.path = path_of(h.event, ""));
	const char *tag = header_of(&a, "ETag");

	EXPECT(a, 200);
	for (int i = 0; i < 20; i++) { /* from any process */
		a = ASK(.path = path_of(h.event, ""),
		    .headers = { text("If-None-Match: %s", tag) });
		EXPECT(a, 304);
		ck_assert_uint_eq(a.n, 0);
		ck_assert_str_eq(header_of(&a, "ETag"), tag);
	}
	change(h.event, "\"title\":\"Congress\"");
	for (int i = 0; i < 20; i++) {
		a = ASK(.path = path_of(h.event, ""),
		    .headers = { text("If-None-Match: %s", tag) });
		EXPECT(a, 200);
		ck_assert_str_eq(text_at(a.json, "data.title"), "Congress");
	}
}
END_TEST

START_TEST(a_deleted_event_is_gone_for_everybody)
{
	struct held h = hold_event("");
	struct answer a = ASK(.path = path_of(h.event, ""));

	EXPECT(a, 200);
	a = ASK(.method = "DELETE", .path = text("/saas/v2/event/%s", h.event),
	    .as = &me);
	EXPECT(a, 200);
	a = ASK(.path = path_of(h.event, ""));
	expect_problem(&a, 404, "resource-not-found");
	a = ASK(.path = path_of(h.event, "/qr.svg"));
	expect_problem(&a, 404, "resource-not-found");
	a = post(path_of(h.event, "/join"), "\"language\":\"de\"");
	expect_problem(&a, 404, "resource-not-found");
}
END_TEST

START_TEST(a_code_opens_the_event)
{
	struct held h = hold_event(",\"access_code\":\"FORUM+26\"");
	struct answer a = ASK(.path = path_of(h.event, ""));

	expect_problem(&a, 403, "access-code-required");
	a = ASK(.path = path_of(h.event, "?code=FORUM+26")); /* a space */
	expect_problem(&a, 403, "access-code-required");
	a = ASK(.path = path_of(h.event, "?code=FORUM%2B26"));
	EXPECT(a, 200);
	a = ASK(.path = path_of(h.event, "?code=forum%2B26"));
	EXPECT(a, 200);
	a = post(path_of(h.event, "/join"), "\"language\":\"de\"");
	expect_problem(&a, 403, "access-code-required");
	put_channel(h.stage);
	a = post(path_of(h.event, "/join?code=FORUM%2B26"), "\"language\":\"de\"");
	EXPECT(a, 201);
	a = ASK(.path = path_of(h.event, "/qr.svg"));
	EXPECT(a, 200);
}
END_TEST

/* The rate window is a minute of the clock and may end between two calls. */
START_TEST(guesses_of_codes_are_slowed_down_and_known_codes_are_not)
{
	struct held h = hold_event(",\"access_code\":\"FORUM26\"");
	const char *wrong = path_of(h.event, "?code=FORUM27");
	const char *right = path_of(h.event, "?code=FORUM26");
	struct answer a = ASK(.path = right, .from = "127.0.0.5");
	int guesses = 0;

	EXPECT(a, 200);
	for (; a.status != 429 && guesses < 70; guesses++) {
		a = ASK(.path = wrong, .from = "127.0.0.4");
		ck_assert_msg(a.status == 403 || a.status == 429, "%s", shown(&a));
	}
	expect_problem(&a, 429, "rate-limited");
	ck_assert_ptr_nonnull(header_of(&a, "Retry-After"));
	ck_assert_int_gt(guesses, 30);
	a = ASK(.path = right, .from = "127.0.0.4");
	expect_problem(&a, 429, "rate-limited");
	for (int i = 0; i < guesses; i++)
		a = ASK(.path = wrong, .from = "127.0.0.5");
	a = ASK(.path = right, .from = "127.0.0.5");
	EXPECT(a, 200);
	a = ASK(.path = wrong);
	expect_problem(&a, 403, "access-code-required");
}
END_TEST

START_TEST(the_qr_code_is_a_picture_that_may_be_kept)
{
	struct held h = hold_event("");
	struct answer a = change(h.event, ""), again;

	a = ASK(.path = text_at(a.json, "data.stages.0.qr_code_url"));
	EXPECT(a, 200);
	ck_assert_str_eq(header_of(&a, "Content-Type"), "image/svg+xml");
	ck_assert_str_eq(header_of(&a, "Cache-Control"), "public, max-age=86400");
	ck_assert_int_eq(strncmp(a.body, "<svg ", 5), 0);
	again = ASK(.path = path_of(h.event, text("/qr.svg?stage=%s", h.stage)),
	    .headers = { text("If-None-Match: %s", header_of(&a, "ETag")) });
	EXPECT(again, 304);
	a = ASK(.path = path_of(h.event, text("/qr.svg?stage=%s", id_new(memory()))));
	expect_problem(&a, 404, "resource-not-found");
}
END_TEST

START_TEST(a_short_address_leads_to_a_hall_if_it_names_one)
{
	struct held h = hold_event("");
	struct answer a = change(h.event, "");
	const char *page = text("/%s", text_at(a.json, "data.join_code"));
	const char *hall = text("/listen/?e=%s&s=%s", h.event, h.stage);
	const char *whole = text("/listen/?e=%s", h.event);
	const char *const asked[][2] = {
		{ text("%s?s=%s", page, h.stage + strlen(h.stage) - 6), hall },
		{ text("%s?s=000000", page), whole },
		{ text("%s?utm_source=x", page), whole },
		{ page, whole },
	};

	for (size_t i = 0; i < sizeof(asked) / sizeof(asked[0]); i++) {
		a = ASK(.path = asked[i][0]);
		EXPECT(a, 302);
		ck_assert_str_eq(
		    strstr(header_of(&a, "Location"), "/listen/"), asked[i][1]);
	}
}
END_TEST

/* ---- joining ---- */

START_TEST(a_listener_gets_a_token_and_is_counted)
{
	struct held h = hold_event("");
	struct answer a;
	const char *who;

	a = post(path_of(h.event, "/join"), "\"language\":\"de\"");
	expect_problem(&a, 409, "language-not-available");
	put_channel(h.stage);
	a = post(path_of(h.event, "/join"), "\"language\":\"de\"");
	EXPECT(a, 201);
	who = text_at(a.json, "data.listener_id");
	ck_assert_str_eq(text_at(a.json, "data.channel_id"), h.stage);
	ck_assert_ptr_nonnull(strstr(
	    text_at(a.json, "data.ws_url"), text("/streaming-api/%.8s/", h.stage)));
	ck_assert(json_is_null(at(a.json, "data.hls_url")));
	ck_assert_ptr_nonnull(strchr(text_at(a.json, "data.token"), '.'));
	a = post(path_of(h.event, "/join"),
	    text("\"language\":\"original\",\"listener_id\":\"%s\"", who));
	EXPECT(a, 200);
	a = post(path_of(h.event, "/join"), "\"language\":\"de\"");
	EXPECT(a, 201);
	a = ASK(.path = text("/saas/v2/event/%s/stats", h.event), .as = &me);
	EXPECT(a, 200);
	ck_assert_int_eq(int_at(a.json, "data.participants_count"), 2);
	ck_assert_int_eq(int_at(a.json, "data.consumed_languages_count"), 2);
	ck_assert_str_eq(
	    text_at(a.json, "data.language_distribution.0.language"), "de");
}
END_TEST

START_TEST(a_listeners_token_opens_no_rest_route)
{
	struct held h = hold_event("");
	struct answer a;

	put_channel(h.stage);
	a = post(path_of(h.event, "/join"), "\"language\":\"de\"");
	a = ASK(.path = "/saas/v2/events", .headers = { text("Authorization: Bearer %s",
					       text_at(a.json, "data.token")) });
	expect_problem(&a, 401, "unauthorized");
}
END_TEST

/* ---- requests ---- */

#define SPANISH "\"type\":\"add_language\",\"payload\":{\"language\":\"es\"}"

static struct answer
decide(const struct held *h, const char *request, const char *what)
{
	return ASK(.path = text(
		       "/saas/v2/event/%s/requests/%s/%s", h->event, request, what),
	    .as = &me, .json = "{\"data\":{}}");
}

START_TEST(a_request_is_asked_listed_and_decided)
{
	struct held h = hold_event("");
	const char *list = text("/saas/v2/event/%s/requests", h.event), *id;
	struct answer a;

	put_channel(h.stage);
	a = post(path_of(h.event, "/requests"), SPANISH);
	EXPECT(a, 201);
	id = text_at(a.json, "data.request_id");
	a = post(path_of(h.event, "/requests"), SPANISH);
	EXPECT(a, 200);
	a = ASK(.path = list, .as = &me);
	EXPECT(a, 200);
	ck_assert_uint_eq(count_at(a.json, "data.requests"), 1);
	ck_assert_str_eq(text_at(a.json, "data.requests.0.request_id"), id);
	ck_assert_int_eq(int_at(a.json, "data.requests.0.request_count"), 2);
	ck_assert_int_eq(int_at(a.json, "data.language_capacity.used"), 2);
	a = decide(&h, id, "reject");
	EXPECT(a, 200);
	ck_assert_str_eq(text_at(a.json, "data.status"), "rejected");
	a = decide(&h, id, "approve");
	expect_problem(&a, 409, "request-already-decided");
	a = ASK(.path = list, .as = &me);
	ck_assert_uint_eq(count_at(a.json, "data.requests"), 0);
	a = post(path_of(h.event, "/requests"), SPANISH);
	ck_assert_str_eq(text_at(a.json, "data.status"), "rejected");
}
END_TEST

START_TEST(simultaneous_first_requests_ask_for_the_same)
{
	struct held h = hold_event("");
	struct answer a;

	for (int i = 0; i < 6; i++)
		if (fork() == 0) {
			post(path_of(h.event, "/requests"), SPANISH);
			_exit(0);
		}
	while (wait(NULL) > 0)
		;
	a = ASK(.path = text("/saas/v2/event/%s/requests", h.event), .as = &me);
	EXPECT(a, 200);
	ck_assert_uint_eq(count_at(a.json, "data.requests"), 1);
	ck_assert_int_eq(int_at(a.json, "data.requests.0.request_count"), 6);
}
END_TEST

START_TEST(a_request_that_needs_no_approval_is_approved_at_once)
{
	struct held h = hold_event(",\"listener_language_mode\":\"auto\"");
	struct answer a;

	account_plan(&me, "--event_languages", "2");
	put_channel(h.stage);
	a = post(path_of(h.event, "/requests"), SPANISH);
	expect_problem(&a, 403, "language-limit-reached");
	account_plan(&me, "--event_languages", "3");
	a = post(path_of(h.event, "/requests"), SPANISH);
	EXPECT(a, 201);
	ck_assert_str_eq(text_at(a.json, "data.status"), "approved");
	change(h.event, "\"listener_language_mode\":\"off\"");
	a = post(path_of(h.event, "/requests"), SPANISH);
	expect_problem(&a, 403, "listener-requests-off");
}
END_TEST

Suite *
listeners_suite(void)
{
	TCase *t;
	Suite *s = suite_of("listeners", before, &t);

	tcase_add_test(t, everybody_sees_what_the_owner_shows);
	tcase_add_test(t, a_view_is_sent_once_and_shows_every_change);
	tcase_add_test(t, a_deleted_event_is_gone_for_everybody);
	tcase_add_test(t, a_code_opens_the_event);
	tcase_add_test(t, guesses_of_codes_are_slowed_down_and_known_codes_are_not);
	tcase_add_test(t, the_qr_code_is_a_picture_that_may_be_kept);
	tcase_add_test(t, a_short_address_leads_to_a_hall_if_it_names_one);
	tcase_add_test(t, a_listener_gets_a_token_and_is_counted);
	tcase_add_test(t, a_listeners_token_opens_no_rest_route);
	tcase_add_test(t, a_request_is_asked_listed_and_decided);
	tcase_add_test(t, simultaneous_first_requests_ask_for_the_same);
	tcase_add_test(t, a_request_that_needs_no_approval_is_approved_at_once);
	return s;
}
