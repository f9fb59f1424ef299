/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The operator's command reports wrong values and changes nothing. */
#define UNIT_TEST
#include "tests/unit/unit.h"
#undef NO_DB /* the limit of routes; commands have it, too */

#include "workers/dragoman.c"

static void
setup(void)
{
	static const struct route none[] = { ROUTES_END };
	static const struct sql *const prepared[] = { account_sql, NULL };

	fixture_open("dragoman", none, prepared);
}

/* Runs account plan with --voices VALUE; returns its exit status. */
static int
plan_voices(const char *value)
{
	struct cli c = { .mem = fixture.wire,
		.db = fixture.app.db,
		.arg = fixture.account,
		.options = { { "voices", value } },
		.noptions = 1 };

	return account_plan(&c);
}

static int64_t
voices_of_the_plan(void)
{
	struct account a;

	ck_assert_int_eq(
	    account_get(fixture.app.db, fixture.wire, fixture.account, &a), OK);
	return a.plan.voices;
}

static const char *const no_values[] = { "", "many", "5x", "5 ", "1.5", "-1",
	"99999999999999999999", "defaults" };

START_TEST(a_plan_value_that_is_no_whole_number_is_refused)
{
	ck_assert_int_eq(plan_voices("7"), EXIT_SUCCESS);
	ck_assert_int_eq(plan_voices(no_values[_i]), 2);
	ck_assert_int_eq(voices_of_the_plan(), 7);
}
END_TEST

/* ---- scopes ---- */

static int
with_scopes(int (*command)(struct cli *), const char *list)
{
	struct cli c = { .mem = fixture.wire,
		.conf = fixture.app.conf,
		.db = fixture.app.db,
		.arg = fixture.account,
		.options = { { "scopes", list }, { "name", "another" } },
		.noptions = 2 };
	int end = command(&c);

	db_rollback(c.db);
	return end;
}

static long long
what_there_is(void)
{
	return number("SELECT (SELECT count(*) FROM credentials) * 1000 +"
		      " (SELECT count(*) FROM accounts)");
}

static int (*const giving[])(struct cli *) = { key_add, account_new, token };

/* Each differs from a valid value by one character or word. */
static const char *const no_scopes[] = { "voices:raed", "voices", "voices:", "**",
	"events:read,channels:read", "events:read channels:reads", "uploads:read",
	"Voices:read", "metrics:read", "any", "public" };

START_TEST(an_unknown_scope_is_refused)
{
	long long before = what_there_is();

	for (int i = 0; i < COUNT(giving); i++)
		ck_assert_int_eq(with_scopes(giving[i], no_scopes[_i]), 2);
	ck_assert_int_eq(what_there_is(), before);
}
END_TEST

START_TEST(every_known_scope_can_be_given)
{
	char all[500] = " ";

	fixture.app.conf.token_secrets = "k1:first-secret-of-32-characters-at-least";
	for (int i = 0; known_scopes[i] != NULL; i++) {
		strncat(all, known_scopes[i], sizeof(all) - strlen(all) - 1);
		strncat(all, "  ", sizeof(all) - strlen(all) - 1);
		ck_assert_int_eq(with_scopes(key_add, known_scopes[i]), EXIT_SUCCESS);
	}
	for (int i = 0; i < COUNT(giving); i++)
		ck_assert_int_eq(with_scopes(giving[i], all), EXIT_SUCCESS);
}
END_TEST

/* The settings for sockets are in no table of routes. */
START_TEST(the_scopes_of_sockets_are_known)
{
	ck_assert(scope_known("s2s") && scope_known("stt") && scope_known("tts"));
}
END_TEST

/* ---- engines ---- */

static const struct {
	const char *asr, *mt, *from, *to;
	int end;
} checks[] = {
	{ "script", "script", NULL, NULL, EXIT_SUCCESS },
	{ "script", "script", "en, de", "fr ja", EXIT_SUCCESS },
	{ "script", "gone", NULL, NULL, EXIT_FAILURE },
	{ "gone", "script", NULL, NULL, EXIT_FAILURE },
	{ "script", "script gone", NULL, NULL, EXIT_FAILURE },
	{ "pocketsphinx", "script", "fr", NULL, EXIT_FAILURE },
	{ "script", "script", "", "", EXIT_FAILURE },
	{ "nothing-such", "script", NULL, NULL, EXIT_FAILURE },
};

START_TEST(a_check_of_engines_fails_as_one_of_them_does)
{
	struct conf_engine gone = conf_engine_none("gone");
	struct cli c = { .mem = fixture.wire,
		.conf = fixture.app.conf,
		.options = { { "from", checks[_i].from }, { "to", checks[_i].to } },
		.noptions = 2 };

	gone.kind = "http";
	gone.url = "http://127.0.0.1:1";
	c.conf.engines = &gone;
	c.conf.speech_asr = checks[_i].asr;
	c.conf.speech_mt = checks[_i].mt;
	c.conf.speech_tts = "script";
	ck_assert_int_eq(cli_engines_check(&c), checks[_i].end);
}
END_TEST

/* ---- calls ---- */

/* Each differs from a valid value by one word. */
static const char *const no_calls[] = { "account suspned ID",
	"account suspend ID --lfit yes", "account suspend ID --lift",
	"account suspend ID --lift no", "account suspend",
	"account add --name A --nmae B", "key add ID OTHER", "migrate --force yes",
	"status --jsno" };

START_TEST(an_option_that_no_command_takes_is_refused)
{
	char *words[8] = { arena_str(fixture.wire, "dragoman") };
	int n = 1;

	for (char *s = arena_str(fixture.wire, no_calls[_i]); s != NULL && *s != '\0';
	     n++)
		words[n] = strsep(&s, " ");
	ck_assert_int_eq(cli_main(commands, n, words), 2);
}
END_TEST

START_TEST(a_plan_value_goes_back_to_the_setting)
{
	ck_assert_int_eq(plan_voices("0"), EXIT_SUCCESS);
	ck_assert_int_eq(voices_of_the_plan(), 0);
	ck_assert_int_eq(plan_voices("default"), EXIT_SUCCESS);
	ck_assert_int_eq(voices_of_the_plan(), NULL_INT);
}
END_TEST

/* ---- a new installation ---- */

static int
init(const char *name)
{
	struct cli c = { .mem = fixture.wire,
		.conf = fixture.app.conf,
		.db = fixture.app.db,
		.options = { { "name", name } },
		.noptions = name != NULL };
	int end;

	c.conf.share_dir = ".";
	c.conf.server_base_url = "https://speech.example.org/api";
	c.conf.speech_tts = "script";
	end = cli_init(&c);
	db_rollback(c.db);
	return end;
}

START_TEST(the_first_account_has_an_owner_and_a_link_alone)
{
	sql("DELETE FROM accounts");
	sql("DELETE FROM credentials");
	ck_assert_int_eq(init(NULL), EXIT_SUCCESS);
	ck_assert_int_eq(number("SELECT count(*) FROM credentials c"
				" JOIN members m ON m.id = c.member"
				" JOIN accounts a ON a.id = m.account"
				" WHERE c.kind = 'link' AND m.role = 'owner'"
				" AND a.name = 'speech.example.org'"),
	    1);
	ck_assert_int_eq(number("SELECT count(*) FROM credentials"), 1);
	ck_assert_int_gt(number("SELECT count(*) FROM voices"), 0);
	ck_assert_int_eq(init("Another"), EXIT_FAILURE);
	ck_assert_int_eq(number("SELECT count(*) FROM accounts"), 1);
	ck_assert_int_eq(number("SELECT count(*) FROM credentials"), 1);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("operator");
	TCase *t = tcase_create("all");

	tcase_add_checked_fixture(t, setup, fixture_close);
	tcase_add_loop_test(
	    t, a_plan_value_that_is_no_whole_number_is_refused, 0, COUNT(no_values));
	tcase_add_test(t, a_plan_value_goes_back_to_the_setting);
	tcase_add_loop_test(t, an_unknown_scope_is_refused, 0, COUNT(no_scopes));
	tcase_add_test(t, every_known_scope_can_be_given);
	tcase_add_loop_test(
	    t, a_check_of_engines_fails_as_one_of_them_does, 0, COUNT(checks));
	tcase_add_test(t, the_scopes_of_sockets_are_known);
	tcase_add_loop_test(
	    t, an_option_that_no_command_takes_is_refused, 0, COUNT(no_calls));
	tcase_add_test(t, the_first_account_has_an_owner_and_a_link_alone);
	suite_add_tcase(s, t);
	return unit_run(s);
}
