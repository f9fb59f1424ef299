/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Making a voice from a recording, and every way in which this can fail. */
#include <stdio.h>
#include <string.h>

#include "cases.h"
#include "db/db.h"

static struct account me;

static void
before(void)
{
	me = account_new("cloning");
	account_plan(&me, "--voices", "0");
}

static const struct sql jobs_of = { "e2e.jobs",
	"SELECT count(*) FROM jobs WHERE ref = $1", NULL };
static const struct sql rows_of = { "e2e.rows",
	"SELECT count(*) FROM tts_samples WHERE voice = $1", NULL };
static const struct sql blobs_of = { "e2e.blobs",
	"SELECT count(*) FROM blobs WHERE voice = $1 AND state <> 'gone'", NULL };
static const struct sql a_day_ago = { "e2e.a_day_ago",
	"UPDATE voices SET created_us = created_us - 86401000000 WHERE id = $1", NULL };

static const char *
status_of(const json_t *voice)
{
	return text_at(voice, "processing_status");
}

/* The status must go from created to pending to ready, and nowhere else. */
static void
watch_it_grow(const char *id)
{
	static const char *const order[] = { "created", "pending", "ready" };
	double end = seconds() + VOICE_S;
	int at_least = 1;

	while (at_least < 3) {
		struct answer a = voice_read(&me, id);
		const char *now = status_of(at(a.json, "data"));
		int is = at_least;

		while (is < 3 && strcmp(now, order[is]) != 0)
			is++;
		ck_assert_msg(is < 3, "from %s to %s", order[at_least], shown(&a));
		at_least = is == 2 ? 3 : is;
		ck_assert_msg(seconds() < end, "still %s", now);
		nap(0.01);
	}
}

START_TEST(a_recording_becomes_a_voice_that_speaks)
{
	struct answer a = CLONE(.as = &me), sent;
	const char *id = text_at(a.json, "data.voice_id"), *url;
	struct form f = form_of(at(a.json, "data.samples.0"), recording("speech.wav"));
	json_t *voice;
	struct sound s;

	ck_assert_str_eq(status_of(at(a.json, "data")), "created");
	a = voice_read(&me, id);
	ck_assert_str_eq(status_of(at(a.json, "data")), "created");
	sent = form_send(&f);
	EXPECT(sent, 201);
	watch_it_grow(id);
	voice = voice_await(&me, id, "ready");
	ck_assert_int_eq(count_at(voice, "processing_result.warnings"), 0);
	ck_assert_int_eq(count_at(voice, "processing_result.errors"), 0);
	ck_assert_ptr_null(at(voice, "samples"));
	url = text_at(voice, "tts_sample.url");
	ck_assert_str_eq(text_at(voice, "tts_sample.text.lang"), "en-us");
	a = ASK(.path = url);
	EXPECT(a, 200);
	ck_assert_str_eq(
	    header_of(&a, "Content-Type"), text_at(voice, "tts_sample.mime_type"));
	s = sound_of((struct bytes){ a.body, a.n });
	ck_assert_msg(s.rms > 0.01, "it is silent: %f", s.rms);
	ck_assert_double_eq_tol(s.seconds,
	    json_number_value(at(voice, "tts_sample.audio_metadata.duration")), 0.3);
	ck_assert_int_eq(count_in_db(&jobs_of, id), 0);
	ck_assert_int_eq(count_in_db(&rows_of, id), 1);
	a = form_send(&f); /* the recording is checked when it arrives */
	expect_s3(&a, 409, "OperationAborted");
}
END_TEST

static const struct {
	const char *type, *file;
} taken[] = {
	{ "audio/wav", "speech.wav" },
	{ "audio/x-wav", "speech.wav" },
	{ "audio/mp3", "speech.mp3" },
	{ "audio/mpeg", "speech.mp3" },
	{ "audio/mpeg", "cut.mp3" },
	{ "audio/x-m4a", "speech.m4a" },
	{ "audio/flac", "speech.flac" },
	{ "video/webm", "film.webm" },
	{ "video/mp4", "film.mp4" },
	{ "video/mpeg", "film.mpg" },
};

START_TEST(every_kind_of_recording_becomes_a_voice)
{
	const char *id =
	    clone_with(&(struct clone){ .as = &me, .type = taken[_i].type },
		recording(taken[_i].file));
	json_t *voice = voice_await(&me, id, "ready");

	ck_assert_ptr_nonnull(at(voice, "tts_sample"));
}
END_TEST

START_TEST(a_short_recording_becomes_a_voice_with_a_warning)
{
	const char *id = clone_with(
	    &(struct clone){ .as = &me, .more = "" }, recording("speech-12s.wav"));
	json_t *voice = voice_await(&me, id, "ready");
	json_t *w = at(voice, "processing_result.warnings.0");

	ck_assert_int_eq(count_at(voice, "processing_result.warnings"), 1);
	ck_assert_str_eq(
	    text_at(w, "type"), text("%s/problems/sample-short", instance()->base_url));
	ck_assert_int_eq(int_at(w, "status"), 422);
	ck_assert_int_eq(int_at(w, "error_code"), 100201);
	ck_assert_str_eq(text_at(w, "title"), "Sample is short");
	ck_assert_str_eq(text_at(w, "instance"), text("urn:uuid:%s", id));
	ck_assert_ptr_nonnull(strstr(text_at(w, "detail"), "12.0 s"));
	ck_assert_ptr_nonnull(at(voice, "tts_sample"));
}
END_TEST

/* ---- failures ---- */

/* clang-format off */
static const struct {
	const char *type, *file, *slug;
	int code;
} failures[] = {
	{ "audio/wav",  "speech-2s.wav",     "sample-too-short",     100202 },
	{ "audio/wav",  "pause.wav",         "sample-too-short",     100202 },
	{ "image/png",  "picture.png",       "sample-no-audio",      100203 },
	{ "audio/wav",  "unknown-codec.wav", "sample-undecodable",   100204 },
	{ "audio/wav",  "page.html",         "sample-type-mismatch", 100205 },
	{ "audio/flac", "speech.mp3",        "sample-type-mismatch", 100205 },
	{ "audio/mp3",  "noise.bin",         "sample-type-mismatch", 100205 },
	{ "video/mp4",  "zeros.bin",         "sample-type-mismatch", 100205 },
};
/* clang-format on */

static void
expect_failed(const char *id, const char *slug, int code)
{
	json_t *voice = voice_await(&me, id, "failed");
	json_t *e = at(voice, "processing_result.errors.0");
	struct answer a;

	ck_assert_int_eq(count_at(voice, "processing_result.errors"), 1);
	ck_assert_str_eq(
	    text_at(e, "type"), text("%s/problems/%s", instance()->base_url, slug));
	ck_assert_int_eq(int_at(e, "error_code"), code);
	ck_assert_str_eq(text_at(e, "instance"), text("urn:uuid:%s", id));
	ck_assert_ptr_null(at(voice, "tts_sample"));
	ck_assert_int_eq(count_in_db(&jobs_of, id), 0);
	a = ASK(.method = "POST", .path = text("/saas/voice/m/%s/tts-sample", id),
	    .as = &me, .json = "{\"data\":{\"lang_code\":\"en\"}}");
	expect_problem(&a, 409, "voice-not-ready");
}

START_TEST(a_bad_recording_fails_with_its_reason)
{
	const char *id =
	    clone_with(&(struct clone){ .as = &me, .type = failures[_i].type },
		recording(failures[_i].file));

	expect_failed(id, failures[_i].slug, failures[_i].code);
}
END_TEST

START_TEST(a_recording_that_never_comes_fails_the_voice)
{
	struct answer a = CLONE(.as = &me, .name = "Nobody");
	const char *id = text_at(a.json, "data.voice_id");
	struct form f = form_of(at(a.json, "data.samples.0"), recording("speech.wav"));

	change_db(&a_day_ago, id);
	expect_failed(id, "sample-missing", 100207);
	a = form_send(&f); /* failed is final, so this is too late */
	nap(0.5);
	a = voice_read(&me, id);
	ck_assert_str_eq(status_of(at(a.json, "data")), "failed");
}
END_TEST

START_TEST(a_voice_that_is_not_ready_does_not_speak)
{
	struct answer a = CLONE(.as = &me);
	const char *id = text_at(a.json, "data.voice_id");

	a = ASK(.method = "POST", .path = text("/saas/voice/m/%s/tts-sample", id),
	    .as = &me, .json = "{\"data\":{\"lang_code\":\"en\"}}");
	expect_problem(&a, 409, "voice-not-ready");
}
END_TEST

/* ---- deleted meanwhile ---- */

static bool
is_over(const void *id)
{
	return count_in_db(&jobs_of, id) == 0;
}

START_TEST(a_voice_deleted_while_it_is_made_stays_deleted)
{
	const char *id = clone_with(&(struct clone){ .as = &me, .name = "Short life" },
	    recording("speech.wav"));
	struct answer a;

	nap(0.15 * _i); /* states of the job: queued, running, nearly done */
	a = ASK(.method = "DELETE", .path = text("/saas/voice/m/%s", id), .as = &me);
	EXPECT(a, 200);
	ck_assert(becomes(is_over, id, 30));
	a = voice_read(&me, id);
	expect_problem(&a, 404, "resource-not-found");
	ck_assert_int_eq(count_in_db(&rows_of, id), 0);
	ck_assert_int_eq(count_in_db(&blobs_of, id), 0);
}
END_TEST

/* ---- one effect ---- */

START_TEST(the_same_key_clones_once)
{
	const char *key = text("\"%s-%d\"", me.user_id, _i);
	struct clone c = { .as = &me, .name = "Once only", .key = key };
	struct answer first = clone_voice(&c), a;
	const char *id = text_at(first.json, "data.voice_id");
	struct form f =
	    form_of(at(first.json, "data.samples.0"), recording("speech.wav"));

	ck_assert_ptr_null(header_of(&first, "Idempotency-Replayed"));
	a = form_send(&f);
	EXPECT(a, 201);
	voice_await(&me, id, "ready");
	a = clone_voice(&c);
	EXPECT(a, 200);
	ck_assert_str_eq(header_of(&a, "Idempotency-Replayed"), "true");
	ck_assert_str_eq(a.body, first.body);
	ck_assert_str_eq(header_of(&a, "ETag"), header_of(&first, "ETag"));
	c.name = "Another body";
	a = clone_voice(&c);
	expect_problem(&a, 422, "idempotency-key-reused");
	ck_assert_str_eq(text_at(a.json, "errors.0.parameter"), "Idempotency-Key");
	c.key = "\"un\tseen\"";
	a = clone_voice(&c);
	expect_problem(&a, 400, "bad-request");
	a = ASK(.path = "/saas/voice?search=once%20only", .as = &me);
	ck_assert_int_eq(count_at(a.json, "data.items"), 1);
}
END_TEST

/* ---- how fast ---- */

START_TEST(a_queued_clone_is_picked_up_at_once)
{
	static const struct sql waiting = { "e2e.waiting",
		"SELECT count(*) FROM jobs WHERE ref = $1 AND tries = 0", NULL };
	double worst = 0, start;

	for (int i = 0; i < 3; i++) {
		const char *id;

		nap(0.3);
		id = clone_with(
		    &(struct clone){ .as = &me }, recording("speech-12s.wav"));
		start = seconds();
		while (count_in_db(&waiting, id) > 0)
			nap(0.005);
		if (seconds() - start > worst)
			worst = seconds() - start;
		voice_await(&me, id, "ready");
	}
	printf("a clone was picked up after %.2f s at most\n", worst);
	ck_assert_msg(
	    /* the worker's next start, at most a minute later */
	    worst < 15, "it took %.2f s", worst);
}
END_TEST

Suite *
cloning_suite(void)
{
	TCase *t;
	Suite *s = suite_of("cloning", before, &t);

	tcase_add_test(t, a_recording_becomes_a_voice_that_speaks);
	tcase_add_loop_test(t, every_kind_of_recording_becomes_a_voice, 0, ROWS(taken));
	tcase_add_test(t, a_short_recording_becomes_a_voice_with_a_warning);
	tcase_add_loop_test(
	    t, a_bad_recording_fails_with_its_reason, 0, ROWS(failures));
	tcase_add_test(t, a_voice_that_is_not_ready_does_not_speak);
	tcase_add_loop_test(t, a_voice_deleted_while_it_is_made_stays_deleted, 0, 4);
	tcase_add_test(t, the_same_key_clones_once);
	return s;
}

/*
 * The janitor checks three times a minute; this suite waits for it, so that others need
 * not.
 */
Suite *
missing_suite(void)
{
	TCase *t;
	Suite *s = suite_of("missing", before, &t);

	tcase_add_test(t, a_recording_that_never_comes_fails_the_voice);
	return s;
}

/* Runs alone before the other suites, in an idle instance. */
Suite *
idle_suite(void)
{
	TCase *t;
	Suite *s = suite_of("idle", before, &t);

	tcase_add_test(t, a_queued_clone_is_picked_up_at_once);
	return s;
}
