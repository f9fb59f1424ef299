/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Noises that recognizers write as text, such as [cough]. */
#include <check.h>

#include "pipeline/markers.h"
#include "tests/unit/suite.h"

static const struct {
	const char *text, *left;
} markers[] = {
	{ "[BLANK_AUDIO]", "" },
	{ "(applause)", "" },
	{ "♪", "" },
	{ "♪ ♪", "" },
	{ "*coughs*", "" },
	{ "[Music] Good morning. [Applause]", "Good morning." },
	{ "Good [laughter] morning.", "Good morning." },
	{ "[MUSIC PLAYING]", "" },
	{ "(audience laughing and clapping).", "" },
	{ "[clears throat] Well.", "Well." },
	{ "♪ Happy birthday ♪", "Happy birthday" },
	{ "[Applaudissements] Bonjour.", "Bonjour." },
	{ "【音楽】", "" },
	{ "", "" },
	/* speech */
	{ "Good morning.", "Good morning." },
	{ "The minister (finance) agreed.", "The minister (finance) agreed." },
	{ "He plays (the) music school song.", "He plays (the) music school song." },
	{ "See [the] report.", "See [the] report." },
	{ "The sound (of music) is a film.", "The sound is a film." },
	{ "The (music school) is open.", "The (music school) is open." },
	{ "2 * 3 * 4", "2 * 3 * 4" },
	{ "Music, silence and applause.", "Music, silence and applause." },
	{ "an open [music", "an open [music" },
	{ "...", "..." },
};

START_TEST(noises_go_and_speech_stays)
{
	struct arena *mem = arena_new();

	ck_assert_str_eq(markers_remove(mem, markers[_i].text), markers[_i].left);
	arena_free(mem);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("markers");
	TCase *t = tcase_create("all");

	tcase_add_loop_test(t, noises_go_and_speech_stays, 0, COUNT(markers));
	suite_add_tcase(s, t);
	return unit_run(s);
}
