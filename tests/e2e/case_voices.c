/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Operations on existing voices. */
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/id.h"
#include "cases.h"
#include "db/db.h"
#include "stream.h"

static struct account me, other;
static const char *voice; /* id of my ready voice */

static void
before(void)
{
	me = account_new("voices");
	other = account_new("neighbour");
	voice = voice_made(&me);
}

static const char *
path_of(const char *id, const char *more)
{
	return text("/saas/voice/m/%s%s", id, more);
}

/* Creates a voice without a recording, which is enough for most cases. */
static const char *
draft(const struct account *as, const char *name, const char *more)
{
	struct answer a = CLONE(.as = as, .name = name, .more = more);

	EXPECT(a, 200);
	return text_at(a.json, "data.voice_id");
}

/* ---- changing ---- */

START_TEST(labels_merge_and_an_empty_change_changes_nothing)
{
	const char *id = draft(
	    &me, "Labels", ",\"labels\":{\"gender\":\"female\",\"mood\":\"CALM\"}");
	struct answer a = voice_read(&me, id);
	const char *etag = header_of(&a, "ETag");
	json_t *was = at(a.json, "data");

	a = ASK(.path = path_of(id, ""), .as = &me, .json = "{\"data\":{}}");
	EXPECT(a, 200);
	ck_assert_str_eq(header_of(&a, "ETag"), etag);
	ck_assert(json_equal(at(a.json, "data"), was));
	a = ASK(.path = path_of(id, ""), .as = &me,
	    .json = "{\"data\":{\"labels\":{\"mood\":null,\"age_group\":\"old\"},"
		    "\"description\":\"Now with one\"}}");
	EXPECT(a, 200);
	ck_assert_str_ne(header_of(&a, "ETag"), etag);
	ck_assert_str_eq(text_at(a.json, "data.labels.gender"), "Female");
	ck_assert_str_eq(text_at(a.json, "data.labels.age_group"), "Old");
	ck_assert(json_is_null(at(a.json, "data.labels.mood")));
	ck_assert_str_eq(text_at(a.json, "data.description"), "Now with one");
	a = ASK(.path = path_of(id, ""), .as = &me,
	    .json = "{\"data\":{\"description\":null}}");
	ck_assert_ptr_null(at(a.json, "data.description"));
}
END_TEST

START_TEST(versions_keep_two_writers_apart)
{
	const char *id = draft(&me, "Versions", NULL), *etag;
	struct answer a = voice_read(&me, id);

	etag = header_of(&a, "ETag");
	a = ASK(.path = path_of(id, ""), .as = &me,
	    .headers = { text("If-None-Match: %s", etag) });
	EXPECT(a, 304);
	ck_assert_int_eq(a.n, 0);
	a = ASK(.path = path_of(id, ""), .as = &me,
	    .headers = { text("If-Match: %s", etag) },
	    .json = "{\"data\":{\"name\":\"First writer\"}}");
	EXPECT(a, 200);
	a = ASK(.path = path_of(id, ""), .as = &me,
	    .headers = { text("If-Match: %s", etag) },
	    .json = "{\"data\":{\"name\":\"Second writer\"}}");
	expect_problem(&a, 412, "stale-version");
	ck_assert_str_eq(text_at(a.json, "errors.0.parameter"), "If-Match");
	a = ASK(.method = "DELETE", .path = path_of(id, ""), .as = &me,
	    .headers = { text("If-Match: %s", etag) });
	expect_problem(&a, 412, "stale-version");
	a = voice_read(&me, id);
	ck_assert_str_eq(text_at(a.json, "data.name"), "First writer");
	a = ASK(.method = "DELETE", .path = path_of(id, ""), .as = &me,
	    .headers = { "If-Match: *" });
	EXPECT(a, 200);
	ck_assert_str_eq(a.body, "{\"ok\":true,\"data\":null}");
	a = voice_read(&me, id);
	expect_problem(&a, 404, "resource-not-found");
}
END_TEST

/* ---- marks ---- */

START_TEST(a_mark_can_be_set_and_taken_any_number_of_times)
{
	struct answer a;

	for (int i = 0; i < 4; i++) {
		bool on = i < 2;

		a = ASK(.method = on ? "POST" : "DELETE", .as = &me,
		    .path = path_of(voice, "/favorite"));
		EXPECT(a, 200);
		ck_assert_str_eq(a.body,
		    text("{\"ok\":true,\"data\":{\"voice_id\":\"%s\",\"is_favorite\":"
			 "%s}}",
			voice, on ? "true" : "false"));
		a = voice_read(&me, voice);
		ck_assert(json_is_true(at(a.json, "data.is_favorite")) == on);
		a = ASK(.path = "/saas/voice?is_favorite=true", .as = &me);
		ck_assert_int_eq(int_at(a.json, "data.count"), on);
	}
}
END_TEST

/* ---- hidden ---- */

START_TEST(a_hidden_voice_is_only_where_hidden_voices_are)
{
	const char *id = draft(&me, "Hidden", ",\"skip_external_voice\":true");
	struct answer a = ASK(.path = "/saas/voice/hidden", .as = &me);

	ck_assert_int_eq(count_at(a.json, "data.items"), 1);
	ck_assert_str_eq(text_at(a.json, "data.items.0.voice_id"), id);
	a = ASK(.path = "/saas/voice?search=hidden", .as = &me);
	ck_assert_int_eq(count_at(a.json, "data.items"), 0);
	a = voice_read(&me, id);
	EXPECT(a, 200);
	a = ASK(.method = "DELETE", .path = path_of(id, ""), .as = &me);
	EXPECT(a, 200);
}
END_TEST

/* ---- built-in ---- */

static const char *
a_builtin(void)
{
	struct answer a = ASK(.path = "/saas/voice/builtin", .as = &me);

	EXPECT(a, 200);
	ck_assert_msg(count_at(a.json, "data.items") > 0, "no built-in voices");
	return text_at(a.json, "data.items.0.voice_id");
}

START_TEST(a_built_in_voice_speaks_and_has_no_owner)
{
	struct answer a = voice_read(&me, a_builtin());
	struct sound s;

	EXPECT(a, 200);
	ck_assert_ptr_null(at(a.json, "data.user_id"));
	ck_assert_str_eq(
	    text_at(a.json, "data.voice_type"), "instantly_cloned_builtin");
	ck_assert_str_eq(text_at(a.json, "data.processing_status"), "ready");
	a = ASK(.path = text_at(a.json, "data.tts_sample.url"));
	EXPECT(a, 200);
	s = sound_of((struct bytes){ a.body, a.n });
	ck_assert_msg(s.rms > 0.01, "it is silent: %f", s.rms);
}
END_TEST

/* SDKs require these names, and take the ids from the entries that have them. */
START_TEST(the_voices_of_an_engine_are_among_the_built_in_ones)
{
	struct answer a =
	    ASK(.path = "/saas/voice/builtin?search=default_&sort=asc", .as = &me);
	const json_t *m;
	struct ws *s;

	EXPECT(a, 200);
	ck_assert_uint_eq(count_at(a.json, "data.items"), 2);
	ck_assert_str_eq(text_at(a.json, "data.items.0.name"), "default_low");
	ck_assert_str_eq(text_at(a.json, "data.items.1.name"), "default_high");
	s = stream_begin(&me,
	    text("{" SOURCE(16000) "," SINK ",\"pipeline\":{\"transcription\":{"
				   "\"source_language\":\"en\"},\"translations\":[{"
				   "\"target_language\":\"es\",\"speech_generation\":{"
				   "\"voice_id\":\"%s\"}"
				   "}]}}",
		text_at(a.json, "data.items.1.voice_id")));
	speak(s, 1, 1);
	do {
		m = hear_any(s, 30);
		ck_assert_ptr_nonnull(m);
		ck_assert_str_ne(text_at(m, "message_type"), "warning");
	} while (strcmp(text_at(m, "message_type"), "output_audio_data") != 0);
}
END_TEST

START_TEST(a_built_in_voice_cannot_be_changed)
{
	const char *id = a_builtin();
	struct answer a = ASK(.path = path_of(id, ""), .as = &me,
	    .json = "{\"data\":{\"name\":\"Mine now\"}}");

	expect_problem(&a, 403, "read-only-resource");
	a = ASK(.method = "DELETE", .path = path_of(id, ""), .as = &me);
	expect_problem(&a, 403, "read-only-resource");
	a = ASK(.path = path_of(id, "/tts-sample"), .as = &me,
	    .json = "{\"data\":{\"lang_code\":\"de\"}}");
	expect_problem(&a, 403, "read-only-resource");
	a = ASK(.method = "POST", .path = path_of(id, "/favorite"), .as = &me);
	EXPECT(a, 200);
	a = voice_read(&me, id);
	ck_assert(json_is_true(at(a.json, "data.is_favorite")));
	a = voice_read(&other, id); /* each account marks its own favourites */
	ck_assert(json_is_false(at(a.json, "data.is_favorite")));
	a = ASK(.method = "DELETE", .path = path_of(id, "/favorite"), .as = &me);
	EXPECT(a, 200);
}
END_TEST

/* ---- limits ---- */

START_TEST(a_full_plan_takes_no_more_voices)
{
	struct account few = account_new("two voices");
	const char *id;
	struct answer a;

	account_plan(&few, "--voices", "2");
	id = draft(&few, "First", NULL);
	draft(&few, "Second", ",\"skip_external_voice\":true");
	a = CLONE(.as = &few);
	expect_problem(&a, 403, "voice-limit-reached");
	ck_assert_ptr_nonnull(strchr(text_at(a.json, "errors.0.detail"), '2'));
	a = ASK(.path = "/saas/voice/limits", .as = &few);
	ck_assert_str_eq(a.body,
	    "{\"ok\":true,\"data\":{\"created\":2,\"pending\":0,\"ready\":0,"
	    "\"failed\":0,\"total\":2,\"limit\":2,\"remaining\":0}}");
	a = ASK(.method = "DELETE", .path = path_of(id, ""), .as = &few);
	EXPECT(a, 200);
	a = CLONE(.as = &few);
	EXPECT(a, 200);
	account_plan(&few, "--voices", "0");
	a = ASK(.path = "/saas/voice/limits", .as = &few);
	ck_assert_int_eq(int_at(a.json, "data.limit"), 2147483647);
}
END_TEST

START_TEST(two_at_once_do_not_pass_the_plan)
{
	struct account one = account_new("one voice");
	struct answer a;

	account_plan(&one, "--voices", "1");
	for (int i = 0; i < 4; i++)
		if (fork() == 0) {
			CLONE(.as = &one);
			_exit(0);
		}
	while (wait(NULL) > 0)
		;
	a = ASK(.path = "/saas/voice/limits", .as = &one);
	ck_assert_int_eq(int_at(a.json, "data.total"), 1);
}
END_TEST

START_TEST(a_full_store_takes_no_more_voices)
{
	struct account full = account_new("full store");
	struct answer a;

	account_plan(&full, "--storage_bytes", "100000");
	a = CLONE(.as = &full);
	expect_problem(&a, 403, "storage-limit-reached");
}
END_TEST

START_TEST(all_voices_can_be_deleted_at_once)
{
	static const struct sql stored = { "e2e.stored",
		"SELECT stored_bytes FROM accounts WHERE id = $1", NULL };
	const char *id = voice_made(&other);
	const char *url;
	struct answer a = voice_read(&other, id);

	url = text_at(a.json, "data.tts_sample.url");
	draft(&other, "One more", ",\"skip_external_voice\":true");
	ck_assert_int_gt(count_in_db(&stored, other.user_id), 0);
	for (int i = 0; i < 2; i++) { /* the answer is the same when none is left */
		a = ASK(.method = "DELETE", .path = "/saas/voice", .as = &other);
		EXPECT(a, 200);
		ck_assert_str_eq(a.body, "{\"ok\":true,\"data\":null}");
	}
	a = ASK(.path = "/saas/voice/limits", .as = &other);
	ck_assert_int_eq(int_at(a.json, "data.total"), 0);
	ck_assert_int_eq(count_in_db(&stored, other.user_id), 0);
	a = ASK(.path = url);
	expect_problem(&a, 404, "resource-not-found");
	a = voice_read(&me, voice); /* a voice of the account */
	EXPECT(a, 200);
}
END_TEST

START_TEST(files_of_a_voice_are_not_removed_by_themselves)
{
	struct answer a = voice_read(&me, voice);
	const char *blob = text_at(a.json, "data.tts_sample.blob_id");

	a = ASK(.method = "DELETE", .path = text("/blobs/%s", blob), .as = &me);
	expect_problem(&a, 409, "blob-in-use");
	a = ASK(.path = text("/blobs/%s", blob), .as = &me);
	EXPECT(a, 200);
}
END_TEST

Suite *
voices_suite(void)
{
	TCase *t;
	Suite *s = suite_of("voices", before, &t);

	tcase_add_test(t, labels_merge_and_an_empty_change_changes_nothing);
	tcase_add_test(t, versions_keep_two_writers_apart);
	tcase_add_test(t, a_mark_can_be_set_and_taken_any_number_of_times);
	tcase_add_test(t, a_hidden_voice_is_only_where_hidden_voices_are);
	tcase_add_test(t, a_built_in_voice_speaks_and_has_no_owner);
	tcase_add_test(t, the_voices_of_an_engine_are_among_the_built_in_ones);
	tcase_add_test(t, a_built_in_voice_cannot_be_changed);
	tcase_add_test(t, a_full_plan_takes_no_more_voices);
	tcase_add_test(t, two_at_once_do_not_pass_the_plan);
	tcase_add_test(t, a_full_store_takes_no_more_voices);
	tcase_add_test(t, all_voices_can_be_deleted_at_once);
	tcase_add_test(t, files_of_a_voice_are_not_removed_by_themselves);
	return s;
}
