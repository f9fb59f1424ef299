/* SPDX-License-Identifier: GPL-3.0-or-later */
/* PocketSphinx ends a phrase at an earlier point of its sound. */
#include "speech/engine.h"
#include "tests/unit/asr_prompts.h"

#define SPHINX (&asr_pocketsphinx)

static struct arena *mem;

static void
setup(void)
{
	(void)fixture;
	mem = arena_new();
}

static void
teardown(void)
{
	asr_free_idle();
	arena_free(mem);
}

static void
feed(struct asr *a, struct sound s)
{
	ck_assert_int_eq(SPHINX->feed(a, s.s, s.n), OK);
}

/* Two prompts without a pause, to be cut near the end of the first. */
static const struct engine_at at = { .id = "pocketsphinx", .kind = "pocketsphinx" };
static const struct asr_want english = { .lang = "en" };

START_TEST(a_phrase_that_is_cut_ends_between_two_words)
{
	struct sound a = prompt_sound(mem, &prompts[1]), b;
	int words = 0, first = 0;
	size_t cut = a.n;
	struct asr_result h, rest;
	struct asr *sphinx;

	ck_assert_int_eq(SPHINX->open(&at, &english, &sphinx), OK);
	b = prompt_sound(mem, &prompts[LONGEST]);
	feed(sphinx, a);
	feed(sphinx, b);
	ck_assert_int_eq(SPHINX->finish_at(sphinx, &cut, mem, &h), OK);
	ck_assert_int_lt(llabs((long long)cut - (long long)a.n), ASR_RATE_HZ / 2);
	ck_assert_int_le(2 * word_errors(arena_str(mem, prompts[1].text),
				 arena_str(mem, h.text), &first),
	    first);
	if (cut < a.n)
		feed(sphinx, (struct sound){ a.s + cut, a.n - cut });
	else
		b = (struct sound){ b.s + (cut - a.n), b.n - (cut - a.n) };
	feed(sphinx, b);
	ck_assert_int_eq(SPHINX->finish(sphinx, mem, &rest), OK);
	ck_assert_int_le(2 * word_errors(arena_str(mem, prompts[LONGEST].text),
				 arena_str(mem, rest.text), &words),
	    words);
	SPHINX->close(sphinx);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("asr_cut");
	TCase *c = tcase_create("all");

	tcase_add_checked_fixture(c, setup, teardown);
	tcase_set_timeout(c, 60);
	tcase_add_test(c, a_phrase_that_is_cut_ends_between_two_words);
	suite_add_tcase(s, c);
	return unit_run(s);
}
