/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Warnings in a channel's record about languages that engines lack. */
#define UNIT_TEST
#include "tests/unit/channel_fixture.h"
#include "tests/unit/served_rows.h"

static void
setup(void)
{
	channel_fixture();
	put_engines();
}

#define FROM_EN(targets) ",\"source_language\":\"en\",\"target_languages\":" targets
static const char *
not_served(const char *detail, const char *id)
{
	return arena_printf(fixture.mem,
	    "{\"type\":\"" BASE "/problems/language-not-served\",\"status\":503,"
	    "\"title\":\"Language not served\",\"detail\":\"%s\",\"instance\":"
	    "\"urn:uuid:%s\",\"error_code\":100231}",
	    detail, id);
}

static const char *
without_speech(const char *detail, const char *id)
{
	return arena_printf(fixture.mem,
	    "{\"type\":\"" BASE "/problems/language-without-speech\",\"status\":503,"
	    "\"title\":\"Language without speech\",\"detail\":\"%s\",\"instance\":"
	    "\"urn:uuid:%s\",\"error_code\":100232}",
	    detail, id);
}

static void
warns(struct response a, const char *problems)
{
	const char *wanted = arena_printf(fixture.mem, "\"warnings\":[%s]", problems);

	ck_assert_msg(strstr(a.body, wanted) != NULL, "%s\nhas no %s", a.body, wanted);
}

START_TEST(a_new_channel_is_told_what_is_not_served)
{
	struct response a = add(NEW(FROM_EN("[\"de\",\"ja\",\"is\"]")));
	const char *id = said(&a, "/data/channel_id"), *both;

	answered(a, 201);
	is(a, "/data/lifecycle_status", "ready");
	both = arena_printf(fixture.mem, "%s,%s",
	    not_served("No engine translates from en into ja.", id),
	    without_speech("No engine speaks is: it is text only.", id));
	warns(a, both);
	warns(on("GET", id, NULL), both);
	warns(ask("GET /saas/channels", NULL), both);
	fixture.bearer = fixture_bearer(fixture.account, "channels:read");
	warns(on("GET", id, NULL), both);
}
END_TEST

static const struct {
	const char *members, *detail; /* NULL: no language is missing */
} told[] = {
	{ FROM_EN("[\"de\",\"fr\"]"), NULL },
	{ FROM_EN("[]"), NULL },
	{ ",\"target_languages\":[\"en\",\"ja\"]", "No engine translates into ja." },
	{ ",\"source_language\":\"fi\"", "No engine recognises fi." },
	{ ",\"source_language\":\"fi\",\"target_languages\":[\"en\"]",
	    "No engine translates from fi into en." },
};

START_TEST(a_warning_names_what_is_lacking)
{
	struct response a = add(line(
	    "{\"data\":{\"type\":\"standalone\",\"name\":\"A\"%s}}", told[_i].members));

	answered(a, 201);
	warns(a, told[_i].detail != NULL
		     ? not_served(told[_i].detail, said(&a, "/data/channel_id"))
		     : "");
}
END_TEST

START_TEST(a_change_tells_what_is_not_served_now)
{
	struct response a = add(NEW(FROM_EN("[\"de\"]")));
	const char *id = said(&a, "/data/channel_id");

	warns(a, "");
	a = on("PATCH", id, "{\"data\":{\"target_languages\":[\"de\",\"ja\"]}}");
	answered(a, 200);
	warns(a, not_served("No engine translates from en into ja.", id));
	a = on("PATCH", id, "{\"data\":{\"source_language\":\"de\"}}");
	warns(a, not_served("No engine translates from de into ja.", id));
	a = on("PATCH", id, "{\"data\":{\"target_languages\":[\"en\"]}}");
	warns(a, "");
}
END_TEST

START_TEST(a_channel_of_an_event_warns_of_the_languages_it_was_lent)
{
	struct response a;

	sql("DELETE FROM served_languages WHERE source = 'auto'");
	put_served("auto", "[\"fr\"]", "[]");
	a = add_to(put_event(fixture.account), "");
	answered(a, 201);
	warns(a,
	    not_served("No engine translates into de.", said(&a, "/data/channel_id")));
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("channels: warnings");
	TCase *t = tcase_create("all");

	tcase_add_checked_fixture(t, setup, fixture_close);
	tcase_add_test(t, a_new_channel_is_told_what_is_not_served);
	tcase_add_loop_test(t, a_warning_names_what_is_lacking, 0, COUNT(told));
	tcase_add_test(t, a_change_tells_what_is_not_served_now);
	tcase_add_test(t, a_channel_of_an_event_warns_of_the_languages_it_was_lent);
	suite_add_tcase(s, t);
	return unit_run(s);
}
