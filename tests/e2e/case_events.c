/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Events through the web server: their life, lists and search. */
#include <string.h>

#include "base/id.h"
#include "cases.h"

#define TIMES                                                                          \
	"\"utc_start_dt\":\"2036-12-01T08:00:00Z\",\"utc_end_dt\":"                    \
	"\"2036-12-02T16:00:00Z\""

static struct account me, other;

static void
before(void)
{
	me = account_new("events");
	other = account_new("other events");
}

static struct answer
make(const struct account *as, const char *title, const char *more)
{
	return ASK(.path = "/saas/v2/event", .as = as,
	    .json = text("{\"data\":{\"title\":\"%s\",\"event_type\":\"online\"," TIMES
			 "%s}}",
		title, more));
}

static const char *
made(const struct account *as, const char *title, const char *more)
{
	struct answer a = make(as, title, more);

	EXPECT(a, 201);
	return text_at(a.json, "data.event_id");
}

static const char *
path_of(const char *id)
{
	return text("/saas/v2/event/%s", id);
}

static struct answer
change(const char *id, const char *data)
{
	return ASK(.method = "PATCH", .path = path_of(id), .as = &me,
	    .json = text("{\"data\":%s}", data));
}

START_TEST(an_event_is_made_read_changed_and_deleted)
{
	struct answer a = make(&me, "Forum", ",\"description\":\"Two days\""), b;
	const char *id, *place;

	EXPECT(a, 201);
	id = text_at(a.json, "data.event_id");
	place = header_of(&a, "Location");
	ck_assert_pstr_eq(place, text("%s%s", instance()->base_url, path_of(id)));
	ck_assert_pstr_eq(header_of(&a, "ETag"), "\"v1\"");
	b = ASK(.path = place, .as = &me);
	ck_assert_str_eq(b.body, a.body);
	b = ASK(.method = "HEAD", .path = place, .as = &me);
	EXPECT(b, 200);
	ck_assert_uint_eq(b.n, 0);
	b = ASK(.path = place, .as = &me, .headers = { "If-None-Match: \"v1\"" });
	EXPECT(b, 304);
	a = change(id, "{\"title\":\"Health Forum\",\"description\":null}");
	EXPECT(a, 200);
	ck_assert_str_eq(text_at(a.json, "data.title"), "Health Forum");
	ck_assert_ptr_null(at(a.json, "data.description"));
	ck_assert_pstr_eq(header_of(&a, "ETag"), "\"v2\"");
	a = ASK(.method = "DELETE", .path = place, .as = &me,
	    .headers = { "If-Match: \"v1\"" });
	expect_problem(&a, 412, "stale-version");
	a = ASK(.method = "DELETE", .path = place, .as = &me);
	EXPECT(a, 200);
	ck_assert_str_eq(a.body, "{\"ok\":true,\"data\":null}");
	a = ASK(.path = place, .as = &me);
	expect_problem(&a, 404, "resource-not-found");
}
END_TEST

START_TEST(stages_and_sessions_are_replaced_as_lists)
{
	const char *id = made(&me, "Stages",
	    ",\"stages\":[{\"name\":\"North\"},{\"name\":\"South\"}],\"sessions\":["
	    "{\"title\":\"Opening\",\"stage_index\":1," TIMES "}]");
	struct answer a = ASK(.path = path_of(id), .as = &me);
	const char *south = text_at(a.json, "data.stages.1.stage_id");

	ck_assert_str_eq(text_at(a.json, "data.sessions.0.stage_id"), south);
	a = change(
	    id, text("{\"stages\":[{\"stage_id\":\"%s\",\"name\":\"South\"}]}", south));
	EXPECT(a, 200);
	ck_assert_uint_eq(count_at(a.json, "data.stages"), 1);
	ck_assert_uint_eq(count_at(a.json, "data.sessions"), 1);
	a = change(id, text("{\"stages\":[{\"stage_id\":\"%s\",\"name\":\"A\"}]}",
			   id_new(memory())));
	expect_problem(&a, 404, "resource-not-found");
	ck_assert_str_eq(
	    text_at(a.json, "errors.0.pointer"), "/data/stages/0/stage_id");
}
END_TEST

static bool
has_broadcast(const void *event)
{
	struct answer a = ASK(.path = path_of(event), .as = &me);

	return strcmp(text_at(a.json, "data.stages.0.channels.0.lifecycle_status"),
		   "ready") == 0;
}

START_TEST(a_copy_has_halls_that_can_be_used)
{
	const char *id = made(&me, "Forum", ",\"access_code\":\"FORUM26\""), *copy;
	struct answer a = ASK(.path = "/saas/channel", .as = &me,
	    .json = text("{\"data\":{\"type\":\"event\",\"name\":\"Hall\","
			 "\"event_id\":\"%s\",\"target_languages\":[\"es\"]}}",
		id));

	EXPECT(a, 201);
	a = ASK(.method = "POST", .path = text("%s/copy", path_of(id)), .as = &me,
	    .json = "{\"data\":{\"utc_start_dt\":\"2037-12-01T08:00:00Z\"}}");
	EXPECT(a, 201);
	copy = text_at(a.json, "data.event_id");
	ck_assert_str_eq(text_at(a.json, "data.utc_end_dt"), "2037-12-02T16:00:00Z");
	ck_assert_ptr_null(at(a.json, "data.access_code"));
	ck_assert(becomes(has_broadcast, copy, 60));
}
END_TEST

START_TEST(an_idempotency_key_is_one_event)
{
	static const char body[] = "{\"data\":{\"title\":\"Once\",\"event_type\":"
				   "\"online\"," TIMES "}}";
	struct answer a[2];

	for (int i = 0; i < 2; i++) {
		a[i] = ASK(.path = "/saas/v2/event", .as = &me, .json = body,
		    .headers = { "Idempotency-Key: once" });
		EXPECT(a[i], 201);
	}
	ck_assert_str_eq(a[0].body, a[1].body);
	ck_assert_pstr_eq(header_of(&a[1], "Idempotency-Replayed"), "true");
	ck_assert_pstr_eq(header_of(&a[1], "Location"), header_of(&a[0], "Location"));
}
END_TEST

/* Walks the pages of a query; returns the titles, separated by |. */
static const char *
walk(const struct account *as, const char *query)
{
	const char *titles = "", *next = text("?%s", query);

	for (int pages = 0; next != NULL; pages++) {
		struct answer a =
		    ASK(.path = text("/saas/v2/events%s", next), .as = as);
		const char *token;

		EXPECT(a, 200);
		ck_assert_int_lt(pages, 10);
		for (size_t i = 0; i < count_at(a.json, "data"); i++)
			titles = text("%s%s|", titles,
			    text_at(a.json, text("data.%zu.title", i)));
		token = json_string_value(at(a.json, "pagination_token"));
		ck_assert((token != NULL) == (header_of(&a, "Link") != NULL));
		next = token != NULL ? text("?pagination_token=%s", token) : NULL;
	}
	return titles;
}

START_TEST(a_walk_sees_every_event_once_newest_first)
{
	struct account mine = account_new("walk");
	const char *want = "";

	for (int i = 0; i < 43; i++) {
		const char *title = text("Event %d", i);

		made(&mine, title, "");
		want = text("%s|%s", title, want);
	}
	ck_assert_str_eq(walk(&mine, ""), want);
	ck_assert_str_eq(walk(&mine, "q=event+42"), "Event 42|");
	ck_assert_str_eq(walk(&mine, "status=setup_required"), want);
	ck_assert_str_eq(walk(&mine, "status=live"), "");
}
END_TEST

static const struct {
	const char *q, *found;
} searches[] = {
	{ "munchen", "M\xc3\xbcnchen|" },
	{ "M%C3%9CNCHEN+tag", "M\xc3\xbcnchen|" },
	{ "%E4%BC%9A%E8%AD%B0", "\xe4\xbc\x9a\xe8\xad\xb0\xe5\xae\xa4|" },
	{ "100%25", "100%|" },
	{ "tag+nacht", "" },
};

START_TEST(the_search_folds_accents_and_case)
{
	static struct account mine;

	if (mine.api_key == NULL) {
		mine = account_new("search");
		made(&mine, "100%", "");
		made(&mine, "\xe4\xbc\x9a\xe8\xad\xb0\xe5\xae\xa4", "");
		made(&mine, "M\xc3\xbcnchen",
		    ",\"description\":\"Tag der offenen T\xc3\xbcr\"");
		made(&other, "M\xc3\xbcnchen, theirs", "");
	}
	ck_assert_str_eq(walk(&mine, text("q=%s", searches[_i].q)), searches[_i].found);
}
END_TEST

START_TEST(errors_are_told_with_their_place)
{
	struct answer a = make(&me, "No", ",\"target_languages\":[\"xx\"]");

	EXPECT(a, 422);
	ck_assert_uint_eq(count_at(a.json, "errors"), 2);
	ck_assert_str_eq(text_at(a.json, "errors.0.pointer"), "/data/title");
	ck_assert_str_eq(
	    text_at(a.json, "errors.1.pointer"), "/data/target_languages/0");
	a = ASK(.path = "/saas/v2/events?status=over", .as = &me);
	expect_problem(&a, 422, "validation-error");
	a = ASK(.path = "/saas/v2/events?pagination_token=x", .as = &me);
	expect_problem(&a, 400, "invalid-page-token");
	a = ASK(.method = "PUT", .path = "/saas/v2/event", .as = &me);
	EXPECT(a, 405);
}
END_TEST

Suite *
events_suite(void)
{
	TCase *t;
	Suite *s = suite_of("events", before, &t);

	tcase_add_test(t, an_event_is_made_read_changed_and_deleted);
	tcase_add_test(t, stages_and_sessions_are_replaced_as_lists);
	tcase_add_test(t, a_copy_has_halls_that_can_be_used);
	tcase_add_test(t, an_idempotency_key_is_one_event);
	tcase_add_test(t, a_walk_sees_every_event_once_newest_first);
	tcase_add_loop_test(t, the_search_folds_accents_and_case, 0, ROWS(searches));
	tcase_add_test(t, errors_are_told_with_their_place);
	return s;
}
