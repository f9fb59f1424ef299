/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Times: reading, refusing and writing them. */
#include <time.h>

#include "base/clock.h"
#include "base/field.h"
#include "tests/unit/unit.h"

static const struct {
	const char *text, *utc; /* NULL: refused */
} times[] = {
	{ "2026-11-20T10:18:44Z", "2026-11-20T10:18:44Z" },
	{ "2026-11-20t10:18:44z", "2026-11-20T10:18:44Z" },
	{ "2026-11-20 10:18:44", "2026-11-20T10:18:44Z" },
	{ "2026-11-20T10:18:44", "2026-11-20T10:18:44Z" },
	{ "2026-11-20T11:18:44+01:00", "2026-11-20T10:18:44Z" },
	{ "2026-11-20T00:48:44-09:30", "2026-11-20T10:18:44Z" },
	{ "2026-11-20T10:18:44-00:00", "2026-11-20T10:18:44Z" },
	{ "2026-01-01T00:30:00+14:00", "2025-12-31T10:30:00Z" },
	{ "2026-11-20T10:18:44.9Z", "2026-11-20T10:18:44Z" },
	{ "2026-11-20T10:18:44.123456789+00:00", "2026-11-20T10:18:44Z" },
	{ "2024-02-29T00:00:00Z", "2024-02-29T00:00:00Z" },
	{ "2000-02-29T23:59:59Z", "2000-02-29T23:59:59Z" },
	{ "1969-12-31T23:59:59Z", "1969-12-31T23:59:59Z" },
	{ "1970-01-01T00:00:00Z", "1970-01-01T00:00:00Z" },
	{ "1900-01-01T00:00:00Z", "1900-01-01T00:00:00Z" },
	{ "9999-12-31T23:59:59Z", "9999-12-31T23:59:59Z" },
	{ "0226-11-20T10:18:44Z", "0226-11-20T10:18:44Z" },
	{ "0000-01-01T00:00:00Z", "0000-01-01T00:00:00Z" },
	{ "2016-12-31T23:59:60Z", "2017-01-01T00:00:00Z" }, /* a leap second */
	{ "2017-01-01T05:29:60+05:30", "2017-01-01T00:00:00Z" },
	{ "2016-12-31T18:59:60.5-05:00", "2017-01-01T00:00:00Z" },
	/* only the last minute of a day has a leap second */
	{ "2026-12-01T08:00:60Z", NULL },
	{ "2016-12-31T23:58:60Z", NULL },
	{ "2016-12-31T23:59:60+01:00", NULL },
	{ "2016-12-31T23:59:60-00:30", NULL },
	{ "9999-12-31T23:59:60Z", NULL },
	{ "2026-02-29T00:00:00Z", NULL },
	{ "1900-02-29T00:00:00Z", NULL },
	{ "2026-04-31T00:00:00Z", NULL },
	{ "2026-00-10T00:00:00Z", NULL },
	{ "2026-13-10T00:00:00Z", NULL },
	{ "2026-01-00T00:00:00Z", NULL },
	{ "2026-01-32T00:00:00Z", NULL },
	{ "2026-01-01T24:00:00Z", NULL },
	{ "2026-01-01T23:60:00Z", NULL },
	{ "2026-01-01T23:59:61Z", NULL },
	{ "2026-01-01T10:00:00+24:00", NULL },
	{ "2026-01-01T10:00:00+01:60", NULL },
	{ "2026-01-01T10:00:00+0100", NULL },
	{ "2026-01-01T10:00:00+01", NULL },
	{ "2026-01-01T10:00:00 Z", NULL },
	{ "2026-01-01T10:00:00Zx", NULL },
	{ "2026-01-01T10:00:00.Z", NULL },
	{ "2026-01-01T10:00:00,5Z", NULL },
	{ "2026-01-01T10:00Z", NULL },
	{ "2026-01-01", NULL },
	{ "2026-1-1T10:00:00Z", NULL },
	{ "26-01-01T10:00:00Z", NULL },
	{ "-026-01-01T10:00:00Z", NULL },
	{ "+2026-01-01T10:00:00Z", NULL },
	{ "2026-W01-1T10:00:00Z", NULL },
	{ "1795169924", NULL },
	{ " 2026-01-01T10:00:00Z", NULL },
	{ "", NULL },
	{ "T", NULL },
	{ "0000-01-01T00:00:00+01:00", NULL }, /* the year has more than four digits */
	{ "9999-12-31T23:59:59-01:00", NULL },
};

START_TEST(a_time_is_read_with_any_offset_and_written_in_utc)
{
	char text[TIME_TEXT];
	int64_t us;

	ck_assert_int_eq(time_parse(times[_i].text, &us), times[_i].utc != NULL);
	if (times[_i].utc != NULL)
		ck_assert_str_eq(time_text(us, text), times[_i].utc);
}
END_TEST

/* Tests every 29th day; in 400 years that includes each day of the year. */
START_TEST(days_are_written_as_the_c_library_has_them)
{
	char text[TIME_TEXT], same[TIME_TEXT];
	bool agree = true;
	int64_t s;

	ck_assert(time_parse("0000-01-01T00:00:00Z", &s));
	for (s /= S_US; agree && s <= INT64_C(253402300799); s += 29 * 86400 - 1) {
		time_t t = (time_t)s;
		struct tm tm;

		strftime(same, sizeof(same), "-%m-%dT%H:%M:%SZ", gmtime_r(&t, &tm));
		agree = atoi(time_text(s * S_US, text)) == tm.tm_year + 1900 &&
			strcmp(text + 4, same) == 0;
	}
	ck_assert_msg(agree, "%s is not %s", text, same);
}
END_TEST

START_TEST(no_time_is_written_as_none_and_fractions_are_dropped)
{
	char text[TIME_TEXT];

	ck_assert_ptr_null(time_text(NULL_INT, text));
	ck_assert_str_eq(time_text(S_US - 1, text), "1970-01-01T00:00:00Z");
	ck_assert_str_eq(time_text(-1, text), "1969-12-31T23:59:59Z");
	ck_assert_str_eq(
	    time_text(1795169924 * S_US + 999999, text), "2026-11-20T10:18:44Z");
}
END_TEST

START_TEST(clocks_go_on)
{
	int64_t then = monotonic_us();

	ck_assert_int_gt(now_us(), 1700000000 * S_US);
	usleep(2000);
	ck_assert_int_ge(monotonic_us(), then + 2000);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("clock");
	TCase *t = tcase_create("all");

	tcase_add_loop_test(
	    t, a_time_is_read_with_any_offset_and_written_in_utc, 0, COUNT(times));
	tcase_add_test(t, days_are_written_as_the_c_library_has_them);
	tcase_add_test(t, no_time_is_written_as_none_and_fractions_are_dropped);
	tcase_add_test(t, clocks_go_on);
	suite_add_tcase(s, t);
	return unit_run(s);
}
