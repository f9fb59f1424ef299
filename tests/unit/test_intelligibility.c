/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The default voices are intelligible. This runs a part of
 * tests/voices/intelligibility, whose figures are in docs/voices.md.
 */
#include <libgen.h>

#include "tests/unit/unit.h"
#include "tests/voices/intelligible.h"

#define SOME 5 /* sentences */

/* The limit is twice the measured error; the eSpeak variants have 85. */
static const struct {
	const char *kind;
	bool high;
	double most; /* % */
} voices[] = {
	{ "flite", false, 20 },
	{ "flite", true, 35 },
	{ "espeak", false, 65 },
	{ "espeak", true, 65 },
};

static ps_decoder_t *recogniser; /* loaded once; each case is a fork */

START_TEST(a_default_voice_is_understood)
{
	struct arena *mem = arena_new();
	char self[1024] = "";
	struct engine_at at = { .id = "it", .timeout_ms = 20000 };
	const struct tts_text t = { .lang = "en", .high = voices[_i].high, .rate = 1 };
	struct intelligibility of;

	(void)fixture;
	ck_assert_int_gt(readlink("/proc/self/exe", self, sizeof(self) - 1), 0);
	at.bin_dir = arena_printf(mem, "%s/../bin", dirname(self));
	ck_assert(try_voice(
	    recogniser, engine_find(voices[_i].kind)->tts, &at, t, SOME, &of));
	ck_assert_int_gt(of.words, 5 * SOME);
	ck_assert_double_le(wer_percent(of), voices[_i].most);
	arena_free(mem);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("intelligibility");
	TCase *t = tcase_create("all");
	int failed;

	if ((recogniser = load_recogniser()) == NULL)
		return EXIT_FAILURE;
	tcase_set_timeout(t, 180);
	tcase_add_loop_test(t, a_default_voice_is_understood, 0, COUNT(voices));
	suite_add_tcase(s, t);
	failed = unit_run(s);
	ps_free(recogniser);
	return failed;
}
