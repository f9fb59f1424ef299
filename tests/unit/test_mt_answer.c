/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Answers of chat models, and finding the translation in them. */
#include <check.h>

#include "speech/mt_answer.h"
#include "tests/unit/suite.h"

#define BOAT "El barco sale a las cinco."
#define TEXT "The boat leaves at five."

static const struct {
	const char *text, *answer, *bare;
} answers[] = {
	{ TEXT, BOAT, BOAT },
	{ TEXT, "```\n" BOAT "\n```", BOAT },
	{ TEXT, "```spanish\n" BOAT "\n```", BOAT },
	{ TEXT, "```" BOAT "```", BOAT },
	{ TEXT, "Here is the translation:\n\n" BOAT, BOAT },
	{ TEXT, "Here's the translation: " BOAT, BOAT },
	{ TEXT, "Sure! Here is the translation:\n" BOAT, BOAT },
	{ TEXT, "Here is the translated text in Spanish:\n" BOAT, BOAT },
	{ TEXT, "Translation: " BOAT, BOAT },
	{ TEXT, "**" BOAT "**", BOAT },
	{ TEXT, "**Translation:** x", "**Translation:** x" },
	{ TEXT, BOAT "\n\n(Note: \"barco\" can also be \"buque\".)", BOAT },
	{ TEXT, BOAT " (Note: informal.)", BOAT },
	{ TEXT, BOAT "\n\nNote: informal.", BOAT },
	{ TEXT, "Here is the translation:\n```\n**" BOAT "**\n```\n(Note: so.)", BOAT },
	/* words of the speaker that look like a model's comment */
	{ "Hier ist die Übersetzung: ja.", "Here is the translation: yes.",
	    "Here is the translation: yes." },
	{ "Here is the translation:", "Here is the translation:",
	    "Here is the translation:" },
	{ "Der Titel: fünf.", "Here is the translation:\nThe title: five.",
	    "The title: five." },
	{ "**wichtig**", "**important**", "**important**" },
	{ "2 * 3 * 4", "*2 * 3 * 4*", "*2 * 3 * 4*" },
	{ "Er sagte (Notiz: ja)", "He said (Note: yes)", "He said (Note: yes)" },
	{ "```x```", "```x```", "```x```" },
	{ "\"Ja\"", "\"Yes\"", "\"Yes\"" },
	{ TEXT, "**El barco** sale a **las cinco**",
	    "**El barco** sale a **las cinco**" },
	{ "Die Übersetzung ist gut.", "The translation is good.",
	    "The translation is good." },
};

START_TEST(the_translation_alone_is_left)
{
	struct arena *mem = arena_new();

	ck_assert_str_eq(mt_answer_bare(mem, answers[_i].text, answers[_i].answer),
	    answers[_i].bare);
	arena_free(mem);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("mt_answer");
	TCase *t = tcase_create("all");

	tcase_add_loop_test(t, the_translation_alone_is_left, 0, COUNT(answers));
	suite_add_tcase(s, t);
	return unit_run(s);
}
