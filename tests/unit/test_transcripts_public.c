/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Public access to transcripts over HTTP. */
#include "tests/unit/transcripts_fixture.h"

START_TEST(the_public_reads_captions_of_public_events_alone)
{
	struct response a;

	set_event(event, "transcript = 'public'");
	put_talk(hall_channel);
	set_event(event, "transcript = 'off'");
	a = of_public("");
	refused(a, 404, "resource-not-found");
	set_event(event, "transcript = 'organizer'");
	a = of_public("");
	refused(a, 404, "resource-not-found");
	set_event(event, "transcript = 'public'");
	a = of_public("?language=es&format=srt");
	answered(a, 200);
	ck_assert_str_eq(a.body, SRT_ES);
	ck_assert_str_eq(head_of(&a, "Content-Disposition"),
	    arena_printf(
		fixture.mem, "attachment; filename=\"event-%s-es.srt\"", event));
	a = of_public("");
	ck_assert_str_eq(head_of(&a, "Content-Type"), "text/vtt; charset=utf-8");
	a = of_public("?format=csv");
	refused(a, 422, "validation-error");
}
END_TEST

/* Times count from the first public line, whatever is made public later. */
START_TEST(what_was_said_to_the_organiser_stays_there)
{
	struct response a;

	set_event(event, "transcript = 'organizer'");
	put_line(hall_channel, "aa", "=en", "Before we begin.", 1000, 1500);
	set_event(event, "transcript = 'public'");
	a = of_public("?format=txt");
	refused(a, 404, "resource-not-found");
	put_line(hall_channel, "bb", "=en", "Welcome.", 4000, 1000);
	a = of_public("?format=srt");
	ck_assert_str_eq(a.body, "1\n00:00:00,000 --> 00:00:01,000\nWelcome.\n\n");
	a = of_event("?format=txt");
	ck_assert_str_eq(a.body, "Before we begin.\nWelcome.\n");
}
END_TEST

START_TEST(captions_count_from_the_time_that_is_asked_for)
{
	struct response a;

	set_event(event, "transcript = 'public'");
	put_line(hall_channel, "aa", "=en", "Welcome.", 4000, 1000);
	a = of_public("?format=srt&zero=" DAY "00Z");
	ck_assert_str_eq(a.body, "1\n00:00:04,000 --> 00:00:05,000\nWelcome.\n\n");
	a = of_public("?zero=noon");
	refused(a, 422, "validation-error");
}
END_TEST

START_TEST(an_access_code_is_needed)
{
	struct response a;

	set_event(event, "transcript = 'public', access_code = 'FORUM26'");
	put_talk(hall_channel);
	a = of_public("");
	refused(a, 403, "access-code-required");
	a = of_public("?code=wrong");
	refused(a, 403, "access-code-required");
	a = of_public("?code=forum26");
	answered(a, 200);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("public transcripts");
	TCase *t = tcase_create("all");

	tcase_add_checked_fixture(t, begin, fixture_close);
	tcase_add_test(t, the_public_reads_captions_of_public_events_alone);
	tcase_add_test(t, what_was_said_to_the_organiser_stays_there);
	tcase_add_test(t, captions_count_from_the_time_that_is_asked_for);
	tcase_add_test(t, an_access_code_is_needed);
	suite_add_tcase(s, t);
	return unit_run(s);
}
