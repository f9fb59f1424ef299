/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Lists of voices and their filters, limits, and TTS samples without an engine. */
#define UNIT_TEST
#include "tests/unit/voice_fixture.h"

static const char *anna, *bert, *carl, *dora;

/*
 * Four voices, oldest first, a hidden one, one of another account, and two built-in
 * ones.
 */
static void
setup(void)
{
	const char *builtin;

	voice_fixture();
	anna = put_voice(fixture.account, "Anna", 10 * S_US);
	bert = put_voice(fixture.account, "B\xc3\xa9rt", 20 * S_US);
	carl = put_voice(fixture.account, "Carl", 30 * S_US);
	dora = put_voice(fixture.account, "Dora", 40 * S_US);
	set_voice(put_voice(fixture.account, "Hidden", 50 * S_US), "hidden = 1");
	put_voice(fixture_account(), "Theirs", 60 * S_US);
	builtin = put_voice(NULL, "Everyone", 70 * S_US);
	put_voice(NULL, "Nobody", 80 * S_US);
	set_voice(anna, "gender = 'Female', age_group = 'Young', mood = 'Calm',"
			" folded = 'anna' || char(10) || 'keynote 100%'");
	set_voice(bert, "gender = 'Male', age_group = 'Old', status = 'failed'");
	set_voice(dora, "gender = '50%_Male'");
	set_voice(carl, "gender = 'Neutral', age_group = 'adult', mood = 'Sad',"
			" folded = 'carl' || char(10) || 'a_b'");
	set_voice(builtin, "gender = 'Male'");
	put_sample(anna, "own_provider", "en", 11 * S_US);
	put_sample(anna, "external_provider", "de", 12 * S_US);
	put_sample(carl, "own_provider", "en", 31 * S_US);
	put_sample(builtin, "own_provider", "en", 71 * S_US);
	sql(arena_printf(fixture.mem,
	    "INSERT INTO favorites VALUES ('%s', '%s'), ('%s', '%s')", fixture.account,
	    bert, fixture.account, builtin));
}

static const struct {
	const char *query, *names;
} lists[] = {
	{ "", "Dora Carl B\xc3\xa9rt Anna" },
	{ "?sort=asc", "Anna B\xc3\xa9rt Carl Dora" },
	/*
	 * labels: any of several values, in any case; different labels must all match
	 */
	{ "?gender=Male", "B\xc3\xa9rt" },
	{ "?gender=female,NEUTRAL", "Carl Anna" },
	{ "?gender=Male&gender=Female", "B\xc3\xa9rt Anna" },
	{ "?age_group=old,young", "B\xc3\xa9rt Anna" },
	{ "?mood=Sad", "Carl" },
	{ "?mood=Angry", "" },
	/* words of clients, which are not patterns */
	{ "?age_group=adult", "Carl" },
	{ "?age_group=ADULT,old", "Carl B\xc3\xa9rt" },
	{ "?gender=50%25_Male", "Dora" },
	{ "?gender=Robot", "" },
	{ "?gender=%25", "" },
	{ "?age_group=adul_", "" },
	{ "?mood=calm&mood=x", "Anna" },
	{ "?gender=Female&mood=Sad", "" },
	{ "?gender=Female,Neutral&mood=Sad,Calm&sort=asc", "Anna Carl" },
	/*
	 * search: in name and description, without case and accents, without patterns
	 */
	{ "?search=ANN", "Anna" },
	{ "?search=bert", "B\xc3\xa9rt" },
	{ "?search=B%C3%89RT", "B\xc3\xa9rt" },
	{ "?search=keynote", "Anna" },
	{ "?search=100%25", "Anna" },
	{ "?search=0%25x", "" },
	{ "?search=a_b", "Carl" },
	{ "?search=a_r", "" },
	{ "?search=a%5Cb", "" },
	{ "?search=n%0Ak", "" },
	{ "?search=hidden", "" },
	/* samples */
	{ "?lang=en", "Carl Anna" },
	{ "?lang=DE", "Anna" },
	{ "?lang=xx", "" },
	{ "?provider=own_provider", "Carl Anna" },
	{ "?provider=external_provider", "Anna" },
	{ "?provider=own_provider,external_provider", "Carl Anna" },
	{ "?provider=external_provider&lang=en", "" },
	/* marks */
	{ "?is_favorite=true", "B\xc3\xa9rt" },
	{ "?is_favorite=false", "Dora Carl Anna" },
	{ "?is_favorite=True", "B\xc3\xa9rt" },
	{ "?is_favorite=1", "B\xc3\xa9rt" },
	{ "?is_favorite=0", "Dora Carl Anna" },
	{ "?is_favorite=FALSE", "Dora Carl Anna" },
	{ "?is_favorite=true&gender=Female", "" },
	/* the other lists */
	{ "/hidden", "Hidden" },
	{ "/builtin", "Nobody Everyone" },
	{ "/builtin?sort=asc", "Everyone Nobody" },
	{ "/builtin?gender=male", "Everyone" },
	{ "/builtin?lang=en", "Everyone" },
	{ "/builtin?is_favorite=false", "Nobody" },
	{ "/builtin?search=every", "Everyone" },
};

START_TEST(a_list_has_what_fits_its_filters)
{
	struct response a =
	    ask(arena_printf(fixture.mem, "GET /saas/voice%s", lists[_i].query), NULL);

	answered(a, 200);
	ck_assert_str_eq(names_of(&a), lists[_i].names);
}
END_TEST

/* Among many voices a page looks at a part of them; the next one goes on. */
START_TEST(a_filter_that_few_voices_fit_goes_on_page_by_page)
{
	static const char *const sorts[] = { "asc", "desc" };
	const char *token = NULL, *path = "GET /saas/voice?search=needle&sort=";
	struct buf found = { .mem = fixture.mem };
	struct response a;

	sql(arena_printf(fixture.mem,
	    "DELETE FROM voices; WITH RECURSIVE n (i) AS (VALUES (1) UNION ALL SELECT"
	    " i + 1 FROM n WHERE i < 2001) INSERT INTO voices (id, account, created_us,"
	    " updated_us, name, folded, status, lang, hidden, denoise, normalise)"
	    " SELECT 'v' || i, '%s', i, i, 'Voice ' || i, CASE WHEN i IN (1, 1000, "
	    "1001,"
	    " 1002, 2001) THEN 'needle' ELSE '' END, 'ready', 'en', 0, 0, 1 FROM n",
	    fixture.account));
	a = ask(arena_printf(fixture.mem, "%s%s", path, sorts[_i]), NULL);
	for (;;) {
		buf_printf(&found, "%s;", names_of(&a));
		ck_assert_str_eq(said(&a, "/data/page_size"), "10");
		token = said(&a, "/data/next");
		if (strcmp(token, "null") == 0)
			break;
		a = ask(
		    arena_printf(fixture.mem, "GET /saas/voice?token=%s", token), NULL);
	}
	ck_assert_str_eq(buf_text(&found),
	    _i == 0 ? "Voice 1 Voice 1000;Voice 1001 Voice 1002;Voice 2001;"
		    : "Voice 2001 Voice 1002;Voice 1001 Voice 1000;Voice 1;");
}
END_TEST

START_TEST(the_sample_shown_is_the_one_that_fits)
{
	struct response a = ask("GET /saas/voice?search=anna", NULL);

	is(a, "/data/items/0/tts_sample/text/lang", "de"); /* the latest */
	a = ask("GET /saas/voice?search=anna&lang=en", NULL);
	is(a, "/data/items/0/tts_sample/text/lang", "en");
	a = ask("GET /saas/voice?search=anna&provider=own_provider", NULL);
	is(a, "/data/items/0/tts_sample/provider", "own_provider");
	a = ask("GET /saas/voice?search=dora", NULL);
	is(a, "/data/items/0/tts_sample", "(none)");
	a = ask("GET /saas/voice/builtin?search=every", NULL);
	is(a, "/data/items/0/user_id", "(none)");
	ck_assert_ptr_nonnull(
	    id_read(fixture.mem, said(&a, "/data/items/0/tts_sample/user_id")));
}
END_TEST

static const char *const wrong[] = { "gender=", "gender=Male,",
	"mood=calm&mood=", "provider=own", "search=a", "is_favorite=2",
	"is_favorite=yes", "lang=", "lang=12345678901", "page_size=0", "page_size=101",
	"page_size=ten", "sort=up", "sort=ASC", "search=ab&search=cd" };

START_TEST(a_filter_that_breaks_its_rule_is_422)
{
	struct response a =
	    ask(arena_printf(fixture.mem, "GET /saas/voice?%s", wrong[_i]), NULL);

	refused(a, 422, "validation-error");
	is(a, "/errors/0/parameter",
	    arena_dup(fixture.mem, wrong[_i], strcspn(wrong[_i], "=")));
	is(a, "/errors/1", "(none)");
}
END_TEST

START_TEST(lists_without_filters_ignore_them)
{
	struct response a = ask("GET /saas/voice/hidden?gender=Robot&search=x", NULL);

	ck_assert_str_eq(names_of(&a), "Hidden");
}
END_TEST

START_TEST(samples_are_listed_of_own_voices_hidden_ones_too)
{
	struct response a;

	put_sample(arena_printf(fixture.mem, "%.36s",
		       sql("SELECT id FROM voices WHERE hidden = 1")),
	    "own_provider", "fr", 51 * S_US);
	a = ask("GET /saas/voice/sample/tts?sort=asc", NULL);
	is(a, "/data/count", "4");
	is(a, "/data/items/0/text/lang", "en");
	is(a, "/data/items/0/display_name", "Anna");
	is(a, "/data/items/0/voice_id", anna);
	is(a, "/data/items/1/text/lang", "de");
	is(a, "/data/items/2/voice_id", carl);
	is(a, "/data/items/3/display_name", "Hidden");
	a = ask("GET /saas/voice/sample/tts?page_size=3", NULL);
	is(a, "/data/items/0/display_name", "Hidden");
	a = ask(arena_printf(fixture.mem, "GET /saas/voice/sample/tts?token=%s",
		    said(&a, "/data/next")),
	    NULL);
	is(a, "/data/items/0/text/lang", "en");
	is(a, "/data/next", "null");
}
END_TEST

START_TEST(limits_count_all_own_voices_by_state)
{
	struct response a = ask("GET /saas/voice/limits", NULL);

	assert_same_body(a.body,
	    "{\"ok\":true,\"data\":{\"created\":0,\"pending\":0,\"ready\":4,"
	    "\"failed\":1,\"total\":5,\"limit\":30,\"remaining\":25}}");
	sql("UPDATE accounts SET plan_voices = 3");
	a = ask("GET /saas/voice/limits", NULL);
	is(a, "/data/limit", "3");
	is(a, "/data/remaining", "0");
	sql("UPDATE accounts SET plan_voices = 0");
	a = ask("GET /saas/voice/limits", NULL);
	is(a, "/data/limit", "2147483647");
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("voice lists");
	TCase *t = tcase_create("all");

	tcase_add_checked_fixture(t, setup, fixture_close);
	tcase_add_loop_test(t, a_list_has_what_fits_its_filters, 0, COUNT(lists));
	tcase_add_loop_test(t, a_filter_that_few_voices_fit_goes_on_page_by_page, 0, 2);
	tcase_add_test(t, the_sample_shown_is_the_one_that_fits);
	tcase_add_loop_test(t, a_filter_that_breaks_its_rule_is_422, 0, COUNT(wrong));
	tcase_add_test(t, lists_without_filters_ignore_them);
	tcase_add_test(t, samples_are_listed_of_own_voices_hidden_ones_too);
	tcase_add_test(t, limits_count_all_own_voices_by_state);
	suite_add_tcase(s, t);
	return unit_run(s);
}
