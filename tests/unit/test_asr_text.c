/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Faults in the texts of neural recognizers. */
#include <check.h>

#include "speech/asr_text.h"
#include "tests/unit/suite.h"

static const struct {
	const char *text, *left;
} texts[] = {
	{ " Good morning.", "Good morning." },
	{ "[BLANK_AUDIO]", "" },
	{ "(upbeat music) Good morning. *coughs*", "Good morning." },
	{ "♪ ♪", "" },
	{ "♪ Happy birthday ♪", "Happy birthday" },
	{ "an open [bracket", "an open [bracket" },
	{ "", "" },
	/* loops */
	{ "I'm going to go. I'm going to go. I'm going to go. I'm going",
	    "I'm going to go." },
	{ "Well, you know, you know, you know, you know, you know, you know,",
	    "Well, you know," },
	{ "So the the the the the the the the the the the", "So the" },
	{ "ご視聴ありがとうございましたご視聴ありがとうございましたご視聴ありがとうござ"
	  "いました",
	    "ご視聴ありがとうございました" },
	{ "plus red-to-the-the-the-the-the-the-the-th", "plus red-to-the-" },
	{ "hahahahahahahahahahahaha", "hahahahahahahahahahahaha" },
	/* repetitions that people really say */
	{ "No, no, no, no. We do not.", "No, no, no, no. We do not." },
	{ "It is very very very good.", "It is very very very good." },
	{ "Thank you. Thank you very much.", "Thank you. Thank you very much." },
	{ "one one two one one two", "one one two one one two" },
};

START_TEST(descriptions_and_loops_go_and_speech_stays)
{
	struct arena *mem = arena_new();

	ck_assert_str_eq(asr_text_clean(mem, texts[_i].text), texts[_i].left);
	arena_free(mem);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("asr_text");
	TCase *t = tcase_create("all");

	tcase_add_loop_test(
	    t, descriptions_and_loops_go_and_speech_stays, 0, COUNT(texts));
	suite_add_tcase(s, t);
	return unit_run(s);
}
