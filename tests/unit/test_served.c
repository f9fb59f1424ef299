/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Languages of a channel that engines do not serve. */
#include "store/served.h"
#include "tests/unit/served_rows.h"

static void
setup(void)
{
	static const struct route none[] = { ROUTES_END };
	static const struct sql *const prepared[] = { served_sql, NULL };

	fixture_open("served", none, prepared);
	put_engines();
}

static struct channel
judged(const char *source, const char *targets, const char *pipeline)
{
	struct channel c = { .source_language = source,
		.target_languages = targets,
		.pipeline = pipeline };

	ck_assert_int_eq(served_judge(fixture.app.db, fixture.mem, &c), OK);
	return c;
}

#define DETECT(codes) "{\"transcription\":{\"detectable_languages\":[" codes "]}}"
#define SPEECH(is)                                                                     \
	"{\"translations\":[{\"target_language\":\"de\"},{\"target_language\":\"is\"," \
	"\"speech_generation\":" is "}]}"

static const struct {
	const char *source, *targets, *pipeline, *unserved, *text_only;
} cases[] = {
	{ "en", "[\"de\",\"fr\"]", NULL, "[]", "[]" },
	{ "en", "[\"ja\",\"de\",\"cy\"]", NULL, "[\"ja\",\"cy\"]", "[]" },
	{ "en", "[\"is\",\"de\"]", NULL, "[]", "[\"is\"]" },
	{ "en", "[\"is\",\"ja\"]", NULL, "[\"ja\"]", "[\"is\"]" },
	{ "de", "[\"is\",\"en\"]", NULL, "[\"is\"]", "[]" },
	{ "en", "[]", NULL, "[]", "[]" },
	/*
	 * the source is not recognized: no target is served, and without targets the
	 * source itself is missing
	 */
	{ "fi", "[\"de\"]", NULL, "[\"de\"]", "[]" },
	{ "fi", "[]", NULL, "[\"fi\"]", "[]" },
	/* a source that is not known until speech comes */
	{ "auto", "[\"en\",\"fr\",\"ja\"]", NULL, "[\"ja\"]", "[]" },
	{ "auto", "[\"en\",\"fr\"]", DETECT("\"de\""), "[\"fr\"]", "[]" },
	{ "auto", "[\"en\",\"fr\"]", DETECT("\"en-us\",\"de\""), "[]", "[]" },
	{ "auto", "[\"en\",\"fr\"]", DETECT(""), "[]", "[]" },
	{ "auto", "[\"fr\"]", DETECT("\"fi\",7"), "[\"fr\"]", "[]" },
	{ "en", "[\"fr\"]", DETECT("\"de\""), "[]", "[]" },
	{ "auto", "[\"ja\"]", "{\"transcription\":7}", "[\"ja\"]", "[]" },
	/* A language without a voice is complete if only texts are wanted. */
	{ "en", "[\"de\",\"is\"]", SPEECH("null"), "[]", "[]" },
	{ "en", "[\"de\",\"is\"]", SPEECH("{}"), "[]", "[\"is\"]" },
	{ "en", "[\"is\"]", "{\"translations\":{}}", "[]", "[\"is\"]" },
};

START_TEST(what_engines_lack_is_known_of_each_channel)
{
	struct channel c =
	    judged(cases[_i].source, cases[_i].targets, cases[_i].pipeline);

	ck_assert_str_eq(c.unserved, cases[_i].unserved);
	ck_assert_str_eq(c.text_only, cases[_i].text_only);
}
END_TEST

START_TEST(until_the_engines_were_asked_nothing_is_lacking)
{
	struct channel c;
	bool reached;

	sql("DELETE FROM served_languages");
	c = judged("fi", "[\"ja\"]", NULL);
	ck_assert_str_eq(c.unserved, "[]");
	ck_assert_str_eq(c.text_only, "[]");
	c = judged("auto", "[\"ja\"]", DETECT("\"fi\""));
	ck_assert_str_eq(c.unserved, "[]");
	ck_assert_int_eq(
	    served_reached(fixture.app.db, fixture.mem, "ja", &reached), OK);
	ck_assert(reached);
}
END_TEST

START_TEST(what_any_language_is_translated_into_is_reached)
{
	bool reached;

	ck_assert_int_eq(
	    served_reached(fixture.app.db, fixture.mem, "en", &reached), OK);
	ck_assert(reached);
	ck_assert_int_eq(
	    served_reached(fixture.app.db, fixture.mem, "ja", &reached), OK);
	ck_assert(!reached);
}
END_TEST

START_TEST(new_rows_take_the_place_of_all)
{
	struct served now = { "es", true, "[\"en\"]", "[]", "other" };
	const struct list rows = { &now, 1 };
	struct list l;

	ck_assert_int_eq(served_replace(fixture.app.db, &rows), OK);
	ck_assert_int_eq(served_list(fixture.app.db, fixture.mem, &l), OK);
	ck_assert_uint_eq(l.n, 1);
	ck_assert_str_eq(
	    sql("SELECT * FROM served_languages"), "es|1|[\"en\"]|[]|other\n");
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("served languages");
	TCase *t = tcase_create("all");

	tcase_add_checked_fixture(t, setup, fixture_close);
	tcase_add_loop_test(
	    t, what_engines_lack_is_known_of_each_channel, 0, COUNT(cases));
	tcase_add_test(t, until_the_engines_were_asked_nothing_is_lacking);
	tcase_add_test(t, what_any_language_is_translated_into_is_reached);
	tcase_add_test(t, new_rows_take_the_place_of_all);
	suite_add_tcase(s, t);
	return unit_run(s);
}
