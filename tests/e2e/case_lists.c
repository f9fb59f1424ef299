/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Pages, filters and page tokens, over a whole list. */
#include <string.h>

#include "cases.h"

#define VOICES 7

static struct account me, other;
static const char *made[VOICES]; /* oldest first */

/* clang-format off */
static const struct {
	const char *name, *more;
} recipe[VOICES] = {
	{ "Anna M\\u00fcnchen", ",\"labels\":{\"gender\":\"Female\",\"mood\":\"Calm\"}" },
	{ "Bert",               ",\"labels\":{\"gender\":\"Male\",\"mood\":\"Happy\"}" },
	{ "Carla 100",          ",\"labels\":{\"gender\":\"Female\",\"age_group\":\"Old\"}" },
	{ "Doris_x",            ",\"description\":\"speaks of MUNCHEN\"" },
	{ "Emil",               ",\"labels\":{\"gender\":\"Neutral\",\"mood\":\"Sad\"}" },
	{ "Franka",             ",\"labels\":{\"gender\":\"Female\",\"mood\":\"Happy\"}" },
	{ "Gustav",             "" },
};
/* clang-format on */

static void
before(void)
{
	me = account_new("lists");
	other = account_new("other lists");
	for (int i = 0; i < VOICES; i++) {
		struct answer a =
		    CLONE(.as = &me, .name = recipe[i].name, .more = recipe[i].more);

		made[i] = text_at(a.json, "data.voice_id");
		nap(0.002);
	}
	ASK(.method = "POST", .path = text("/saas/voice/m/%s/favorite", made[1]),
	    .as = &me);
}

static struct answer
list(const char *query)
{
	return ASK(.path = text("/saas/voice%s", query), .as = &me);
}

/* ---- walking ---- */

static const struct {
	const char *sort;
	int size;
} walks[] = { { "asc", 1 }, { "asc", 3 }, { "desc", 2 }, { "desc", 7 },
	{ "asc", 100 } };

START_TEST(a_walk_sees_every_voice_once_and_in_order)
{
	int size = walks[_i].size, seen = 0;
	bool ascending = strcmp(walks[_i].sort, "asc") == 0;
	struct answer a = list(text("?sort=%s&page_size=%d", walks[_i].sort, size));

	for (;;) {
		json_t *items = at(a.json, "data.items"), *voice;
		size_t i;

		EXPECT(a, 200);
		ck_assert_int_eq(int_at(a.json, "data.page_size"), size);
		ck_assert_int_eq(
		    int_at(a.json, "data.count"), (int)json_array_size(items));
		json_array_foreach(items, i, voice)
		{
			ck_assert_str_eq(text_at(voice, "voice_id"),
			    made[ascending ? seen : VOICES - 1 - seen]);
			seen++;
		}
		if (json_is_null(at(a.json, "data.next")))
			break;
		ck_assert_str_eq(header_of(&a, "Link"),
		    text("<%s/saas/voice?token=%s>; rel=\"next\"", instance()->base_url,
			text_at(a.json, "data.next")));
		ck_assert_int_le(strlen(text_at(a.json, "data.next")), 512);
		a = list(text("?token=%s", text_at(a.json, "data.next")));
	}
	ck_assert_ptr_null(header_of(&a, "Link"));
	ck_assert_int_eq(seen, VOICES);
}
END_TEST

START_TEST(a_page_has_ten_and_the_newest_first)
{
	struct answer a = list("");

	ck_assert_int_eq(int_at(a.json, "data.page_size"), 10);
	ck_assert_str_eq(text_at(a.json, "data.items.0.voice_id"), made[VOICES - 1]);
}
END_TEST

START_TEST(a_walk_goes_on_when_its_last_row_is_deleted)
{
	struct account mine = account_new("deleted row");
	struct answer a;

	for (int i = 0; i < 3; i++)
		CLONE(.as = &mine);
	a = ASK(.path = "/saas/voice?page_size=2", .as = &mine);
	ASK(.method = "DELETE", .as = &mine,
	    .path = text("/saas/voice/m/%s", text_at(a.json, "data.items.1.voice_id")));
	a = ASK(.path = text("/saas/voice?token=%s", text_at(a.json, "data.next")),
	    .as = &mine);
	EXPECT(a, 200);
	ck_assert_int_eq(int_at(a.json, "data.count"), 1);
}
END_TEST

/* ---- filters ---- */

/* clang-format off */
static const struct {
	const char *query, *names; /* numbers of records made, newest first */
} filters[] = {
	{ "?search=munchen",               "30" },
	{ "?search=M%C3%9CNCHEN",          "30" },
	{ "?search=la%20100",              "2" },
	{ "?search=s_x",                   "3" },
	{ "?search=%25%25",                "" },
	{ "?gender=Female",                "520" },
	{ "?gender=female,MALE",           "5210" },
	{ "?gender=Female&gender=Neutral", "5420" },
	{ "?gender=Female&mood=Happy",     "5" },
	{ "?mood=Happy&mood=Sad",          "541" },
	{ "?age_group=Old",                "2" },
	{ "?gender=Male,robot",            "1" },
	{ "?gender=robot",                 "" },
	{ "?is_favorite=true",             "1" },
	{ "?is_favorite=false",            "654320" },
	{ "?lang=de",                      "" },
	{ "?lang=nonsense",                "" },
	{ "?provider=external_provider",   "" },
	{ "?unknown=x&search=bert",        "1" },
};
/* clang-format on */

START_TEST(a_filter_lets_through_what_it_says)
{
	struct answer a = list(filters[_i].query);
	const char *want = filters[_i].names;

	EXPECT(a, 200);
	ck_assert_msg(count_at(a.json, "data.items") == strlen(want), "%s: %s",
	    filters[_i].query, shown(&a));
	for (int i = 0; want[i] != '\0'; i++)
		ck_assert_str_eq(text_at(a.json, text("data.items.%d.voice_id", i)),
		    made[want[i] - '0']);
}
END_TEST

START_TEST(a_token_keeps_the_filters)
{
	struct answer a = list("?gender=Female&page_size=1");
	const char *next = text_at(a.json, "data.next");

	a = list(text("?token=%s", next));
	ck_assert_str_eq(text_at(a.json, "data.items.0.voice_id"), made[2]);
	a = list(text("?token=%s&gender=Female", next));
	EXPECT(a, 200);
	a = list(text("?token=%s&gender=Male", next));
	expect_problem(&a, 400, "invalid-page-token");
}
END_TEST

/* ---- what is refused ---- */

/* clang-format off */
static const struct {
	const char *query, *parameter;
} wrong[] = {
	{ "?page_size=0",             "page_size" },
	{ "?page_size=101",           "page_size" },
	{ "?page_size=ten",           "page_size" },
	{ "?page_size=",              "page_size" },
	{ "?page_size=5&page_size=5", "page_size" },
	{ "?sort=up",                 "sort" },
	{ "?search=x",                "search" },
	{ "?gender=",                 "gender" },
	{ "?gender=Male,",            "gender" },
	{ "?is_favorite=2",           "is_favorite" },
	{ "?provider=nobody",         "provider" },
	{ "?lang=",                   "lang" },
	{ "?lang=abcdefghijk",        "lang" },
};
/* clang-format on */

START_TEST(a_parameter_that_breaks_its_rule_is_named)
{
	struct answer a = list(wrong[_i].query);

	expect_problem(&a, 422, "validation-error");
	ck_assert_str_eq(text_at(a.json, "errors.0.parameter"), wrong[_i].parameter);
}
END_TEST

static const char *
bad_token(int i)
{
	struct answer a = list("?page_size=1");
	char *good = arena_str(memory(), text_at(a.json, "data.next"));

	switch (i) {
	case 0:
		return "?token=";
	case 1:
		return "?token=AAAA";
	case 2:
		good[10] = good[10] == 'A' ? 'B' : 'A';
		return text("?token=%s", good);
	case 3:
		return text("?token=%s&sort=asc", good);
	case 4:
		return text("?token=%s&page_size=1", good);
	case 5:
		return text("/hidden?token=%s", good); /* page token of another route */
	case 6:
		return text("?token=%s%s", good, same_bytes_of('A', 600).p);
	default:
		return "?token=%00";
	}
}

START_TEST(a_token_that_is_none_is_refused)
{
	struct answer a = list(bad_token(_i));

	expect_problem(&a, 400, "invalid-page-token");
	ck_assert_str_eq(text_at(a.json, "errors.0.parameter"), "token");
}
END_TEST

START_TEST(a_token_of_another_account_is_refused)
{
	struct answer a = list("?page_size=1");

	a = ASK(.path = text("/saas/voice?token=%s", text_at(a.json, "data.next")),
	    .as = &other);
	expect_problem(&a, 400, "invalid-page-token");
}
END_TEST

static const char *const paged[] = { "/saas/voice", "/saas/voice/hidden",
	"/saas/voice/builtin", "/saas/voice/sample/tts" };

START_TEST(an_empty_list_is_a_page_too)
{
	struct answer a = ASK(.path = paged[_i], .as = &other);

	EXPECT(a, 200);
	if (_i == 2)
		return; /* everybody's */
	ck_assert_str_eq(a.body, "{\"ok\":true,\"data\":{\"items\":[],\"page_size\":10,"
				 "\"count\":0,\"next\":null}}");
}
END_TEST

Suite *
lists_suite(void)
{
	TCase *t;
	Suite *s = suite_of("lists", before, &t);

	tcase_add_loop_test(
	    t, a_walk_sees_every_voice_once_and_in_order, 0, ROWS(walks));
	tcase_add_test(t, a_page_has_ten_and_the_newest_first);
	tcase_add_test(t, a_walk_goes_on_when_its_last_row_is_deleted);
	tcase_add_loop_test(t, a_filter_lets_through_what_it_says, 0, ROWS(filters));
	tcase_add_test(t, a_token_keeps_the_filters);
	tcase_add_loop_test(
	    t, a_parameter_that_breaks_its_rule_is_named, 0, ROWS(wrong));
	tcase_add_loop_test(t, a_token_that_is_none_is_refused, 0, 8);
	tcase_add_test(t, a_token_of_another_account_is_refused);
	tcase_add_loop_test(t, an_empty_list_is_a_page_too, 0, ROWS(paged));
	return s;
}
