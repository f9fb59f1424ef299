/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * TTS samples are made again, one at a time; new samples replace old ones in one step.
 */
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/id.h"
#include "cases.h"
#include "db/db.h"

static struct account me;
static const char *voice;

static void
before(void)
{
	me = account_new("samples");
	voice = voice_made(&me);
}

static const struct sql rows_of = { "e2e.rows",
	"SELECT count(*) FROM tts_samples WHERE voice = $1", NULL };
static const struct sql bytes_apart = { "e2e.bytes_apart",
	"SELECT stored_bytes - (SELECT CAST(coalesce(sum(bytes), 0) AS INTEGER) FROM"
	" blobs WHERE account = $1 AND state IN ('stored', 'checked'))"
	" FROM accounts WHERE id = $1",
	NULL };
static const struct sql held = { "e2e.held",
	"UPDATE voices SET lock_us = (SELECT max(last_run_us) FROM workers)"
	" + 90000000 WHERE id = $1",
	NULL };
static const struct sql let_go = { "e2e.let_go",
	"UPDATE voices SET lock_us = 0 WHERE id = $1", NULL };

static struct answer
speak(const char *lang, const char *key)
{
	return ASK(.path = text("/saas/voice/m/%s/tts-sample", voice), .as = &me,
	    .headers = { key },
	    .json = text("{\"data\":{\"lang_code\":\"%s\"}}", lang));
}

START_TEST(a_sample_in_another_language_replaces_the_old_ones)
{
	struct answer was = voice_read(&me, voice), a = speak("DE", NULL);
	const char *blob = text_at(a.json, "data.blob_id"), *old;
	struct sound s;

	EXPECT(a, 200);
	old = text_at(was.json, "data.tts_sample.url");
	ck_assert_str_eq(text_at(a.json, "data.text.lang"), "de");
	ck_assert_str_eq(text_at(a.json, "data.voice_id"), voice);
	was = ASK(.path = old);
	expect_problem(&was, 404, "resource-not-found");
	was = voice_read(&me, voice);
	ck_assert_str_eq(text_at(was.json, "data.tts_sample.blob_id"), blob);
	ck_assert_int_eq(count_in_db(&rows_of, voice), 1);
	ck_assert_int_eq(count_in_db(&bytes_apart, me.user_id), 0);
	a = ASK(.path = text_at(a.json, "data.url"));
	EXPECT(a, 200);
	s = sound_of((struct bytes){ a.body, a.n });
	ck_assert_msg(s.rms > 0.01 && s.seconds > 0.5, "%f, %f s", s.rms, s.seconds);
	a = ASK(.path = "/saas/voice/sample/tts", .as = &me);
	ck_assert_int_eq(count_at(a.json, "data.items"), 1);
	ck_assert_str_eq(text_at(a.json, "data.items.0.blob_id"), blob);
	a = ASK(.path = "/saas/voice?lang=de", .as = &me);
	ck_assert_int_eq(count_at(a.json, "data.items"), 1);
	a = ASK(.path = "/saas/voice?lang=en-us", .as = &me);
	ck_assert_int_eq(count_at(a.json, "data.items"), 0);
}
END_TEST

START_TEST(auto_is_the_language_of_the_voice)
{
	struct answer a = speak("auto", NULL);

	EXPECT(a, 200);
	ck_assert_str_eq(text_at(a.json, "data.text.lang"), "en-us");
}
END_TEST

START_TEST(a_language_without_a_voice_leaves_the_old_sample)
{
	struct answer a = speak("xx", NULL), was;

	expect_problem(&a, 422, "validation-error");
	ck_assert_str_eq(text_at(a.json, "errors.0.pointer"), "/data/lang_code");
	was = voice_read(&me, voice);
	a = speak("mn", NULL); /* languages of the list without those of eSpeak NG */
	expect_problem(&a, 503, "engine-unavailable");
	a = voice_read(&me, voice);
	ck_assert_str_eq(text_at(a.json, "data.tts_sample.blob_id"),
	    text_at(was.json, "data.tts_sample.blob_id"));
}
END_TEST

START_TEST(the_same_key_makes_one_sample)
{
	const char *key = text("Idempotency-Key: %s", id_new(memory()));
	struct answer first = speak("fr", key), a = speak("fr", key);

	EXPECT(first, 200);
	EXPECT(a, 200);
	ck_assert_str_eq(a.body, first.body);
	ck_assert_str_eq(header_of(&a, "Idempotency-Replayed"), "true");
	ck_assert_int_eq(count_in_db(&rows_of, voice), 1);
}
END_TEST

START_TEST(while_one_is_made_another_is_refused)
{
	struct answer a;

	change_db(&held, voice);
	a = speak("it", NULL);
	expect_problem(&a, 403, "resource-locked");
	ck_assert_int_eq(int_at(a.json, "errors.0.error_code"), 100051);
	change_db(&let_go, voice);
	a = speak("it", NULL);
	EXPECT(a, 200);
}
END_TEST

/* Simultaneous requests: each succeeds or is refused, and one sample is left. */
START_TEST(of_many_at_once_one_stays)
{
	int made = 0, locked = 0, status;
	struct answer a;

	for (int i = 0; i < 6; i++)
		if (fork() == 0)
			_exit(speak(i % 2 ? "en" : "es", NULL).status - 200);
	while (wait(&status) > 0) {
		made += WIFEXITED(status) && WEXITSTATUS(status) == 0;
		locked += WIFEXITED(status) && WEXITSTATUS(status) == 203;
	}
	ck_assert_int_eq(made + locked, 6);
	ck_assert_int_ge(made, 1);
	ck_assert_msg(locked >= 1, "none of six at once was refused");
	ck_assert_int_eq(count_in_db(&rows_of, voice), 1);
	ck_assert_int_eq(count_in_db(&bytes_apart, me.user_id), 0);
	a = speak("en", NULL); /* the lock was released with its request */
	EXPECT(a, 200);
}
END_TEST

Suite *
samples_suite(void)
{
	TCase *t;
	Suite *s = suite_of("samples", before, &t);

	tcase_add_test(t, a_sample_in_another_language_replaces_the_old_ones);
	tcase_add_test(t, auto_is_the_language_of_the_voice);
	tcase_add_test(t, a_language_without_a_voice_leaves_the_old_sample);
	tcase_add_test(t, the_same_key_makes_one_sample);
	tcase_add_test(t, while_one_is_made_another_is_refused);
	tcase_add_test(t, of_many_at_once_one_stays);
	return s;
}
