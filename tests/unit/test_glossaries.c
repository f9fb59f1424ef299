/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Glossaries: making, reading, changing and deleting them. */
#define UNIT_TEST
#include "store/glossaries.h"

static int counts; /* number of times that the program counted rows */

static enum err
count_once(struct db *db, const char *account, int64_t *n)
{
	counts++;
	return glossary_count(db, account, n);
}

#define glossary_count count_once
#include "tests/unit/glossary_fixture.h"

#define DATA(members) "{\"data\":{" members "}}"
#define MEDICAL                                                                        \
	DATA("\"name\":\"Medical terms\",\"glossary_type\":\"translation\","           \
	     "\"source_lang\":\"en\",\"target_lang\":\"de\"")

static struct response
make(const char *body)
{
	return ask("POST /saas/glossary", body);
}

static int
glossaries(void)
{
	return number("SELECT count(*) FROM glossaries");
}

/* ---- making ---- */

START_TEST(a_new_glossary_answers_its_record)
{
	struct response a = make(MEDICAL);
	const char *id = said(&a, "/data/glossary_id");
	const char *when = said(&a, "/data/utc_created_at");

	answered(a, 200);
	assert_same_body(a.body,
	    arena_printf(fixture.mem,
		"{\"ok\":true,\"data\":{\"glossary_id\":\"%s\",\"user_id\":\"%s\","
		"\"name\":\"Medical terms\",\"is_enabled\":true,\"glossary_type\":"
		"\"translation\",\"source_lang\":\"en\",\"target_lang\":\"de\","
		"\"entries_status\":\"none\",\"entries_count\":0,\"entries_errors\":[],"
		"\"utc_created_at\":\"%s\",\"utc_updated_at\":\"%s\"}}",
		id, fixture.account, when, when));
	ck_assert_pstr_eq(head_of(&a, "ETag"), "\"v1\"");
	assert_same_body(on("GET", id, NULL).body, a.body);
}
END_TEST

#define SOME "\"name\":\"Some\",\"source_lang\":\"en\""

static const struct {
	const char *members, *pointer, *value;
} taken[] = {
	{ "\"is_enabled\":false", "/data/is_enabled", "false" },
	{ "\"is_enabled\":true", "/data/is_enabled", "true" },
	{ "\"is_enabled\":\"false\"", "/data/is_enabled", "false" },
	{ "\"is_enabled\":\"true\"", "/data/is_enabled", "true" },
	{ "\"is_enabled\":null", "/data/is_enabled", "true" },
	{ "\"entries_count\":7,\"unknown\":1", "/data/entries_count", "0" },
	{ "\"target_lang\":null", "/data/target_lang", "null" },
	{ "\"target_lang\":\"ZH-Hans\"", "/data/target_lang", "zh-hans" },
	{ "\"target_lang\":\"ba\"", "/data/target_lang", "ba" },
	{ "\"target_lang\":\"auto\"", "/data/target_lang", "auto" },
	{ "\"target_lang\":\"en\"", "/data/target_lang", "en" },
};

START_TEST(what_may_be_said_is_taken)
{
	struct response a = make(arena_printf(fixture.mem,
	    DATA(SOME ",\"glossary_type\":\"asr_hot\",%s"), taken[_i].members));

	answered(a, 200);
	is(a, taken[_i].pointer, taken[_i].value);
}
END_TEST

static const struct {
	const char *type, *source, *target; /* target: JSON; NULL: not sent */
	const char *fault;                  /* fault of target_lang; NULL: none */
} pairs[] = {
	{ "translation", "en", "\"de\"", NULL },
	{ "translation", "EN", "\"DE\"", NULL },
	{ "translation", "en", "\"en-us\"", NULL },
	{ "translation", "auto", "\"de\"", NULL },
	{ "translation", "ba", "\"zh-hant\"", NULL },
	{ "translation", "en", NULL, "is required." },
	{ "translation", "en", "null", "is required." },
	{ "translation", "en", "\"en\"", "must differ from source_lang." },
	{ "translation", "en", "\"EN\"", "must differ from source_lang." },
	{ "translation", "en", "\"ba\"", "is not in the list." },
	{ "translation", "ba", "\"ba\"", "is not in the list." },
	{ "translation", "en", "\"auto\"", "is not in the list." },
	{ "translation", "en", "\"hy\"", "is not in the list." },
	{ "translation", "en", "7", "is not in the list." },
	{ "asr", "en", "\"en\"", NULL },
	{ "asr", "ba", "\"BA\"", NULL },
	{ "asr", "auto", "\"auto\"", NULL },
	{ "asr", "en", NULL, "is required." },
	{ "asr", "en", "\"en-us\"", "must equal source_lang." },
	{ "asr", "en", "\"de\"", "must equal source_lang." },
	{ "asr", "en", "\"xx\"", "is not in the list." },
	{ "asr_hot", "en", NULL, NULL },
	{ "asr_hot", "en", "\"de\"", NULL },
	{ "asr_hot", "en", "\"yue\"", NULL },
	{ "asr_hot", "en", "\"hy\"", "is not in the list." },
};

START_TEST(the_type_says_what_the_target_may_be)
{
	struct response a = make(arena_printf(fixture.mem,
	    DATA("\"name\":\"Some\",\"glossary_type\":\"%s\",\"source_lang\":\"%s\"%s%"
		 "s"),
	    pairs[_i].type, pairs[_i].source,
	    pairs[_i].target != NULL ? ",\"target_lang\":" : "",
	    pairs[_i].target != NULL ? pairs[_i].target : ""));

	ck_assert_int_eq(glossaries(), pairs[_i].fault == NULL);
	if (pairs[_i].fault == NULL) {
		answered(a, 200);
		return;
	}
	refused(a, 422, "validation-error");
	ck_assert_str_eq(
	    faults_of(&a), arena_printf(fixture.mem,
			       "/data/target_lang: target_lang %s", pairs[_i].fault));
}
END_TEST

#define TYPE "\"glossary_type\":\"asr_hot\""

static const struct {
	const char *data, *faults;
} wrong[] = {
	{ "{}", "/data/name: name is required.\n"
		"/data/glossary_type: glossary_type is required.\n"
		"/data/source_lang: source_lang is required." },
	{ "[]", "/data: data must be an object." },
	{ "{\"name\":\"ab\",\"source_lang\":\"en\"," TYPE "}",
	    "/data/name: name must have 3 to 64 characters." },
	{ "{\"name\":\"a(b)\",\"source_lang\":\"en\"," TYPE "}",
	    "/data/name: name may have letters, digits, space and _ - . only." },
	{ "{\"name\":\"Some\",\"source_lang\":\"en-us\",\"glossary_type\":\"ASR\"}",
	    "/data/glossary_type: glossary_type is not in the list.\n"
	    "/data/source_lang: source_lang is not in the list." },
	{ "{" SOME "," TYPE ",\"is_enabled\":\"TRUE\"}",
	    "/data/is_enabled: is_enabled must be true or false." },
	{ "{" SOME "," TYPE ",\"is_enabled\":1}",
	    "/data/is_enabled: is_enabled must be true or false." },
	{ "{" SOME "," TYPE ",\"is_enabled\":\"\"}",
	    "/data/is_enabled: is_enabled must be true or false." },
	{ "{" SOME "," TYPE ",\"is_enabled\":\"true\\u0000\"}",
	    "/data/is_enabled: is_enabled must be true or false." },
	{ "{\"name\":\"Some\",\"glossary_type\":\"translation\",\"source_lang\":"
	  "\"xx\"}",
	    "/data/source_lang: source_lang is not in the list.\n"
	    "/data/target_lang: target_lang is required." },
	{ "{\"name\":\"Some\",\"glossary_type\":\"asr\",\"source_lang\":\"xx\","
	  "\"target_lang\":\"de\"}",
	    "/data/source_lang: source_lang is not in the list." },
};

START_TEST(a_glossary_that_breaks_a_rule_is_422)
{
	struct response a =
	    make(arena_printf(fixture.mem, "{\"data\":%s}", wrong[_i].data));

	refused(a, 422, "validation-error");
	ck_assert_str_eq(faults_of(&a), wrong[_i].faults);
	ck_assert_int_eq(glossaries(), 0);
}
END_TEST

START_TEST(a_strict_client_hears_of_what_it_cannot_set)
{
	struct response a = ask_with("POST /saas/glossary",
	    DATA(SOME "," TYPE ",\"entries_status\":\"ready\",\"color\":1"),
	    HEADS("Prefer: handling=strict"));

	refused(a, 422, "validation-error");
	ck_assert_str_eq(faults_of(&a),
	    "/data/entries_status: entries_status is not known.\n"
	    "/data/color: color is not known.");
	ck_assert_pstr_eq(head_of(&a, "Preference-Applied"), "handling=strict");
}
END_TEST

START_TEST(glossaries_are_counted_against_the_plan)
{
	struct response a;

	counts = 0;
	sql("UPDATE accounts SET plan_glossaries = 2");
	set_glossary(put_glossary(fixture.account, "Failed", 1), "status = 'failed'");
	put_glossary(fixture_account(), "Theirs", 1);
	a = make(MEDICAL);
	answered(a, 200);
	a = make(MEDICAL);
	refused(a, 403, "glossary-limit-reached");
	is(a, "/errors/0/detail", "The plan allows 2 glossaries.");
	ck_assert_int_eq(glossaries(), 3);
	ck_assert_int_eq(counts, 2);
	sql("UPDATE accounts SET plan_glossaries = 0");
	a = make(MEDICAL);
	answered(a, 200);
	ck_assert_int_eq(counts, 2); /* without a limit nothing is counted */
}
END_TEST

START_TEST(a_key_makes_one_glossary_however_often)
{
	struct response first =
	    ask_with("POST /saas/glossary", MEDICAL, HEADS("Idempotency-Key: k"));
	struct response again =
	    ask_with("POST /saas/glossary", MEDICAL, HEADS("Idempotency-Key: k"));

	answered(again, 200);
	assert_same_body(again.body, first.body);
	ck_assert_pstr_eq(head_of(&again, "Idempotency-Replayed"), "true");
	ck_assert_int_eq(glossaries(), 1);
}
END_TEST

/* ---- reading ---- */

START_TEST(a_failed_glossary_answers_as_the_example)
{
	const char *id = put_glossary(fixture.account, "Medical terms", MADE_US);
	struct response a;

	set_glossary(id,
	    "status = 'failed', version = 3, updated_us = updated_us + 46000000, "
	    "faults ="
	    " '3' || char(9) || '2' || char(9) || 'csv-empty-term' || char(9) || 'The "
	    "term"
	    " in row 3, column 2 is empty.' || char(10) || '4' || char(9, 9) ||"
	    " 'csv-column-count' || char(9) || 'Row 4 has 1 column, not 2.' || "
	    "char(10)");
	a = on("GET", id, NULL);
	assert_same_body(a.body,
	    arena_printf(fixture.mem,
		"{\"ok\":true,\"data\":{\"glossary_id\":\"%s\",\"user_id\":\"%s\","
		"\"name\":\"Medical terms\",\"is_enabled\":true,\"glossary_type\":"
		"\"translation\",\"source_lang\":\"en\",\"target_lang\":\"de\","
		"\"entries_status\":\"failed\",\"entries_count\":0,\"entries_errors\":["
		"{\"row\":3,\"column\":2,\"problem\":{\"type\":"
		"\"https://speech.example.org/problems/csv-empty-term\",\"status\":422,"
		"\"title\":\"CSV empty term\",\"detail\":"
		"\"The term in row 3, column 2 is empty.\",\"instance\":"
		"\"urn:uuid:%s\",\"error_code\":100223}},"
		"{\"row\":4,\"column\":null,\"problem\":{\"type\":"
		"\"https://speech.example.org/problems/"
		"csv-column-count\",\"status\":422,"
		"\"title\":\"CSV column count\",\"detail\":"
		"\"Row 4 has 1 column, not 2.\",\"instance\":"
		"\"urn:uuid:%s\",\"error_code\":100222}}],"
		"\"utc_created_at\":\"2026-11-20T10:18:44Z\","
		"\"utc_updated_at\":\"2026-11-20T10:19:30Z\"}}",
		id, fixture.account, id, id));
	ck_assert_pstr_eq(head_of(&a, "ETag"), "\"v3\"");
	a = ask_with(arena_printf(fixture.mem, "GET /saas/glossary/%s", id), NULL,
	    HEADS("If-None-Match: \"v3\""));
	answered(a, 304);
}
END_TEST

static const struct {
	const char *method, *after, *body;
} of_one[] = {
	{ "GET", "", NULL },
	{ "POST", "", "{\"data\":{}}" },
	{ "DELETE", "", NULL },
	{ "GET", "/upload", NULL },
	{ "POST", "/upload", FILE_PART "a,b" FORM_END },
};

START_TEST(anothers_glossary_is_as_unknown_as_none)
{
	const char *id[] = { put_glossary(fixture_account(), "Theirs", 1),
		id_new(fixture.mem), "nonsense" };
	const char *before = everything();
	struct response a, first = { 0 };

	for (int i = 0; i < COUNT(id); i++) {
		a = ask_with(arena_printf(fixture.mem, "%s /saas/glossary/%s%s",
				 of_one[_i].method, id[i], of_one[_i].after),
		    of_one[_i].body,
		    HEADS("X-Request-Id: " ID_NIL,
			_i == 4 ? FORM_TYPE : "Content-Type: application/json"));
		refused(a, 404, "resource-not-found");
		if (i == 0)
			first = a;
		assert_same_body(a.body, first.body);
	}
	ck_assert_str_eq(everything(), before);
	ck_assert_int_eq(files(), 0);
}
END_TEST

START_TEST(a_scope_opens_its_routes_only)
{
	const char *id = put_glossary(fixture.account, "Mine", 1);
	bool reads = strcmp(of_one[_i].method, "GET") == 0;
	const char *call = arena_printf(fixture.mem, "%s /saas/glossary/%s%s",
	    of_one[_i].method, id, of_one[_i].after);
	struct response a;

	fixture.bearer = fixture_bearer(fixture.account, "voices:write uploads:write");
	a = ask(call, of_one[_i].body);
	refused(a, 403, "insufficient-scope");
	fixture.bearer = fixture_bearer(fixture.account, "glossaries:read");
	a = ask(call, of_one[_i].body);
	ck_assert_int_eq(a.status == 403, !reads);
	fixture.bearer = fixture_bearer(fixture.account, "glossaries:write");
	a = ask(call, of_one[_i].body);
	ck_assert_int_ne(a.status, 403);
}
END_TEST

/* ---- changing ---- */

static const struct {
	const char *data, *pointer, *value;
	bool changes;
} edits[] = {
	{ "{}", "/data/name", "Anna", false },
	{ "{\"name\":\"Anna\"}", "/data/name", "Anna", false },
	{ "{\"is_enabled\":true}", "/data/is_enabled", "true", false },
	{ "{\"is_enabled\":\"true\"}", "/data/is_enabled", "true", false },
	{ "{\"glossary_type\":\"asr\",\"source_lang\":\"fr\",\"target_lang\":7}",
	    "/data/source_lang", "en", false },
	{ "{\"name\":\"Berta\"}", "/data/name", "Berta", true },
	{ "{\"name\":\"Berta\"}", "/data/is_enabled", "true", true },
	{ "{\"is_enabled\":false}", "/data/is_enabled", "false", true },
	{ "{\"is_enabled\":\"false\"}", "/data/name", "Anna", true },
};

START_TEST(an_edit_changes_what_it_names_and_then_the_version)
{
	const char *id = put_glossary(fixture.account, "Anna", MADE_US);
	struct response a;

	set_glossary(id, "version = 3, status = 'ready', entries = 5");
	a = on("POST", id, arena_printf(fixture.mem, "{\"data\":%s}", edits[_i].data));
	answered(a, 200);
	is(a, edits[_i].pointer, edits[_i].value);
	is(a, "/data/entries_count", "5");
	ck_assert_pstr_eq(head_of(&a, "ETag"), edits[_i].changes ? "\"v4\"" : "\"v3\"");
	ck_assert_int_eq(
	    strcmp(said(&a, "/data/utc_updated_at"), "2026-11-20T10:18:44Z") != 0,
	    edits[_i].changes);
	assert_same_body(on("GET", id, NULL).body, a.body);
}
END_TEST

static const struct {
	const char *data, *faults;
} bad_edits[] = {
	{ "{\"name\":null}", "/data/name: name must not be null." },
	{ "{\"name\":\"\",\"is_enabled\":0}",
	    "/data/name: name must have 3 to 64 characters.\n"
	    "/data/is_enabled: is_enabled must be true or false." },
	{ "{\"is_enabled\":null}", "/data/is_enabled: is_enabled must not be null." },
};

START_TEST(an_edit_that_breaks_a_rule_changes_nothing)
{
	const char *id = put_glossary(fixture.account, "Anna", 1),
		   *before = everything();
	struct response a = on(
	    "POST", id, arena_printf(fixture.mem, "{\"data\":%s}", bad_edits[_i].data));

	refused(a, 422, "validation-error");
	ck_assert_str_eq(faults_of(&a), bad_edits[_i].faults);
	ck_assert_str_eq(everything(), before);
}
END_TEST

START_TEST(a_stale_version_is_412_and_changes_nothing)
{
	const char *id = put_glossary(fixture.account, "Anna", 1);

	check_versions(arena_printf(fixture.mem, "/saas/glossary/%s", id), everything);
}
END_TEST

/* ---- deleting ---- */

START_TEST(a_deleted_glossary_takes_its_file_and_terms_along)
{
	const char *id = put_glossary(fixture.account, "Anna", 1);
	const char *kept = put_glossary(fixture.account, "Berta", 1);
	struct response a;

	upload(id, "a,b");
	upload(kept, "a,b");
	sql("INSERT INTO glossary_terms SELECT id, 'a' FROM glossaries");
	set_glossary(id, "status = 'ready'");
	a = on("DELETE", id, NULL);
	answered(a, 200);
	assert_same_body(a.body, "{\"ok\":true,\"data\":null}");
	ck_assert_str_eq(
	    sql("SELECT id FROM glossaries"), arena_printf(fixture.mem, "%s\n", kept));
	ck_assert_int_eq(number("SELECT count(*) FROM glossary_terms"), 1);
	ck_assert_str_eq(sql("SELECT state, count(*) FROM blobs GROUP BY state"),
	    "checked|1\ngone|1\n");
	a = on("DELETE", id, NULL);
	answered(a, 404);
}
END_TEST

START_TEST(a_glossary_is_deleted_in_any_state)
{
	static const char *const states[] = { "none", "pending", "ready", "failed" };
	const char *id = put_glossary(fixture.account, "Anna", 1);
	struct response a;

	set_glossary(id, arena_printf(fixture.mem, "status = '%s'", states[_i]));
	a = on("DELETE", id, NULL);
	answered(a, 200);
	ck_assert_int_eq(glossaries(), 0);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("glossaries");
	TCase *t = tcase_create("all");

	tcase_add_checked_fixture(t, glossary_fixture, fixture_close);
	tcase_add_test(t, a_new_glossary_answers_its_record);
	tcase_add_loop_test(t, what_may_be_said_is_taken, 0, COUNT(taken));
	tcase_add_loop_test(t, the_type_says_what_the_target_may_be, 0, COUNT(pairs));
	tcase_add_loop_test(t, a_glossary_that_breaks_a_rule_is_422, 0, COUNT(wrong));
	tcase_add_test(t, a_strict_client_hears_of_what_it_cannot_set);
	tcase_add_test(t, glossaries_are_counted_against_the_plan);
	tcase_add_test(t, a_key_makes_one_glossary_however_often);
	tcase_add_test(t, a_failed_glossary_answers_as_the_example);
	tcase_add_loop_test(
	    t, anothers_glossary_is_as_unknown_as_none, 0, COUNT(of_one));
	tcase_add_loop_test(t, a_scope_opens_its_routes_only, 0, COUNT(of_one));
	tcase_add_loop_test(
	    t, an_edit_changes_what_it_names_and_then_the_version, 0, COUNT(edits));
	tcase_add_loop_test(
	    t, an_edit_that_breaks_a_rule_changes_nothing, 0, COUNT(bad_edits));
	tcase_add_test(t, a_stale_version_is_412_and_changes_nothing);
	tcase_add_test(t, a_deleted_glossary_takes_its_file_and_terms_along);
	tcase_add_loop_test(t, a_glossary_is_deleted_in_any_state, 0, 4);
	suite_add_tcase(s, t);
	return unit_run(s);
}
