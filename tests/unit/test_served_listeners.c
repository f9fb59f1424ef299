/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Listeners see only languages that engines serve. */
#define UNIT_TEST
#include "tests/unit/listener_fixture.h"
#include "tests/unit/served_rows.h"

/* The event's channel is from English to German and French. */
static void
setup(void)
{
	listener_fixture();
	put_engines();
}

/* ---- the public view ---- */

#define TARGETS "/data/stages/0/channels/0/target_languages"

START_TEST(the_view_has_only_targets_that_are_served)
{
	struct response a;

	set_channel(channel,
	    "target_languages = '[\"cy\",\"de\",\"ja\",\"fr\"]', unserved = "
	    "'[\"cy\",\"ja\"]'");
	ck_assert_ptr_nonnull(
	    strstr(view().body, "\"target_languages\":[\"de\",\"fr\"]}"));
	set_channel(channel, "unserved = '[\"cy\",\"de\",\"ja\",\"fr\"]'");
	ck_assert_ptr_nonnull(strstr(view().body, "\"target_languages\":[]}"));
	set_channel(channel, "unserved = '[]'");
	a = view();
	is(a, TARGETS "/3", "fr");
}
END_TEST

/*
 * The event's own languages: those of its channels, otherwise all that an engine
 * serves.
 */
static const struct {
	const char *languages, *unserved, *shown;
} own[] = {
	{ "[\"de\",\"fr\"]", "[]", "[\"de\",\"fr\"]" },
	{ "[\"de\",\"fr\"]", "[\"fr\"]", "[\"de\"]" },
	{ "[\"fr\"]", "[\"fr\"]", "[]" },
	{ "[\"en\",\"ja\",\"is\"]", "[]", "[\"en\",\"is\"]" },
	{ "[\"ja\",\"de\"]", "[\"de\"]", "[]" },
};

START_TEST(the_view_has_only_languages_of_the_event_that_are_served)
{
	const char *wanted = arena_printf(fixture.mem,
	    "\"target_languages\":%s,\"listener_language_mode\"", own[_i].shown);
	struct response a;

	set_channel(
	    channel, arena_printf(fixture.mem, "unserved = '%s'", own[_i].unserved));
	set_event(
	    event, arena_printf(fixture.mem, "languages = '%s'", own[_i].languages));
	a = view();
	ck_assert_msg(strstr(a.body, wanted) != NULL, "%s", a.body);
}
END_TEST

START_TEST(of_two_channels_one_that_serves_it_is_enough)
{
	put_channel(fixture.account, stage, "Other", "[\"fr\"]", MADE_US + 2);
	set_channel(channel, "unserved = '[\"fr\"]'");
	set_event(event, "languages = '[\"fr\"]'");
	ck_assert_ptr_nonnull(strstr(
	    view().body, "\"target_languages\":[\"fr\"],\"listener_language_mode\""));
}
END_TEST

START_TEST(until_the_engines_were_asked_all_of_it_is_shown)
{
	sql("DELETE FROM served_languages");
	set_event(event, "languages = '[\"ja\"]'");
	ck_assert_ptr_nonnull(strstr(
	    view().body, "\"target_languages\":[\"ja\"],\"listener_language_mode\""));
}
END_TEST

/* ---- joining ---- */

static struct response
join(const char *language)
{
	return at_event("POST", "/join",
	    arena_printf(fixture.mem, "{\"data\":{\"language\":\"%s\"}}", language));
}

static void
is_joined(const char *language, const char *to)
{
	struct response a = join(language);

	answered(a, 201);
	is(a, "/data/channel_id", to);
}

static void
is_absent(const char *language)
{
	struct response a = join(language);

	refused(a, 409, "language-not-available");
}

START_TEST(a_language_that_is_not_served_cannot_be_joined)
{
	const char *other;

	set_channel(channel, "unserved = '[\"fr\"]'");
	is_absent("fr");
	is_joined("de", channel);
	is_joined("original", channel);
	other = put_channel(fixture.account, stage, "Other", "[\"fr\"]", MADE_US + 2);
	is_joined("fr", other);
}
END_TEST

START_TEST(original_is_there_though_nothing_is_served)
{
	set_channel(channel, "unserved = '[\"de\",\"fr\"]'");
	is_absent("de");
	is_joined("original", channel);
}
END_TEST

/* ---- asking for more ---- */

static struct response
want(const char *language, const char *on)
{
	return at_event("POST", "/requests",
	    arena_printf(fixture.mem,
		"{\"data\":{\"type\":\"add_language\",\"payload\":{\"language\":"
		"\"%s\"}%s}}",
		language, on));
}

static const char *
on_channel(const char *id)
{
	return arena_printf(fixture.mem, ",\"channel_id\":\"%s\"", id);
}

static void
decided(struct response a, const char *status, const char *served)
{
	answered(a, 201);
	is(a, "/data/status", status);
	is(a, "/data/served", served);
}

static int
jobs(void)
{
	return number("SELECT count(*) FROM jobs");
}

START_TEST(nothing_approves_by_itself_what_no_engine_serves)
{
	set_event(event, "listener_mode = 'auto'");
	decided(want("ja", ""), "pending", "false");
	decided(want("cy", on_channel(channel)), "pending", "false");
	ck_assert_int_eq(jobs(), 0);
	ck_assert_int_eq(
	    number("SELECT count(*) FROM requests WHERE decided_us IS NULL"), 2);
	decided(want("is", ""), "approved", "true");
	ck_assert_int_eq(jobs(), 1);
}
END_TEST

START_TEST(what_is_pending_so_counts_against_no_plan)
{
	struct response a;

	sql("UPDATE accounts SET plan_event_languages = 2");
	set_event(event, "listener_mode = 'auto'");
	decided(want("ja", ""), "pending", "false");
	a = want("is", "");
	refused(a, 403, "language-limit-reached");
}
END_TEST

START_TEST(asked_again_it_stays_as_it_was_decided)
{
	struct response a;

	set_event(event, "listener_mode = 'auto'");
	decided(want("ja", ""), "pending", "false");
	sql("UPDATE served_languages SET targets = '[\"ja\"]' WHERE source = 'en'");
	a = want("ja", "");
	answered(a, 200);
	is(a, "/data/status", "pending");
	is(a, "/data/served", "true");
	is(a, "/data/request_count", "2");
	ck_assert_int_eq(jobs(), 0);
}
END_TEST

/* The channel named decides the source language. */
START_TEST(it_is_asked_of_the_channel_that_is_meant)
{
	const char *german;

	set_event(event, "listener_mode = 'auto'");
	german = put_channel(fixture.account, stage, "Other", "[]", MADE_US + 2);
	sql(arena_printf(fixture.mem,
	    "UPDATE channels SET source_language = 'de' WHERE id = '%s'", german));
	decided(want("is", on_channel(german)), "pending", "false");
	decided(want("is", on_channel(channel)), "approved", "true");
	decided(want("en", on_channel(german)), "approved", "true");
	decided(want("is", ""), "approved", "true"); /* the oldest */
	sql(arena_printf(fixture.mem, "DELETE FROM channels WHERE id = '%s'", channel));
	set_event(event, "listener_mode = 'auto'");
	decided(want("es", ""), "pending", "false");
	sql("DELETE FROM channels");
	/* from any source language that will be spoken */
	decided(want("fr", ""), "approved", "true");
	decided(want("it", ""), "pending", "false");
}
END_TEST

static void
is_available(const char *language)
{
	struct response a = want(language, "");

	refused(a, 409, "language-already-available");
	is(a, "/errors/0/detail",
	    arena_printf(
		fixture.mem, "The event has the language \"%s\" already.", language));
}

START_TEST(a_target_that_is_not_served_can_be_asked_for)
{
	is_available("fr");
	set_channel(
	    channel, "target_languages = '[\"de\",\"ja\"]', unserved = '[\"ja\"]'");
	decided(want("ja", ""), "pending", "false");
	set_channel(channel, "unserved = '[]'");
	is_available("ja");
}
END_TEST

START_TEST(until_the_engines_were_asked_everything_is_approved)
{
	sql("DELETE FROM served_languages");
	set_event(event, "listener_mode = 'auto'");
	decided(want("ja", ""), "approved", "true");
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("listeners: served languages");
	TCase *t = tcase_create("all");

	tcase_add_checked_fixture(t, setup, fixture_close);
	tcase_add_test(t, the_view_has_only_targets_that_are_served);
	tcase_add_loop_test(
	    t, the_view_has_only_languages_of_the_event_that_are_served, 0, COUNT(own));
	tcase_add_test(t, of_two_channels_one_that_serves_it_is_enough);
	tcase_add_test(t, until_the_engines_were_asked_all_of_it_is_shown);
	tcase_add_test(t, a_language_that_is_not_served_cannot_be_joined);
	tcase_add_test(t, original_is_there_though_nothing_is_served);
	tcase_add_test(t, nothing_approves_by_itself_what_no_engine_serves);
	tcase_add_test(t, what_is_pending_so_counts_against_no_plan);
	tcase_add_test(t, asked_again_it_stays_as_it_was_decided);
	tcase_add_test(t, it_is_asked_of_the_channel_that_is_meant);
	tcase_add_test(t, a_target_that_is_not_served_can_be_asked_for);
	tcase_add_test(t, until_the_engines_were_asked_everything_is_approved);
	suite_add_tcase(s, t);
	return unit_run(s);
}
