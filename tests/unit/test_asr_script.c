/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The recognizer for tests, whose texts are configured. */
#include <math.h>

#include "speech/engine.h"
#include "tests/unit/unit.h"

#define S ASR_RATE_HZ

static struct arena *mem;
static struct engine_at at;

static void
setup(void)
{
	(void)fixture;
	mem = arena_new();
	at = (struct engine_at){ .id = "it", .kind = "script" };
}

static void
teardown(void)
{
	arena_free(mem);
}

static struct asr *
opened(const struct asr_engine *en, const char *lang)
{
	struct asr_want want = { .lang = lang };
	struct asr *a;

	ck_assert_int_eq(en->open(&at, &want, &a), OK);
	return a;
}

/* A sine of 300 Hz; level 1 is full scale. */
static void
feed_sine(const struct asr_engine *en, struct asr *a, size_t n, double level)
{
	int16_t *s = arena_alloc(mem, n * sizeof(*s) + 1);

	for (size_t i = 0; i < n; i++)
		s[i] = (int16_t)lrint(
		    32767 * level * sin(2 * 3.14159265358979 * 300 * (double)i / S));
	for (size_t i = 0; i < n; i += 5120)
		ck_assert_int_eq(en->feed(a, s + i, n - i < 5120 ? n - i : 5120), OK);
}

static struct asr_result
finished(const struct asr_engine *en, struct asr *a)
{
	struct asr_result h;

	ck_assert_int_eq(en->finish(a, mem, &h), OK);
	return h;
}

static struct asr_result
partly(const struct asr_engine *en, struct asr *a)
{
	struct asr_result h;

	ck_assert_int_eq(en->partial(a, mem, &h), OK);
	return h;
}

START_TEST(a_script_says_line_after_line)
{
	static const char *const lines[] = { "one two three", "four", "four", "four" };
	const struct asr_engine *en = &asr_script;
	struct asr *a;

	at.lines = "one two three\nfour\n";
	a = opened(en, "ga");
	for (int i = 0; i < COUNT(lines); i++) {
		feed_sine(en, a, S, 0.1);
		ck_assert_str_eq(finished(en, a).text, lines[i]);
		/* -60 dBFS: counts as silence, so no line is used */
		feed_sine(en, a, S, 0.001);
		ck_assert_str_eq(finished(en, a).text, "");
	}
	ck_assert_str_eq(finished(en, a).lang, "ga");
	en->close(a);
	en->close(NULL);
}
END_TEST

START_TEST(a_script_says_a_word_every_150_ms_of_speech)
{
	static const struct {
		size_t ms;
		const char *text;
	} steps[] = { { 140, "" }, { 20, "one" }, { 120, "one" }, { 20, "one two" },
		{ 160, "one two three" }, { 1000, "one two three" } };
	const struct asr_engine *en = &asr_script;
	const struct asr_word *w;
	struct asr_result h;
	struct asr *a;

	at.lines = "one two three";
	a = opened(en, "en");
	feed_sine(en, a, S, 0); /* a second of silence does not count */
	ck_assert_str_eq(partly(en, a).text, "");
	for (int i = 0; i < COUNT(steps); i++) {
		feed_sine(en, a, S / 1000 * steps[i].ms, 0.1);
		ck_assert_str_eq(partly(en, a).text, steps[i].text);
	}
	h = finished(en, a);
	w = h.words.items;
	ck_assert_uint_eq(h.words.n, 3);
	ck_assert_str_eq(w[2].text, "three");
	ck_assert_int_eq(w[2].start_us, 1300000);
	ck_assert_int_eq(w[2].end_us, 1450000);
	en->close(a);
}
END_TEST

START_TEST(a_script_without_lines_says_hello)
{
	const struct asr_engine *en = &asr_script;
	struct asr *a = opened(en, "auto");

	feed_sine(en, a, S / 4, 0.1);
	en->drop(a); /* no line was used */
	feed_sine(en, a, S / 4, 0.1);
	ck_assert_str_eq(finished(en, a).text, "hello world");
	feed_sine(en, a, S / 50 * 8, 0.1);
	ck_assert_str_eq(partly(en, a).text, "hello");
	ck_assert_str_eq(finished(en, a).lang, "en");
	en->close(a);
}
END_TEST

static const struct {
	double level;
	const char *text;
	/* the level of a sine is its peak - 3 dB */
} levels[] = { { 0.0142, "hello world" }, { 0.0140, "" } };

START_TEST(a_script_hears_from_minus_40_db_up)
{
	struct asr *a = opened(&asr_script, "en");

	feed_sine(&asr_script, a, S, levels[_i].level);
	ck_assert_str_eq(finished(&asr_script, a).text, levels[_i].text);
	asr_script.close(a);
}
END_TEST

START_TEST(a_script_fails_when_its_line_says_so)
{
	const struct asr_engine *en = &asr_script;
	struct asr_result h;
	struct asr *a;

	at.lines = "good\nbad fault-asr line\ngood again";
	a = opened(en, "en");
	feed_sine(en, a, S, 0.1);
	ck_assert_str_eq(finished(en, a).text, "good");
	feed_sine(en, a, S, 0.1);
	ck_assert_int_eq(en->partial(a, mem, &h), ERR_FAILED);
	ck_assert_int_eq(en->finish(a, mem, &h), ERR_FAILED);
	feed_sine(en, a, S, 0.1);
	ck_assert_str_eq(finished(en, a).text, "good again");
	en->close(a);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("asr_script");
	TCase *t = tcase_create("all");

	tcase_add_checked_fixture(t, setup, teardown);
	tcase_add_test(t, a_script_says_line_after_line);
	tcase_add_test(t, a_script_says_a_word_every_150_ms_of_speech);
	tcase_add_test(t, a_script_without_lines_says_hello);
	tcase_add_loop_test(t, a_script_hears_from_minus_40_db_up, 0, COUNT(levels));
	tcase_add_test(t, a_script_fails_when_its_line_says_so);
	suite_add_tcase(s, t);
	return unit_run(s);
}
