/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Voices: cloning, reading, changing, deleting and marking one. */
#define UNIT_TEST
#include "tests/unit/voice_fixture.h"

#define BASE "https://speech.example.org"
#define SAMPLE                                                                         \
	"{\"filename\":\"anna.wav\",\"mime_type\":\"audio/"                            \
	"wav\",\"lang_code\":\"en-us\"}"
#define CLONE(members) "{\"data\":{\"samples\":[" SAMPLE "]" members "}}"
#define ANNA CLONE(",\"name\":\"Anna\"")
#define MADE_US (INT64_C(1795169924) * S_US) /* 2026-11-20T10:18:44Z */

static struct response
create_clone(const char *body)
{
	return ask("POST /saas/voice/clone", body);
}

static struct response
on(const char *method, const char *id, const char *body)
{
	return ask(arena_printf(fixture.mem, "%s /saas/voice/m/%s", method, id), body);
}

static int
voices(void)
{
	return number("SELECT count(*) FROM voices");
}

/* ---- cloning ---- */

START_TEST(a_clone_answers_the_record_of_the_example)
{
	struct response a = create_clone(
	    "{\"data\":{\"name\":\"Anna (stage)\",\"description\":\"Keynote voice\","
	    "\"labels\":{\"gender\":\"female\",\"mood\":\"calm\"},\"attributes\":"
	    "[\"keynote\"],\"samples\":[{\"filename\":\"anna.wav\",\"mime_type\":"
	    "\"audio/wav\",\"lang_code\":\"en-us\",\"denoise\":false,"
	    "\"speech_normalization\":true}]}}");

	answered(a, 200);
	assert_same_body(a.body,
	    arena_printf(fixture.mem,
		"{\"ok\":true,\"data\":{\"voice_id\":\"%s\",\"user_id\":\"%s\","
		"\"utc_created_at\":\"%s\",\"utc_updated_at\":\"%s\","
		"\"name\":\"Anna (stage)\",\"description\":\"Keynote voice\","
		"\"voice_type\":\"instantly_cloned\",\"processing_status\":\"created\","
		"\"processing_result\":{\"warnings\":[],\"errors\":[]},"
		"\"labels\":{\"gender\":\"Female\",\"age_group\":null,\"mood\":"
		"\"Calm\"},"
		"\"lang_code\":\"en-us\",\"has_external_voice\":false,"
		"\"attributes\":[\"keynote\"],\"is_favorite\":false,\"samples\":%s}}",
		said(&a, "/data/voice_id"), fixture.account,
		said(&a, "/data/utc_created_at"), said(&a, "/data/utc_created_at"),
		said(&a, "/data/samples")));
	is(a, "/data/samples/0/url", BASE "/blobs");
	is(a, "/data/samples/1", "(none)");
	ck_assert_pstr_eq(head_of(&a, "ETag"), "\"v1\"");
}
END_TEST

START_TEST(a_clone_awaits_its_sample)
{
	struct response a =
	    create_clone(CLONE(",\"name\":\"Anna\",\"skip_external_voice\":true"));

	ck_assert_str_eq(
	    sql("SELECT b.kind, b.state, b.voice = v.id, b.id = v.sample, v.hidden,"
		" v.denoise, v.normalise, v.folded FROM blobs b, voices v"),
	    "voice_sample|awaiting|1|1|1|0|1|anna\n\n");
	is(a, "/data/samples/0/blob_id",
	    arena_printf(fixture.mem, "%.36s", sql("SELECT sample FROM voices")));
	is(a, "/data/attributes", "[]");
	is(a, "/data/description", "(none)");
	is(a, "/data/labels", "{\"gender\":null,\"age_group\":null,\"mood\":null}");
}
END_TEST

static const struct {
	const char *body, *faults;
} wrong[] = {
	{ "{\"data\":{}}", "/data/name: name is required.\n"
			   "/data/samples: samples is required." },
	{ CLONE(",\"name\":\"An\""), "/data/name: name must have 3 to 64 characters." },
	{ CLONE(",\"name\":\"A/B C\""),
	    "/data/name: name may have letters, digits, space and _ - . ( ) only." },
	{ CLONE(",\"name\":\"Anna's\""),
	    "/data/name: name may have letters, digits, space and _ - . ( ) only." },
	{ "{\"data\":{\"name\":\"Anna\",\"samples\":[]}}",
	    "/data/samples: samples must have exactly 1 items." },
	{ "{\"data\":{\"name\":\"Anna\",\"samples\":[" SAMPLE "," SAMPLE "]}}",
	    "/data/samples: samples must have exactly 1 items." },
	{ "{\"data\":{\"name\":\"Anna\",\"samples\":[{}]}}",
	    "/data/samples/0/filename: filename is required.\n"
	    "/data/samples/0/mime_type: mime_type is required.\n"
	    "/data/samples/0/lang_code: lang_code is required." },
	{ "{\"data\":{\"name\":\"Anna\",\"samples\":[{\"filename\":\"a.aac\",\"mime_"
	  "type\":"
	  "\"audio/aac\",\"lang_code\":\"xx\",\"denoise\":1}]}}",
	    "/data/samples/0/mime_type: mime_type is not in the list.\n"
	    "/data/samples/0/lang_code: lang_code is not in the list.\n"
	    "/data/samples/0/denoise: denoise must be true or false." },
	{ CLONE(",\"name\":\"Anna\",\"labels\":{\"gender\":\"\",\"mood\":1}"),
	    "/data/labels/gender: gender must have 1 to 64 characters.\n"
	    "/data/labels/mood: mood must be a string." },
	{ CLONE(",\"name\":\"Anna\",\"attributes\":[\"\"]"),
	    "/data/attributes/0: item 0 must have 1 to 64 characters." },
	{ CLONE(",\"name\":\"Anna\",\"skip_external_voice\":\"yes\""),
	    "/data/skip_external_voice: skip_external_voice must be true or false." },
};

START_TEST(a_clone_that_breaks_a_rule_is_422)
{
	struct response a = create_clone(wrong[_i].body);

	refused(a, 422, "validation-error");
	ck_assert_str_eq(faults_of(&a), wrong[_i].faults);
	ck_assert_int_eq(voices(), 0);
}
END_TEST

/* An SDK's own example uses a category that is in no list. */
START_TEST(other_labels_are_kept_as_they_are_sent)
{
	struct response a =
	    create_clone(CLONE(",\"name\":\"Anna\",\"labels\":{\"gender\":"
			       "\"Robot\",\"age_group\":\"adult\","
			       "\"mood\":\"\u00c4ngstlich\"}"));

	answered(a, 200);
	is(a, "/data/labels",
	    "{\"gender\":\"Robot\",\"age_group\":\"adult\",\"mood\":"
	    "\"\u00c4ngstlich\"}");
}
END_TEST

START_TEST(codes_and_labels_are_taken_in_any_case)
{
	struct response a = create_clone(
	    "{\"data\":{\"name\":\"\xc3\x84nne 2\",\"labels\":{\"gender\":\"MALE\","
	    "\"age_group\":\"middle-AGED\",\"mood\":null},\"samples\":[{\"filename\":"
	    "\"a.png\",\"mime_type\":\"Image/PNG\",\"lang_code\":\"ZH-Hant\"}]}}");

	answered(a, 200);
	is(a, "/data/lang_code", "zh-hant");
	is(a, "/data/labels",
	    "{\"gender\":\"Male\",\"age_group\":\"Middle-aged\",\"mood\":null}");
}
END_TEST

START_TEST(voices_are_counted_against_the_plan)
{
	struct response a;

	sql("UPDATE accounts SET plan_voices = 2");
	put_voice(fixture.account, "Failed", 1);
	sql("UPDATE voices SET status = 'failed', hidden = 1");
	put_voice(NULL, "Built-in", 1);
	a = create_clone(ANNA);
	answered(a, 200);
	a = create_clone(ANNA);
	refused(a, 403, "voice-limit-reached");
	is(a, "/errors/0/detail", "The plan allows 2 voices.");
	ck_assert_int_eq(voices(), 3);
	sql("UPDATE accounts SET plan_voices = 0");
	a = create_clone(ANNA);
	answered(a, 200);
}
END_TEST

START_TEST(a_clone_needs_room_for_the_smallest_sample)
{
	struct response a;

	sql("UPDATE accounts SET stored_bytes = 1, plan_storage_bytes = 100001");
	a = create_clone(ANNA);
	refused(a, 403, "storage-limit-reached");
	ck_assert_int_eq(voices(), 0);
	sql("UPDATE accounts SET stored_bytes = 0");
	a = create_clone(ANNA);
	answered(a, 200);
}
END_TEST

/* ---- reading ---- */

START_TEST(a_voice_is_read_by_its_account_and_a_built_in_one_by_all)
{
	const char *own = put_voice(fixture.account, "Own", MADE_US);
	const char *builtin = put_voice(NULL, "Everyone", MADE_US);
	struct response a;

	set_voice(own, "hidden = 1, version = 5, warnings = 'sample-short\t"
		       "The sample lasts 12.4 s.\n'");
	a = on("GET", own, NULL);
	is(a, "/data/voice_type", "instantly_cloned");
	is(a, "/data/user_id", fixture.account);
	is(a, "/data/utc_created_at", "2026-11-20T10:18:44Z");
	is(a, "/data/processing_result/warnings/0/error_code", "100201");
	is(a, "/data/processing_result/warnings/0/instance",
	    arena_printf(fixture.mem, "urn:uuid:%s", own));
	is(a, "/data/tts_sample", "(none)");
	is(a, "/data/samples", "(none)");
	ck_assert_pstr_eq(head_of(&a, "ETag"), "\"v5\"");
	a = on("GET", builtin, NULL);
	is(a, "/data/voice_type", "instantly_cloned_builtin");
	is(a, "/data/user_id", "(none)");
	fixture.bearer = fixture_bearer(fixture_account(), "voices:read");
	a = on("GET", builtin, NULL);
	answered(a, 200);
}
END_TEST

START_TEST(the_latest_sample_goes_with_the_voice)
{
	const char *own = put_voice(fixture.account, "Anna (stage)", MADE_US), *blob;
	struct response a;

	put_sample(own, "external_provider", "de", MADE_US);
	blob = put_sample(own, "own_provider", "en-us", MADE_US + S_US);
	a = on("GET", own, NULL);
	is(a, "/data/tts_sample",
	    arena_printf(fixture.mem,
		"{\"voice_id\":\"%s\",\"user_id\":\"%s\",\"provider\":\"own_provider\","
		"\"blob_id\":\"%s\",\"url\":\"%s\",\"audio_metadata\":{\"format\":"
		"\"mp3\","
		"\"codec\":\"mp3\",\"duration\":6.24,\"mime_type\":\"audio/mpeg\"},"
		"\"text\":{\"content\":\"Hello.\",\"lang\":\"en-us\"},\"model\":"
		"\"default\",\"filename\":\"a.mp3\",\"mime_type\":\"audio/mpeg\","
		"\"display_name\":\"Anna (stage)\",\"utc_created_at\":"
		"\"2026-11-20T10:18:45Z\"}",
		own, fixture.account, blob, said(&a, "/data/tts_sample/url")));
	ck_assert_ptr_nonnull(strstr(said(&a, "/data/tts_sample/url"),
	    arena_printf(fixture.mem, BASE "/blobs/%s?expires=", blob)));
}
END_TEST

static const struct {
	const char *method, *after, *body;
} of_one_voice[] = {
	{ "GET", "", NULL },
	{ "POST", "", "{\"data\":{}}" },
	{ "DELETE", "", NULL },
	{ "POST", "/favorite", NULL },
	{ "DELETE", "/favorite", NULL },
};

START_TEST(anothers_voice_is_as_unknown_as_none)
{
	const char *id[] = { put_voice(fixture_account(), "Theirs", 1),
		id_new(fixture.mem), "nonsense" };
	const char *before = everything();
	struct response a, first = { 0 };

	for (int i = 0; i < COUNT(id); i++) {
		a = ask_with(
		    arena_printf(fixture.mem, "%s /saas/voice/m/%s%s",
			of_one_voice[_i].method, id[i], of_one_voice[_i].after),
		    of_one_voice[_i].body, HEADS("X-Request-Id: " ID_NIL));
		refused(a, 404, "resource-not-found");
		if (i == 0)
			first = a;
		assert_same_body(a.body, first.body);
	}
	ck_assert_str_eq(everything(), before);
}
END_TEST

START_TEST(built_in_voices_are_read_only)
{
	const char *id = put_voice(NULL, "Everyone", 1), *before = everything();

	for (int i = 1; i <= 2; i++) {
		struct response a =
		    ask(arena_printf(fixture.mem, "%s /saas/voice/m/%s%s",
			    of_one_voice[i].method, id, of_one_voice[i].after),
			of_one_voice[i].body);

		refused(a, 403, "read-only-resource");
	}
	ck_assert_str_eq(everything(), before);
}
END_TEST

/* ---- changing ---- */

static const struct {
	const char *data, *pointer, *value;
	bool changes;
} edits[] = {
	{ "{}", "/data/name", "Anna", false },
	{ "{\"name\":\"Anna\"}", "/data/name", "Anna", false },
	{ "{\"labels\":{}}", "/data/labels/gender", "Female", false },
	{ "{\"labels\":{\"gender\":\"female\"}}", "/data/labels/gender", "Female",
	    false },
	{ "{\"voice_id\":\"x\",\"unknown\":1}", "/data/name", "Anna", false },
	{ "{\"attributes\":[\"a\"]}", "/data/attributes", "[\"a\"]", false },
	{ "{\"name\":\"Berta\"}", "/data/name", "Berta", true },
	{ "{\"name\":\"Berta\"}", "/data/description", "Her voice", true },
	{ "{\"description\":null}", "/data/description", "(none)", true },
	{ "{\"description\":\"\"}", "/data/description", "", true },
	{ "{\"labels\":{\"mood\":\"sad\"}}", "/data/labels",
	    "{\"gender\":\"Female\",\"age_group\":null,\"mood\":\"Sad\"}", true },
	{ "{\"labels\":{\"age_group\":\"adult\",\"gender\":\"MALE\"}}", "/data/labels",
	    "{\"gender\":\"Male\",\"age_group\":\"adult\",\"mood\":null}", true },
	{ "{\"labels\":{\"mood\":\" 100 % SAD, really_\\n\"}}", "/data/labels/mood",
	    " 100 % SAD, really_\n", true },
	{ "{\"labels\":{\"gender\":null}}", "/data/labels",
	    "{\"gender\":null,\"age_group\":null,\"mood\":null}", true },
	{ "{\"labels\":null}", "/data/labels",
	    "{\"gender\":null,\"age_group\":null,\"mood\":null}", true },
	{ "{\"attributes\":[]}", "/data/attributes", "[]", true },
	{ "{\"attributes\":null}", "/data/attributes", "[]", true },
	{ "{\"attributes\":[\"b\",\"\\u00fc\"]}", "/data/attributes",
	    "[\"b\",\"\xc3\xbc\"]", true },
};

START_TEST(an_edit_changes_what_it_names_and_then_the_version)
{
	const char *id = put_voice(fixture.account, "Anna", MADE_US);
	struct response a;

	set_voice(id, "description = 'Her voice', gender = 'Female',"
		      " attributes = '[\"a\"]', version = 3");
	a = on("POST", id, arena_printf(fixture.mem, "{\"data\":%s}", edits[_i].data));
	answered(a, 200);
	is(a, edits[_i].pointer, edits[_i].value);
	ck_assert_pstr_eq(head_of(&a, "ETag"), edits[_i].changes ? "\"v4\"" : "\"v3\"");
	if (!edits[_i].changes)
		is(a, "/data/utc_updated_at", "2026-11-20T10:18:44Z");
	else
		ck_assert_str_ne(
		    said(&a, "/data/utc_updated_at"), "2026-11-20T10:18:44Z");
	assert_same_body(on("GET", id, NULL).body, a.body);
}
END_TEST

static const struct {
	const char *data, *faults;
} bad_edits[] = {
	{ "{\"name\":null}", "/data/name: name must not be null." },
	{ "{\"name\":\"\"}", "/data/name: name must have 3 to 64 characters." },
	{ "{\"labels\":{\"age_group\":\"\"}}",
	    "/data/labels/age_group: age_group must have 1 to 64 characters." },
	{ "{\"labels\":{\"mood\":7}}", "/data/labels/mood: mood must be a string." },
	{ "{\"attributes\":[null]}", "/data/attributes/0: item 0 must be a string." },
};

START_TEST(an_edit_that_breaks_a_rule_changes_nothing)
{
	const char *id = put_voice(fixture.account, "Anna", 1), *before = everything();
	struct response a = on(
	    "POST", id, arena_printf(fixture.mem, "{\"data\":%s}", bad_edits[_i].data));

	refused(a, 422, "validation-error");
	ck_assert_str_eq(faults_of(&a), bad_edits[_i].faults);
	ck_assert_str_eq(everything(), before);
}
END_TEST

START_TEST(a_stale_version_is_412_and_changes_nothing)
{
	const char *id = put_voice(fixture.account, "Anna", 1);
	struct response a = check_versions(
	    arena_printf(fixture.mem, "/saas/voice/m/%s", id), everything);

	is(a, "/data", "null");
}
END_TEST

/* ---- deleting ---- */

START_TEST(a_deleted_voice_takes_its_blobs_samples_and_marks_along)
{
	const char *id = put_voice(fixture.account, "Anna", 1);
	const char *kept = put_voice(fixture.account, "Berta", 1);
	struct response a;

	put_sample(id, "own_provider", "en", 1);
	put_sample(kept, "own_provider", "en", 1);
	on("POST", arena_printf(fixture.mem, "%s/favorite", id), NULL);
	a = on("DELETE", id, NULL);
	answered(a, 200);
	assert_same_body(a.body, "{\"ok\":true,\"data\":null}");
	ck_assert_int_eq(voices(), 1);
	ck_assert_int_eq(number("SELECT count(*) FROM tts_samples"), 1);
	ck_assert_int_eq(number("SELECT count(*) FROM favorites"), 0);
	ck_assert_int_eq(number("SELECT count(*) FROM blobs WHERE state = 'gone'"), 1);
	ck_assert_int_eq(number("SELECT stored_bytes FROM accounts"), 5000);
	a = on("DELETE", id, NULL);
	answered(a, 404);
}
END_TEST

START_TEST(all_own_voices_are_deleted_at_once_and_no_others)
{
	const char *other = fixture_account();
	struct response a;

	put_sample(put_voice(fixture.account, "Anna", 1), "own_provider", "en", 1);
	set_voice(put_voice(fixture.account, "Hidden", 1), "hidden = 1");
	put_sample(put_voice(other, "Theirs", 1), "own_provider", "en", 1);
	put_voice(NULL, "Everyone", 1);
	for (int i = 0; i < 2; i++) { /* always succeeds */
		a = ask("DELETE /saas/voice", NULL);
		answered(a, 200);
		is(a, "/data", "null");
		ck_assert_int_eq(voices(), 2);
	}
	ck_assert_str_eq(
	    sql(arena_printf(fixture.mem,
		"SELECT id = '%s', stored_bytes FROM accounts ORDER BY 1", other)),
	    "0|0\n1|5000\n");
}
END_TEST

/* A profile is stored only in the row. */
START_TEST(copies_of_a_deleted_voice_are_forgotten_by_a_job_for_each)
{
	const char *id = put_voice(fixture.account, "Anna", 1);

	fixture.app.conf.speech_clone = "gpu";
	fixture.app.conf.speech_external = "eleven";
	set_voice(id, "own_voice = 'dragoman-1', external_voice = 'v1'");
	set_voice(put_voice(fixture.account, "Berta", 1), "own_voice = '{}'");
	if (_i == 0)
		on("DELETE", id, NULL);
	ask("DELETE /saas/voice", NULL);
	ck_assert_str_eq(sql("SELECT kind, ref FROM jobs ORDER BY ref"),
	    "voice.forget|eleven/v1\nvoice.forget|gpu/dragoman-1\n");
}
END_TEST

/* ---- marks ---- */

START_TEST(a_mark_is_the_callers_own_and_repeatable)
{
	const char *id[] = { put_voice(fixture.account, "Own", 1),
		put_voice(NULL, "Everyone", 1) };
	struct response a;

	for (int i = 0; i < 8; i++) {
		bool marked = i % 4 < 2;

		a = on(marked ? "POST" : "DELETE",
		    arena_printf(fixture.mem, "%s/favorite", id[i / 4]), NULL);
		answered(a, 200);
		assert_same_body(a.body, arena_printf(fixture.mem,
					     "{\"ok\":true,\"data\":{\"voice_id\":\"%"
					     "s\",\"is_favorite\":%s}}",
					     id[i / 4], marked ? "true" : "false"));
		a = on("GET", id[i / 4], NULL);
		is(a, "/data/is_favorite", marked ? "true" : "false");
		ck_assert_pstr_eq(head_of(&a, "ETag"), "\"v1\""); /* not a version */
	}
	on("POST", arena_printf(fixture.mem, "%s/favorite", id[1]), NULL);
	fixture.bearer = fixture_bearer(fixture_account(), "*");
	a = on("GET", id[1], NULL);
	is(a, "/data/is_favorite", "false");
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("voices");
	TCase *t = tcase_create("all");

	tcase_add_checked_fixture(t, voice_fixture, fixture_close);
	tcase_add_test(t, a_clone_answers_the_record_of_the_example);
	tcase_add_test(t, a_clone_awaits_its_sample);
	tcase_add_loop_test(t, a_clone_that_breaks_a_rule_is_422, 0, COUNT(wrong));
	tcase_add_test(t, other_labels_are_kept_as_they_are_sent);
	tcase_add_test(t, codes_and_labels_are_taken_in_any_case);
	tcase_add_test(t, voices_are_counted_against_the_plan);
	tcase_add_test(t, a_clone_needs_room_for_the_smallest_sample);
	tcase_add_test(t, a_voice_is_read_by_its_account_and_a_built_in_one_by_all);
	tcase_add_test(t, the_latest_sample_goes_with_the_voice);
	tcase_add_loop_test(
	    t, anothers_voice_is_as_unknown_as_none, 0, COUNT(of_one_voice));
	tcase_add_test(t, built_in_voices_are_read_only);
	tcase_add_loop_test(
	    t, an_edit_changes_what_it_names_and_then_the_version, 0, COUNT(edits));
	tcase_add_loop_test(
	    t, an_edit_that_breaks_a_rule_changes_nothing, 0, COUNT(bad_edits));
	tcase_add_test(t, a_stale_version_is_412_and_changes_nothing);
	tcase_add_test(t, a_deleted_voice_takes_its_blobs_samples_and_marks_along);
	tcase_add_test(t, all_own_voices_are_deleted_at_once_and_no_others);
	tcase_add_loop_test(
	    t, copies_of_a_deleted_voice_are_forgotten_by_a_job_for_each, 0, 2);
	tcase_add_test(t, a_mark_is_the_callers_own_and_repeatable);
	suite_add_tcase(s, t);
	return unit_run(s);
}
