/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/conf_text.h"

#include "tests/unit/unit.h"

static struct arena *mem;

static void
setup(void)
{
	mem = arena_new();
}

static void
teardown(void)
{
	arena_free(mem);
}

static const struct {
	const char *was, *setting, *value, *is;
} edits[] = {
	{ "", "a.b", "1", "[a]\nb = 1\n" },
	{ "[a]\nb=0\n[c]\nb = 7\n", "a.b", "1", "[a]\nb = 1\n[c]\nb = 7\n" },
	{ "[a]\n# b = 0\nx = 1\n\n[c]\n", "a.b", "1",
	    "[a]\n# b = 0\nx = 1\nb = 1\n\n[c]\n" },
	{ "[a]\nb = 0\n[c]\n[a]\nb = 2\n", "a.b", "1",
	    "[a]\nb = 0\n[c]\n[a]\nb = 1\n" },
	{ "x\n", "a.b.c", "1", "x\n\n[a.b]\nc = 1\n" },
	{ "", "engine.a.voice.b", "1", "[engine.a]\nvoice.b = 1\n" },
	{ "[engine.a]\nkind = k\nvoice.b = 0\n", "engine.a.voice.b", NULL,
	    "[engine.a]\nkind = k\n" },
	{ "[a]\nbb = 0", "a.b", "1", "[a]\nbb = 0\nb = 1\n" },
	{ "[a]\nb = 0\nc = 1\n", "a.b", NULL, "[a]\nc = 1\n" },
	{ "[x]\ny = 1\n\n[a]\nb = 0\n", "a.b", NULL, "[x]\ny = 1\n" },
	{ "[a]\n# why\nb = 0\n", "a.b", NULL, "[a]\n# why\n" },
};

START_TEST(a_setting_is_changed_and_the_rest_stays)
{
	const char *is =
	    edits[_i].value != NULL
		? conf_text_set(mem, edits[_i].was, edits[_i].setting, edits[_i].value)
		: conf_text_unset(mem, edits[_i].was, edits[_i].setting);

	ck_assert_str_eq(is, edits[_i].is);
}
END_TEST

START_TEST(a_word_stands_first_in_a_list_and_only_once)
{
	ck_assert_str_eq(conf_list_add(mem, "a, b,c", "b"), "b a c");
	ck_assert_str_eq(conf_list_add(mem, "", "b"), "b");
	ck_assert_str_eq(conf_list_remove(mem, "flite,espeak", "flite"), "espeak");
	ck_assert(conf_list_has("whisper-tiny-en, b", "b"));
	ck_assert(!conf_list_has("whisper-tiny-en, b", "whisper-tiny"));
	ck_assert(!conf_list_has("", "b"));
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("conf text");
	TCase *t = tcase_create("conf text");

	tcase_add_checked_fixture(t, setup, teardown);
	tcase_add_loop_test(
	    t, a_setting_is_changed_and_the_rest_stays, 0, COUNT(edits));
	tcase_add_test(t, a_word_stands_first_in_a_list_and_only_once);
	suite_add_tcase(s, t);
	return unit_run(s);
}
