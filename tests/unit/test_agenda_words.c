/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Names and titles in an agenda: lib/service/agenda_words.c, channel_topic(). */
#include "base/buf.h"
#include "service/agenda_words.h"
#include "store/channels.h"
#include "tests/unit/event_rows.h"

#define NOW INT64_C(2000000000000000) /* 2033-05-18T03:33:20Z */
#define SESSION(title, stage, end, speakers)                                           \
	"{\"title\":\"" title "\",\"stage_id\":\"" stage "\",\"utc_end_dt\":\"" end    \
	"\",\"speakers\":" speakers "}"
#define SOON "2033-05-18T04:00:00Z"
#define JUST "2033-05-18T02:40:00Z"
#define LONG "2033-05-17T04:00:00Z"
#define ADA "[{\"name\":\"Ada King\",\"title\":\"Dr\"},{\"name\":\"Al Khwarizmi\"}]"

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

static const char *
join(const struct list *texts)
{
	struct buf b = { .mem = mem };

	for (size_t i = 0; i < texts->n; i++)
		buf_printf(
		    &b, "%s%s", i > 0 ? "; " : "", ((const char **)texts->items)[i]);
	return buf_text(&b);
}

static const struct {
	const char *agenda, *stage, *names, *titles;
} agendas[] = {
	{ NULL, NULL, "", "" },
	{ "", NULL, "", "" },
	{ "[]", NULL, "", "" },
	{ "{\"title\":\"no list\"}", NULL, "", "" },
	{ "[1,\"two\",null,[],{}]", NULL, "", "" },
	{ "[{\"title\":7,\"speakers\":[{\"name\":null},3]}]", NULL, "", "" },
	{ "[" SESSION("Opening", "a", SOON, ADA) "]", "a", "Ada King; Al Khwarizmi",
	    "Opening" },
	{ "[" SESSION("Opening", "a", SOON, ADA) "]", "b", "", "" },
	{ "[" SESSION("Opening", "a", SOON, "null") "," SESSION(
	      "Ada's hour", "b", SOON, ADA) "]",
	    NULL, "Ada King; Al Khwarizmi", "Opening; Ada's hour" },
	{ "[" SESSION("Yesterday", "a", LONG, ADA) "," SESSION(
	      "Before", "a", JUST, "[]") "]",
	    "a", "", "Before" },
	{ "[" SESSION("Pause", "a", SOON, ADA) "," SESSION("Pause", "a", SOON, ADA) "]",
	    "a", "Ada King; Al Khwarizmi", "Pause" },
};

START_TEST(an_agenda_has_names_and_titles)
{
	struct list names, titles;

	agenda_words(mem, agendas[_i].agenda, agendas[_i].stage, NOW, &names, &titles);
	ck_assert_str_eq(join(&names), agendas[_i].names);
	ck_assert_str_eq(join(&titles), agendas[_i].titles);
}
END_TEST

START_TEST(of_a_long_agenda_some_hundred_are_taken)
{
	struct buf b = { .mem = mem };
	struct list names, titles;

	for (int i = 0; i < 2 * AGENDA_TEXTS; i++)
		buf_printf(&b,
		    "%c{\"title\":\"T%d\",\"speakers\":[{\"name\":\"N%d\"}]}",
		    i == 0 ? '[' : ',', i, i);
	buf_str(&b, "]");
	agenda_words(mem, buf_text(&b), NULL, NOW, &names, &titles);
	ck_assert_uint_eq(names.n, AGENDA_TEXTS);
	ck_assert_uint_eq(titles.n, AGENDA_TEXTS);
}
END_TEST

START_TEST(a_channel_has_the_topic_of_its_event)
{
	static const struct route none[] = { ROUTES_END };
	static const struct sql *const prepared[] = { channel_sql, NULL };
	struct channel_topic t;
	const char *event, *stage, *id;

	fixture_open("agenda_words", none, prepared);
	event = put_event(fixture.account, "Forum", 1);
	stage = put_stage(event, "North");
	set_event(event, "agenda = '[{\"title\":\"Opening\"}]'");
	id = put_channel(fixture.account, stage, "Room", "[\"de\"]", 2);
	ck_assert_int_eq(channel_topic(fixture.app.db, mem, id, &t), OK);
	ck_assert_str_eq(t.title, "Forum");
	ck_assert_str_eq(t.agenda, "[{\"title\":\"Opening\"}]");
	ck_assert_str_eq(t.stage, stage);
	id = put_channel(fixture.account, NULL, "Alone", "[\"de\"]", 3);
	ck_assert_int_eq(channel_topic(fixture.app.db, mem, id, &t), OK);
	ck_assert_str_eq(t.title, "Alone");
	ck_assert_ptr_null(t.agenda);
	ck_assert_ptr_null(t.stage);
	ck_assert_int_eq(channel_topic(fixture.app.db, mem, event, &t), ERR_NOT_FOUND);
	ck_assert_ptr_null(t.title);
	fixture_close();
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("agenda_words");
	TCase *t = tcase_create("agenda_words");

	tcase_add_checked_fixture(t, setup, teardown);
	tcase_add_loop_test(t, an_agenda_has_names_and_titles, 0, COUNT(agendas));
	tcase_add_test(t, of_a_long_agenda_some_hundred_are_taken);
	tcase_add_test(t, a_channel_has_the_topic_of_its_event);
	suite_add_tcase(s, t);
	return unit_run(s);
}
