/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Channels from creation to deletion, with the gateway's own backend and the worker. */
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/id.h"
#include "cases.h"
#include "db/db.h"

#define SOON_S 20 /* seconds for the worker's job */

static struct account me;

static void
before(void)
{
	me = account_new("channels");
}

static struct answer
add(const struct account *as, const char *members)
{
	return ASK(.path = "/saas/channel", .as = as,
	    .json = text("{\"data\":{\"name\":\"Main hall\"%s}}", members));
}

static const char *
path_of(const char *id)
{
	return text("/saas/channel/%s", id);
}

static struct answer
patch(const char *id, const char *members)
{
	return ASK(.method = "PATCH", .path = path_of(id), .as = &me,
	    .json = text("{\"data\":{%s}}", members));
}

static struct answer
drop(const char *path)
{
	return ASK(.method = "DELETE", .path = path, .as = &me);
}

/* The id of an event whose channels are German by default. */
static const char *
hold_event(const char *more)
{
	struct answer a = ASK(.path = "/saas/v2/event", .as = &me,
	    .json = text("{\"data\":{\"title\":\"Forum\",\"event_type\":\"online\","
			 "\"utc_start_dt\":\"2036-12-01T08:00:00Z\",\"utc_end_dt\":"
			 "\"2036-12-02T08:00:00Z\",\"target_languages\":[\"de\"]%s}}",
		more));

	EXPECT(a, 201);
	return text_at(a.json, "data.event_id");
}

static struct answer
event_read(const char *id)
{
	return ASK(.path = text("/saas/v2/event/%s", id), .as = &me);
}

/* A channel that is ready, of that event. */
static const char *
channel_of(const char *event)
{
	struct answer a =
	    add(&me, text(",\"type\":\"event\",\"event_id\":\"%s\"", event));

	EXPECT(a, 201);
	ck_assert_str_eq(text_at(a.json, "data.lifecycle_status"), "ready");
	return text_at(a.json, "data.channel_id");
}

static const char *
channel_alone(void)
{
	struct answer a = add(&me, ",\"type\":\"standalone\"");

	EXPECT(a, 201);
	return text_at(a.json, "data.channel_id");
}

/* ---- its life ---- */

START_TEST(a_channel_lives_in_its_event)
{
	const char *event = hold_event(""), *id = channel_of(event);
	struct answer a = ASK(.path = path_of(id), .as = &me);

	EXPECT(a, 200);
	ck_assert_str_eq(text_at(a.json, "data.broadcast_id"), text("%s-1", id));
	ck_assert_str_eq(text_at(a.json, "data.target_languages.0"), "de");
	ck_assert_str_eq(text_at(a.json, "data.input.protocol"), "webrtc_push");
	ck_assert_ptr_nonnull(strstr(text_at(a.json, "data.input.url"), "://"));
	ck_assert_str_ne(text_at(a.json, "data.input.token"), "");
	a = event_read(event);
	ck_assert_str_eq(text_at(a.json, "data.lifecycle_status"), "upcoming");
	ck_assert_str_eq(text_at(a.json, "data.stages.0.channels.0.channel_id"), id);
	a = patch(
	    id, "\"target_languages\":[\"fr\",\"IT\"],\"source_language\":\"en\"");
	EXPECT(a, 200);
	a = event_read(event);
	ck_assert_int_eq(count_at(a.json, "data.output_languages"), 2);
	ck_assert_str_eq(text_at(a.json, "data.output_languages.1"), "it");
	ck_assert_str_eq(text_at(a.json, "data.input_languages.0"), "en");
	a = drop(path_of(id));
	EXPECT(a, 200);
	ck_assert_str_eq(a.body, "{\"ok\":true,\"data\":null}");
	a = ASK(.path = path_of(id), .as = &me);
	expect_problem(&a, 404, "resource-not-found");
	a = event_read(event);
	ck_assert_int_eq(count_at(a.json, "data.stages.0.channels"), 0);
	ck_assert_str_eq(text_at(a.json, "data.lifecycle_status"), "setup_required");
}
END_TEST

START_TEST(everybody_sees_a_channel_as_it_is_now)
{
	const char *event = hold_event(""), *id;
	const char *path = text("/saas/v2/event/public/%s", event);
	struct answer a = ASK(.path = path);

	EXPECT(a, 200);
	ck_assert_int_eq(count_at(a.json, "data.stages.0.channels"), 0);
	id = channel_of(event);
	a = ASK(.path = path);
	ck_assert_str_eq(text_at(a.json, "data.stages.0.channels.0.channel_id"), id);
	patch(id, "\"name\":\"Other hall\"");
	a = ASK(.path = path);
	ck_assert_str_eq(
	    text_at(a.json, "data.stages.0.channels.0.name"), "Other hall");
	drop(path_of(id));
	a = ASK(.path = path);
	ck_assert_int_eq(count_at(a.json, "data.stages.0.channels"), 0);
}
END_TEST

START_TEST(a_new_channel_says_where_it_is)
{
	struct answer a = add(&me, ",\"type\":\"standalone\"");
	const char *where = header_of(&a, "Location");

	EXPECT(a, 201);
	ck_assert_ptr_nonnull(where);
	ck_assert_ptr_nonnull(header_of(&a, "ETag"));
	a = ASK(.path = where, .as = &me);
	EXPECT(a, 200);
}
END_TEST

static bool
is_null_at(const struct answer *a, const char *path)
{
	return json_is_null(at(a->json, path));
}

START_TEST(a_key_that_may_only_read_is_told_nothing_to_speak_with)
{
	struct account reads = account_limited(&me, "channels:read");
	const char *id = channel_alone();
	struct answer a = ASK(.path = path_of(id), .as = &reads), all;

	EXPECT(a, 200);
	ck_assert_str_ne(text_at(a.json, "data.input.url"), "");
	ck_assert(is_null_at(&a, "data.input.token"));
	all = ASK(.path = "/saas/channels", .as = &reads);
	EXPECT(all, 200);
	ck_assert_uint_gt(count_at(all.json, "data"), 0);
	ck_assert(is_null_at(&all, "data.0.input.token"));
	a = ASK(.path = path_of(id), .as = &me);
	ck_assert_str_ne(text_at(a.json, "data.input.token"), "");
}
END_TEST

START_TEST(channels_are_listed_by_event_and_stage)
{
	const char *event =
	    hold_event(",\"stages\":[{\"name\":\"A\"},{\"name\":\"B\"}]");
	const char *first = channel_of(event), *second, *stage;
	struct answer a = event_read(event);

	stage = text_at(a.json, "data.stages.1.stage_id");
	a = add(&me, text(",\"type\":\"event\",\"event_id\":\"%s\",\"stage_id\":\"%s\"",
			 event, stage));
	EXPECT(a, 201);
	second = text_at(a.json, "data.channel_id");
	a = ASK(.path = text("/saas/channels?event_id=%s", event), .as = &me);
	EXPECT(a, 200);
	ck_assert_int_eq(count_at(a.json, "data"), 2);
	ck_assert_str_eq(text_at(a.json, "data.0.channel_id"), first);
	ck_assert_str_eq(text_at(a.json, "data.1.channel_id"), second);
	a = ASK(.path = text("/saas/channels?stage_id=%s&event_id=%s", stage, event),
	    .as = &me);
	ck_assert_int_eq(count_at(a.json, "data"), 1);
	ck_assert_str_eq(text_at(a.json, "data.0.channel_id"), second);
	a = ASK(.path = "/saas/channels?event_id=forum", .as = &me);
	expect_problem(&a, 422, "validation-error");
}
END_TEST

START_TEST(versions_keep_two_writers_apart)
{
	const char *id = channel_alone(), *etag;
	struct answer a = ASK(.path = path_of(id), .as = &me);

	etag = header_of(&a, "ETag");
	a = ASK(.path = path_of(id), .as = &me,
	    .headers = { text("If-None-Match: %s", etag) });
	EXPECT(a, 304);
	for (int i = 0; i < 2; i++) {
		a = ASK(.method = "PATCH", .path = path_of(id), .as = &me,
		    .headers = { text("If-Match: %s", etag) },
		    .json = text("{\"data\":{\"name\":\"Writer %d\"}}", i));
		if (i == 0)
			EXPECT(a, 200);
		else
			expect_problem(&a, 412, "stale-version");
	}
}
END_TEST

START_TEST(a_protocol_that_is_lacking_fails_the_channel)
{
	struct answer a =
	    add(&me, ",\"type\":\"standalone\",\"input_type\":\"rtmp_push\"");
	const char *id, *why;

	EXPECT(a, 201);
	id = text_at(a.json, "data.channel_id");
	ck_assert_str_eq(text_at(a.json, "data.lifecycle_status"), "failed");
	why = text_at(a.json, "data.error"); /* the backend: a Janus, or the gateway */
	ck_assert(strstr(why, "rtmp_push") != NULL || strstr(why, "RTMP") != NULL);
	ck_assert(json_is_null(at(a.json, "data.input")));
	a = ASK(.method = "POST", .path = text("%s/retry", path_of(id)), .as = &me);
	EXPECT(a, 200);
	ck_assert_str_eq(text_at(a.json, "data.lifecycle_status"), "failed");
	a = drop(path_of(id));
	EXPECT(a, 200);
	a = ASK(.path = path_of(id), .as = &me);
	expect_problem(&a, 404, "resource-not-found");
}
END_TEST

START_TEST(a_retry_of_a_ready_channel_changes_nothing)
{
	const char *id = channel_alone();
	struct answer a = ASK(.path = path_of(id), .as = &me), b;

	b = ASK(.method = "POST", .path = text("%s/retry", path_of(id)), .as = &me);
	EXPECT(b, 200);
	ck_assert_str_eq(header_of(&a, "ETag"), header_of(&b, "ETag"));
	ck_assert_str_eq(
	    text_at(a.json, "data.broadcast_id"), text_at(b.json, "data.broadcast_id"));
}
END_TEST

/* ---- several at once ---- */

START_TEST(one_key_makes_one_channel)
{
	struct account one = account_new("one channel");
	struct answer a;

	for (int i = 0; i < 4; i++)
		if (fork() == 0) {
			ASK(.path = "/saas/channel", .as = &one,
			    .headers = { "Idempotency-Key: \"once\"" },
			    .json =
				"{\"data\":{\"type\":\"standalone\",\"name\":\"A\"}}");
			_exit(0);
		}
	while (wait(NULL) > 0)
		;
	a = ASK(.path = "/saas/channels", .as = &one);
	ck_assert_int_eq(count_at(a.json, "data"), 1);
}
END_TEST

START_TEST(channels_made_at_once_do_not_pass_the_plan)
{
	static const char *const languages[] = { "de", "fr", "it", "es" };
	const char *event = hold_event("");
	struct answer a;

	account_plan(&me, "--event_languages", "2");
	for (int i = 0; i < 4; i++)
		if (fork() == 0) {
			add(&me, text(",\"type\":\"event\",\"event_id\":\"%s\","
				      "\"target_languages\":[\"%s\"]",
				     event, languages[i]));
			_exit(0);
		}
	while (wait(NULL) > 0)
		;
	a = event_read(event);
	ck_assert_int_eq(count_at(a.json, "data.output_languages"), 2);
	a = add(&me, text(",\"type\":\"event\",\"event_id\":\"%s\","
			  "\"target_languages\":[\"pl\"]",
			 event));
	expect_problem(&a, 403, "language-limit-reached");
	account_plan(&me, "--event_languages", "0");
}
END_TEST

/* ---- the worker ---- */

static bool
is_ready(const void *id)
{
	struct answer a = ASK(.path = path_of(id), .as = &me);

	EXPECT(a, 200);
	return strcmp(text_at(a.json, "data.lifecycle_status"), "ready") == 0;
}

static bool
is_gone(const void *id)
{
	struct answer a = ASK(.path = path_of(id), .as = &me);

	return a.status == 404;
}

START_TEST(what_a_program_that_died_left_is_made_by_the_worker)
{
	static const struct sql undone = { "undone",
		"UPDATE channels SET lifecycle = 'creating', broadcast = NULL,"
		" runtime = NULL WHERE id = $1",
		NULL };
	static const struct sql left = { "left",
		"INSERT INTO jobs (id, kind, account, ref, state, due_us, tries,"
		" created_us) SELECT id, 'channel.create', account, id, 'leased', 1, "
		"1, 1"
		" FROM channels WHERE id = $1",
		NULL };
	const char *id = channel_of(hold_event(""));
	struct answer a;

	change_db(&undone, id);
	change_db(&left, id);
	ck_assert(becomes(is_ready, id, SOON_S));
	a = ASK(.path = path_of(id), .as = &me);
	ck_assert_str_eq(text_at(a.json, "data.broadcast_id"), text("%s-1", id));
}
END_TEST

START_TEST(a_deleted_event_takes_its_channels_along)
{
	const char *event = hold_event(""), *id = channel_of(event);
	struct answer a = drop(text("/saas/v2/event/%s", event));

	EXPECT(a, 202);
	a = event_read(event);
	expect_problem(&a, 404, "resource-not-found");
	ck_assert(becomes(is_gone, id, SOON_S));
}
END_TEST

static bool
has_spanish(const void *id)
{
	struct answer a = ASK(.path = path_of(id), .as = &me);

	EXPECT(a, 200);
	return count_at(a.json, "data.target_languages") == 2 &&
	       strcmp(text_at(a.json, "data.target_languages.1"), "es") == 0;
}

START_TEST(a_language_that_a_listener_asks_for_comes_by_itself)
{
	const char *event = hold_event(",\"listener_language_mode\":\"auto\"");
	const char *id = channel_of(event);
	struct answer a = ASK(.path = text("/saas/v2/event/public/%s/requests", event),
	    .json = "{\"data\":{\"type\":\"add_language\",\"payload\":{\"language\":"
		    "\"es\"}}}");

	EXPECT(a, 201);
	ck_assert(becomes(has_spanish, id, SOON_S));
}
END_TEST

Suite *
channels_suite(void)
{
	TCase *t;
	Suite *s = suite_of("channels", before, &t);

	tcase_add_test(t, a_channel_lives_in_its_event);
	tcase_add_test(t, everybody_sees_a_channel_as_it_is_now);
	tcase_add_test(t, a_new_channel_says_where_it_is);
	tcase_add_test(t, a_key_that_may_only_read_is_told_nothing_to_speak_with);
	tcase_add_test(t, channels_are_listed_by_event_and_stage);
	tcase_add_test(t, versions_keep_two_writers_apart);
	tcase_add_test(t, a_protocol_that_is_lacking_fails_the_channel);
	tcase_add_test(t, a_retry_of_a_ready_channel_changes_nothing);
	tcase_add_test(t, one_key_makes_one_channel);
	tcase_add_test(t, channels_made_at_once_do_not_pass_the_plan);
	tcase_add_test(t, what_a_program_that_died_left_is_made_by_the_worker);
	tcase_add_test(t, a_deleted_event_takes_its_channels_along);
	tcase_add_test(t, a_language_that_a_listener_asks_for_comes_by_itself);
	return s;
}
