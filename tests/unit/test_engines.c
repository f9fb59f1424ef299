/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <check.h>
#include <math.h>

#include "base/clock.h"
#include "speech/engine.h"
#include "speech/engine_call.h"
#include "speech/tts_stream.h"
#include "tests/engine-server.h"
#include "tests/unit/suite.h"

static struct engine_server server;
static struct arena *mem;
static struct pcm sound;
static float ramp[8000];

#define REF "6f1c2a34-0000-4000-8000-00000000000"

/* Both providers, in the order of all loops here. */
static const struct tts_engine *const tts[] = { &tts_openai, &tts_elevenlabs };
static const struct clone_engine *const cloner[] = { &clone_openai, &clone_elevenlabs };

static void
setup(void)
{
	mem = arena_new();
	server = engine_server_start();
	for (int i = 0; i < COUNT(ramp); i++)
		ramp[i] = sinf((float)i / 20);
}

static void
teardown(void)
{
	engine_server_stop(&server);
	arena_free(mem);
}

/* Returns our server's address with a fault: "" or "/silent". */
static struct engine_at
at(const char *fault)
{
	return (struct engine_at){
		.url = arena_printf(mem, "http://127.0.0.1:%d%s", server.port, fault),
		.key = "test-key",
		.timeout_ms = 5000,
		.allow_private = true,
	};
}

static enum err
speak_at(int i, struct engine_at where, const char *voice)
{
	const struct tts_text text = { "Good \"morning\",\né", "en-gb", voice };

	sound = (struct pcm){ 0 };
	return tts_sample(tts[i], &where, mem, &text, &sound);
}

static enum err
clone_at(int i, struct engine_at where, const char *ref, const char **voice)
{
	const struct clone_sample sample = {
		.name = "Ann \"the voice\"",
		.ref = ref,
		.description = i == 0 ? NULL : "calm",
		.lang = "en",
		.pcm = { ramp, COUNT(ramp), 16000 },
	};

	return cloner[i]->clone(&where, mem, &sample, voice);
}

static enum err
drop_at(int i, struct engine_at where, const char *voice)
{
	return cloner[i]->drop(&where, mem, voice);
}

static int
count(const char *what)
{
	return engine_server_count(&server, mem, what);
}

/* Checks the sound of a sine. */
static double
pitch_hz(const struct pcm *p)
{
	int rises = 0;

	for (size_t i = 1; i < p->n; i++)
		rises += p->s[i - 1] < 0 && p->s[i] >= 0;
	return (double)rises * p->rate_hz / (double)p->n;
}

START_TEST(a_sentence_is_spoken)
{
	ck_assert_int_eq(speak_at(_i, at(""), NULL), OK);
	ck_assert_int_eq(sound.rate_hz, _i == 0 ? 24000 : 22050);
	ck_assert_uint_gt(sound.n, (size_t)sound.rate_hz * 8 / 10);
	ck_assert_uint_lt(sound.n, (size_t)sound.rate_hz);
	ck_assert_double_gt(pitch_hz(&sound), 100);
	ck_assert_double_lt(pitch_hz(&sound), 450);
	ck_assert_float_le(fabsf(sound.s[sound.n / 2]), 0.25f);
}
END_TEST

START_TEST(a_cloned_voice_is_heard)
{
	const char *voice = NULL;
	double before;

	ck_assert_int_eq(speak_at(_i, at(""), NULL), OK);
	before = pitch_hz(&sound);
	ck_assert_int_eq(clone_at(_i, at(""), REF "1", &voice), OK);
	ck_assert_str_eq(voice, _i == 0 ? "dragoman-" REF "1" : "v1");
	ck_assert_int_eq(speak_at(_i, at(""), voice), OK);
	ck_assert_double_gt(fabs(pitch_hz(&sound) - before), 10);
}
END_TEST

START_TEST(cloning_twice_makes_one_voice)
{
	const char *first = NULL, *second = NULL, *other = NULL;

	ck_assert_int_eq(clone_at(_i, at(""), REF "1", &first), OK);
	ck_assert_int_eq(clone_at(_i, at(""), REF "1", &second), OK);
	ck_assert_str_eq(first, second);
	ck_assert_int_eq(count("voices"), 1);
	ck_assert_int_eq(clone_at(_i, at(""), REF "2", &other), OK);
	ck_assert_str_ne(first, other);
	ck_assert_int_eq(count("voices"), 2);
}
END_TEST

START_TEST(a_try_whose_answer_was_lost_leaves_one_voice)
{
	const char *voice = NULL;

	ck_assert_int_eq(clone_at(_i, at("/lost"), REF "1", &voice), ERR_TIMEOUT);
	ck_assert_int_eq(count("voices"), 1);
	ck_assert_int_eq(
	    clone_at(_i, at("/lost"), REF "1", &voice), _i == 0 ? ERR_TIMEOUT : OK);
	ck_assert_int_eq(clone_at(_i, at(""), REF "1", &voice), OK);
	ck_assert_int_eq(speak_at(_i, at(""), voice), OK);
	ck_assert_int_eq(count("voices"), 1);
}
END_TEST

START_TEST(dropping_twice_is_fine)
{
	const char *voice = NULL;

	ck_assert_int_eq(clone_at(_i, at(""), REF "1", &voice), OK);
	ck_assert_int_eq(drop_at(_i, at(""), voice), OK);
	ck_assert_int_eq(count("voices"), 0);
	ck_assert_int_eq(drop_at(_i, at(""), voice), OK);
	ck_assert_int_eq(drop_at(_i, at("/status-404"), voice), OK);
	ck_assert_int_eq(speak_at(_i, at(""), voice), ERR_REFUSED);
}
END_TEST

START_TEST(a_wrong_credential_is_refused)
{
	struct engine_at where = at("");
	const char *voice = NULL;

	where.key = _i < 2 ? "wrong" : NULL;
	ck_assert_int_eq(speak_at(_i % 2, where, NULL), ERR_REFUSED);
	ck_assert_int_eq(clone_at(_i % 2, where, REF "1", &voice), ERR_REFUSED);
	ck_assert_int_eq(drop_at(_i % 2, where, "v1"), ERR_REFUSED);
}
END_TEST

/* The result of each operation for each fault. */
static const struct {
	const char *fault;
	enum err speak, clone, drop;
} faults[] = {
	{ "/status-400", ERR_REFUSED, ERR_REFUSED, ERR_REFUSED },
	{ "/status-401", ERR_REFUSED, ERR_REFUSED, ERR_REFUSED },
	{ "/status-404", ERR_REFUSED, ERR_REFUSED, OK },
	{ "/status-422", ERR_REFUSED, ERR_REFUSED, ERR_REFUSED },
	{ "/status-429", ERR_BUSY, ERR_BUSY, ERR_BUSY },
	{ "/status-500", ERR_BUSY, ERR_BUSY, ERR_BUSY },
	{ "/silent", ERR_TIMEOUT, ERR_TIMEOUT, ERR_TIMEOUT },
	{ "/drip", ERR_TIMEOUT, ERR_TIMEOUT, ERR_TIMEOUT },
	{ "/cut", ERR_TIMEOUT, ERR_TIMEOUT, ERR_TIMEOUT },
	{ "/flood", ERR_REFUSED, ERR_REFUSED, ERR_REFUSED },
	{ "/redirect", ERR_REFUSED, ERR_REFUSED, ERR_REFUSED },
	{ "/garbage", ERR_REFUSED, ERR_REFUSED, ERR_REFUSED },
	{ "/html", ERR_REFUSED, ERR_REFUSED, OK },
	{ "/empty", ERR_REFUSED, ERR_REFUSED, OK },
	{ "/odd", ERR_REFUSED, ERR_REFUSED, OK },
};

START_TEST(a_fault_ends_each_operation_in_its_way)
{
	int i = _i % 2, f = _i / 2;
	struct engine_at where = at(faults[f].fault);
	bool slow = faults[f].speak == ERR_TIMEOUT;
	const char *voice = NULL;

	where.timeout_ms = slow ? 100 : 20000;
	ck_assert_int_eq(speak_at(i, where, NULL), faults[f].speak);
	ck_assert_int_eq(clone_at(i, where, REF "1", &voice), faults[f].clone);
	ck_assert_int_eq(drop_at(i, where, "v1"), faults[f].drop);
	ck_assert_int_eq(count("voices"), 0);
}
END_TEST

START_TEST(an_error_in_json_with_status_200_is_no_sound)
{
	const char *voice = NULL;

	ck_assert_int_eq(speak_at(_i, at("/json"), NULL), ERR_REFUSED);
	if (_i == 1)
		ck_assert_int_eq(
		    clone_at(1, at("/json"), REF "1", &voice), ERR_REFUSED);
}
END_TEST

START_TEST(a_private_address_has_to_be_allowed)
{
	struct engine_at where = at("");
	const char *voice = NULL;

	where.allow_private = false;
	ck_assert_int_eq(speak_at(_i, where, NULL), ERR_REFUSED);
	ck_assert_int_eq(clone_at(_i, where, REF "1", &voice), ERR_REFUSED);
	ck_assert_int_eq(drop_at(_i, where, "v1"), ERR_REFUSED);
	ck_assert_int_eq(count("connections"), 1);
}
END_TEST

static const char *const bad_names[] = { "", "../voices", "a/b", "a?b", "a%2fb", "a b",
	"\xc3\xa9" };

START_TEST(a_voice_that_would_bend_a_path_is_refused)
{
	ck_assert_int_eq(drop_at(0, at(""), bad_names[_i]), ERR_REFUSED);
	ck_assert_int_eq(drop_at(1, at(""), bad_names[_i]), ERR_REFUSED);
	ck_assert_int_eq(speak_at(1, at(""), bad_names[_i]), ERR_REFUSED);
	ck_assert_int_eq(count("connections"), 1);
}
END_TEST

static const struct {
	const char *lang;
	bool openai, elevenlabs;
} languages[] = { { "en", true, true }, { "en-gb", true, true }, { "fil", true, true },
	{ "fi", true, true }, { "es-la", true, true }, { "zh-hant", true, true },
	{ "pt-br", true, true }, { "cy", true, false }, { "no", true, false },
	{ "yue", false, false }, { "eo", false, false }, { "auto", false, false },
	{ "", false, false }, { "e", false, false } };

START_TEST(languages_are_those_documented)
{
	const char *lang = languages[_i].lang;
	const struct tts_text text = { "Hi", lang, NULL };
	struct engine_at where = at("");

	for (int i = 0; i < 2; i++) {
		bool can = i == 0 ? languages[_i].openai : languages[_i].elevenlabs;

		ck_assert_msg(tts[i]->speaks(lang) == can, "%s", lang);
		ck_assert_int_eq(tts_sample(tts[i], &where, mem, &text, &sound),
		    can ? OK : ERR_UNSUPPORTED);
	}
}
END_TEST

START_TEST(a_model_of_the_operators_choice_is_used)
{
	struct engine_at where = at("");

	where.model = "eleven_turbo_v2_5";
	ck_assert_int_eq(speak_at(_i, where, NULL), OK);
}
END_TEST

/* All calls of an operation share its time limit: the search may not start it again. */
START_TEST(the_deadline_is_of_the_whole_operation)
{
	struct engine_at where = at("/silent");
	int64_t began = monotonic_us();
	const char *voice = NULL;

	where.timeout_ms = 1500;
	ck_assert_int_eq(clone_at(_i, where, REF "1", &voice), ERR_TIMEOUT);
	ck_assert_int_lt(monotonic_us() - began, 3 * S_US);
}
END_TEST

START_TEST(logs_hold_neither_key_nor_text)
{
	FILE *log = tmpfile();
	struct engine_at where = at("/status-401");
	const char *voice = NULL;
	char line[8192];
	size_t n;

	ck_assert_ptr_nonnull(log);
	dup2(fileno(log), STDERR_FILENO);
	where.key = "sesame-key";
	for (int i = 0; i < 2; i++) {
		ck_assert_int_eq(speak_at(i, where, NULL), ERR_REFUSED);
		ck_assert_int_eq(clone_at(i, where, REF "1", &voice), ERR_REFUSED);
	}
	rewind(log);
	n = fread(line, 1, sizeof(line) - 1, log);
	line[n] = '\0';
	fclose(log);
	ck_assert_ptr_nonnull(strstr(line, "answered 401"));
	ck_assert_ptr_null(strstr(line, "sesame"));
	ck_assert_ptr_null(strstr(line, "morning"));
	ck_assert_ptr_null(strstr(line, "Ann"));
}
END_TEST

static bool
keep(void *arg, const struct pcm *pcm)
{
	*(struct pcm *)arg =
	    (struct pcm){ .s = (float *)(void *)arena_dup(
			      mem, (const char *)pcm->s, pcm->n * sizeof(float)),
		    .n = pcm->n,
		    .rate_hz = pcm->rate_hz };
	return true;
}

START_TEST(a_sample_reads_back_as_it_was_clipped_and_capped)
{
	static const float loud[] = { 0, 0.5f, -0.5f, 1, -1, 7, -7 };
	struct pcm in = { (float[7]){ 0 }, 7, 16000 }, out;
	struct audio_reader ear = { .sink = keep, .to = &out };
	struct http_part part;

	memcpy(in.s, loud, sizeof(loud));
	part = engine_sample_part(mem, "files", &in);
	ck_assert(audio_reader_feed(&ear, part.data, part.len));
	ck_assert(audio_reader_done(&ear));
	ck_assert_uint_eq(out.n, in.n);
	ck_assert_int_eq(out.rate_hz, in.rate_hz);
	for (size_t i = 0; i < in.n; i++)
		ck_assert_float_eq_tol(out.s[i], fmaxf(-1, fminf(1, in.s[i])), 1e-4f);
	in = (struct pcm){ arena_alloc(mem, 5000000 * sizeof(float)), 5000000, 48000 };
	part = engine_sample_part(mem, "files", &in);
	ck_assert_uint_eq(part.len, 44 + (9 << 20));
}
END_TEST

static void
operations(TCase *t)
{
	tcase_add_loop_test(t, a_sentence_is_spoken, 0, 2);
	tcase_add_loop_test(t, a_cloned_voice_is_heard, 0, 2);
	tcase_add_loop_test(t, cloning_twice_makes_one_voice, 0, 2);
	tcase_add_loop_test(t, a_try_whose_answer_was_lost_leaves_one_voice, 0, 2);
	tcase_add_loop_test(t, dropping_twice_is_fine, 0, 2);
	tcase_add_loop_test(t, a_wrong_credential_is_refused, 0, 4);
	tcase_add_loop_test(
	    t, a_fault_ends_each_operation_in_its_way, 0, 2 * COUNT(faults));
	tcase_add_loop_test(t, an_error_in_json_with_status_200_is_no_sound, 0, 2);
	tcase_add_loop_test(t, a_private_address_has_to_be_allowed, 0, 2);
	tcase_add_loop_test(
	    t, a_voice_that_would_bend_a_path_is_refused, 0, COUNT(bad_names));
	tcase_add_loop_test(t, languages_are_those_documented, 0, COUNT(languages));
	tcase_add_loop_test(t, a_model_of_the_operators_choice_is_used, 0, 2);
	tcase_add_loop_test(t, the_deadline_is_of_the_whole_operation, 0, 2);
	tcase_add_test(t, logs_hold_neither_key_nor_text);
}

int
main(void)
{
	Suite *s = suite_create("engines");
	TCase *t = tcase_create("all");

	tcase_add_checked_fixture(t, setup, teardown);
	tcase_set_timeout(t, 60);
	operations(t);
	tcase_add_test(t, a_sample_reads_back_as_it_was_clipped_and_capped);
	suite_add_tcase(s, t);
	return unit_run(s);
}
