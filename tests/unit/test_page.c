/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Paged lists, tested with the lists of voices. */
#define UNIT_TEST
#include "tests/unit/voice_fixture.h"
#include "web/policy.h"

/* Seven voices; C and D were made in the same microsecond, E and F too. */
static const int64_t made_us[] = { 10, 20, 30, 30, 40, 40, 50 };
static const char *ids[COUNT(made_us)];

static const char *
id_like(int i)
{
	return arena_printf(fixture.mem, "%08x-0000-4000-8000-000000000000", i + 1);
}

static void
setup(void)
{
	voice_fixture();
	for (int i = 0; i < COUNT(made_us); i++) {
		const char *id = put_voice(fixture.account,
		    arena_printf(fixture.mem, "%c", 'A' + i), made_us[i] * S_US);

		ids[i] = id_like(i);
		set_voice(id, arena_printf(fixture.mem, "id = '%s'", ids[i]));
	}
}

static struct response
list(const char *query)
{
	return ask(arena_printf(fixture.mem, "GET /saas/voice?%s", query), NULL);
}

static struct response
list_after(const char *token, const char *more)
{
	return list(arena_printf(fixture.mem, "token=%s%s", token, more));
}

/* Returns the names on all pages of a query; pages are separated by |. */
static const char *
walk(const char *query)
{
	struct response a = list(query);
	struct buf b = { .mem = fixture.mem };

	for (;;) {
		answered(a, 200);
		buf_printf(&b, "%s|", names_of(&a));
		if (json_get(json_get(a.json, "data"), "next")->type == JSON_NONE)
			return buf_text(&b);
		a = list_after(said(&a, "/data/next"), "");
	}
}

static const struct {
	const char *query, *pages;
} walks[] = {
	{ "", "G F E D C B A|" },
	{ "sort=desc", "G F E D C B A|" },
	{ "sort=asc", "A B C D E F G|" },
	{ "page_size=1", "G|F|E|D|C|B|A|" },
	{ "page_size=2", "G F|E D|C B|A|" },
	{ "page_size=3&sort=desc", "G F E|D C B|A|" },
	{ "page_size=3&sort=asc", "A B C|D E F|G|" },
	{ "page_size=1&sort=asc", "A|B|C|D|E|F|G|" },
	{ "page_size=7", "G F E D C B A|" },
	{ "page_size=100", "G F E D C B A|" },
	{ "page_size=6&search=no+such", "|" },
};

START_TEST(a_walk_sees_every_item_once_in_order)
{
	ck_assert_str_eq(walk(walks[_i].query), walks[_i].pages);
}
END_TEST

START_TEST(a_page_tells_its_size_its_count_and_the_next)
{
	struct response a = list("page_size=3");
	const char *next = said(&a, "/data/next");

	is(a, "/data/page_size", "3");
	is(a, "/data/count", "3");
	ck_assert_pstr_eq(head_of(&a, "Link"),
	    arena_printf(fixture.mem,
		"<https://speech.example.org/saas/voice?token=%s>; rel=\"next\"",
		next));
	ck_assert_uint_eq(strspn(next, "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
				       "abcdefghijklmnopqrstuvwxyz0123456789-_"),
	    strlen(next));
	a = list_after(next, "");
	is(a, "/data/page_size", "3");
	a = list_after(said(&a, "/data/next"), "");
	is(a, "/data/count", "1");
	is(a, "/data/next", "null");
	ck_assert_ptr_null(head_of(&a, "Link"));
	a = list("");
	is(a, "/data/page_size", "10");
}
END_TEST

START_TEST(deleting_the_boundary_row_does_not_break_a_walk)
{
	struct response down = list("page_size=3"), up = list("page_size=3&sort=asc");

	sql(arena_printf(fixture.mem, "DELETE FROM voices WHERE id IN ('%s', '%s')",
	    ids[4], ids[2])); /* E ends one page, C the other */
	down = list_after(said(&down, "/data/next"), "");
	ck_assert_str_eq(names_of(&down), "D B A");
	up = list_after(said(&up, "/data/next"), "");
	ck_assert_str_eq(names_of(&up), "D F G");
}
END_TEST

START_TEST(rows_made_meanwhile_come_last_going_up_and_never_going_down)
{
	struct response down = list("page_size=4"), up = list("page_size=4&sort=asc");

	put_voice(fixture.account, "New", 60 * S_US);
	down = list_after(said(&down, "/data/next"), "");
	ck_assert_str_eq(names_of(&down), "C B A");
	up = list_after(said(&up, "/data/next"), "");
	ck_assert_str_eq(names_of(&up), "E F G New");
}
END_TEST

/* ---- tokens that are refused ---- */

#define bad_token(a)                                                                   \
	do {                                                                           \
		refused(a, 400, "invalid-page-token");                                 \
		is(a, "/errors/0/error_code", "100010");                               \
		is(a, "/errors/0/parameter", "token");                                 \
	} while (0)

START_TEST(a_token_that_was_tampered_with_is_refused)
{
	struct response a = list("page_size=2");
	const char *good = said(&a, "/data/next");
	char *bad;

	for (size_t i = 0; i < strlen(good); i++) {
		bad = arena_str(fixture.mem, good);
		bad[i] ^= 1; /* unused bits of the last character */
		a = list_after(bad, "");
		bad_token(a);
		bad[i] = '\0';
		a = list_after(bad, "");
		bad_token(a);
	}
	a = list_after(good, "");
	answered(a, 200);
}
END_TEST

static const char *const not_tokens[] = { "", "x", "null", "%00", "*", "AAAA",
	"AAAAAAAAAAAAAAAAAAAAAA", "%ff" };

START_TEST(text_that_is_no_token_is_refused)
{
	struct response a = list_after(not_tokens[_i], "");

	bad_token(a);
}
END_TEST

START_TEST(a_token_is_bound_to_its_account_its_route_and_this_fixture)
{
	struct response a = list("page_size=2");
	const char *token = said(&a, "/data/next");

	a = ask(
	    arena_printf(fixture.mem, "GET /saas/voice/builtin?token=%s", token), NULL);
	bad_token(a);
	a = ask(
	    arena_printf(fixture.mem, "GET /saas/voice/hidden?token=%s", token), NULL);
	bad_token(a);
	fixture.app.page_key[0] ^= 1;
	a = list_after(token, "");
	bad_token(a);
	fixture.app.page_key[0] ^= 1;
	fixture.bearer = fixture_bearer(fixture.account, "voices:read");
	a = list_after(token, "");
	answered(a, 200); /* another key of the same account */
	fixture.bearer = fixture_bearer(fixture_account(), "*");
	a = list_after(token, "");
	bad_token(a);
}
END_TEST

START_TEST(a_token_with_sort_or_page_size_is_refused)
{
	static const char *const more[] = { "&sort=desc", "&sort=asc", "&page_size=2",
		"&page_size=3", "&sort=", "&page_size=x" };
	struct response a = list("page_size=2");

	a = list_after(said(&a, "/data/next"), more[_i]);
	bad_token(a);
}
END_TEST

START_TEST(a_token_may_be_too_long)
{
	char *token = arena_alloc(fixture.mem, 7001);
	struct response a;

	memset(token, 'A', 7000);
	a = list_after(token, "");
	bad_token(a);
	a = list("token=a&token=b");
	bad_token(a);
}
END_TEST

/* ---- filters beside a token ---- */

static const struct {
	const char *beside;
	int status;
} filters_beside[] = {
	{ "", 200 },
	{ "&gender=Male", 200 },
	{ "&gender=male", 200 }, /* the same label */
	{ "&search=vv", 200 },
	{ "&gender=Male&search=vv&is_favorite=false", 200 },
	{ "&gender=Female", 400 },
	{ "&gender=Male,Female", 400 },
	{ "&search=ww", 400 },
	{ "&search=", 400 },
	{ "&mood=Calm", 400 },
	{ "&is_favorite=true", 400 },
	{ "&lang=en", 400 },
	{ "&unknown=x", 200 },
};

START_TEST(filters_beside_a_token_may_be_left_out_or_be_the_same)
{
	struct response a;

	sql("UPDATE voices SET gender = 'Male', folded = 'vv'");
	a = list("gender=Male&search=vv&is_favorite=false&page_size=3");
	ck_assert_str_eq(names_of(&a), "G F E");
	a = list_after(said(&a, "/data/next"), filters_beside[_i].beside);
	answered(a, filters_beside[_i].status);
	if (a.status == 200)
		ck_assert_str_eq(names_of(&a), "D C B");
}
END_TEST

/* ---- the longest token ---- */

/* Returns n different characters of 4 bytes each, percent-encoded. */
static const char *
rare_characters(int n, uint32_t seed)
{
	struct buf b = { .mem = fixture.mem };

	for (int i = 0; i < n; i++) {
		uint32_t cp;

		seed = seed * 1664525 + 1013904223;
		cp = 0x10000 + (seed >> 8) % 0x100000;
		buf_printf(&b, "%%%02X%%%02X%%%02X%%%02X", 0xf0 | cp >> 18,
		    0x80 | (cp >> 12 & 63), 0x80 | (cp >> 6 & 63), 0x80 | (cp & 63));
	}
	return buf_text(&b);
}

#define EVERY_LABEL                                                                    \
	"gender=Female&gender=Neutral,Male&age_group=Old,Young,Middle-aged"            \
	"&mood=Energetic,Calm,Sad,Angry,Happy,Neutral&is_favorite=false"               \
	"&provider=external_provider,own_provider&page_size=1&sort=asc"

START_TEST(a_token_has_at_most_512_characters_and_goes_on)
{
	const char *query = arena_printf(fixture.mem, "%s&search=%s&lang=%s",
	    EVERY_LABEL, rare_characters(100, (uint32_t)_i), rare_characters(10, 99));
	struct request rq = { .mem = fixture.mem,
		.app = &fixture.app,
		.conf = &fixture.app.conf,
		.db = fixture.app.db };
	const char *token;
	struct response a;

	/* No voice has such a name, so the token of such a page is made here. */
	rq.target = arena_printf(fixture.mem, "/saas/voice?%s", query);
	rq.head.mem = fixture.mem;
	rq.who = &(struct caller){ .account = fixture.account };
	for (rq.route = voice_routes; rq.route->run != list_voices;)
		rq.route++;
	ck_assert(input_check(&rq, NULL));
	token = page_next(&rq, INT64_C(1795173662123456), id_new(fixture.mem));
	ck_assert_uint_le(strlen(token), 512);
	a = list_after(token, "");
	answered(a, 200);
	a = list_after(token, arena_printf(fixture.mem, "&search=%s",
				  rare_characters(100, (uint32_t)_i)));
	answered(a, 200);
	a = list_after(token, arena_printf(fixture.mem, "&search=%s",
				  rare_characters(100, (uint32_t)_i + 1)));
	bad_token(a);
}
END_TEST

#define XS "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"

/* As many words for each label as are allowed, each of the greatest length. */
START_TEST(a_token_holds_words_that_are_no_known_labels)
{
	struct buf b = { .mem = fixture.mem };
	struct response a;

	for (int i = 0; i < 30; i++)
		buf_printf(&b, "&%s=%c%.*s%c",
		    i < 10   ? "gender"
		    : i < 20 ? "mood"
			     : "age_group",
		    'a' + i % 10, 62, XS, 'a' + i % 10);
	sql(arena_printf(fixture.mem,
	    "UPDATE voices SET gender = 'C%.*sc', mood = 'J%.*sj',"
	    " age_group = 'a%.*sa'",
	    62, XS, 62, XS, 62, XS));
	a = list(arena_printf(fixture.mem, "page_size=3%s", buf_text(&b)));
	ck_assert_str_eq(names_of(&a), "G F E");
	a = list_after(said(&a, "/data/next"), "");
	ck_assert_str_eq(names_of(&a), "D C B");
}
END_TEST

START_TEST(a_filter_given_a_thousand_times_is_refused)
{
	struct buf b = { .mem = fixture.mem };
	struct response a;

	buf_str(&b, "mood=Calm");
	for (int i = 0; i < 1000; i++)
		buf_str(&b, i % 3 == 0 ? ",Sad" : ",Calm");
	a = list(buf_text(&b));
	refused(a, 422, "validation-error");
	is(a, "/errors/0/parameter", "mood");
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("page");
	TCase *t = tcase_create("all");

	tcase_add_checked_fixture(t, setup, fixture_close);
	tcase_set_timeout(t, 30);
	tcase_add_loop_test(t, a_walk_sees_every_item_once_in_order, 0, COUNT(walks));
	tcase_add_test(t, a_page_tells_its_size_its_count_and_the_next);
	tcase_add_test(t, deleting_the_boundary_row_does_not_break_a_walk);
	tcase_add_test(t, rows_made_meanwhile_come_last_going_up_and_never_going_down);
	tcase_add_test(t, a_token_that_was_tampered_with_is_refused);
	tcase_add_loop_test(t, text_that_is_no_token_is_refused, 0, COUNT(not_tokens));
	tcase_add_test(t, a_token_is_bound_to_its_account_its_route_and_this_fixture);
	tcase_add_loop_test(t, a_token_with_sort_or_page_size_is_refused, 0, 6);
	tcase_add_test(t, a_token_may_be_too_long);
	tcase_add_loop_test(t, filters_beside_a_token_may_be_left_out_or_be_the_same, 0,
	    COUNT(filters_beside));
	tcase_add_loop_test(t, a_token_has_at_most_512_characters_and_goes_on, 0, 20);
	tcase_add_test(t, a_token_holds_words_that_are_no_known_labels);
	tcase_add_test(t, a_filter_given_a_thousand_times_is_refused);
	suite_add_tcase(s, t);
	return unit_run(s);
}
