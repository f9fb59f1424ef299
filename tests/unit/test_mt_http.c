/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Translation by servers: LibreTranslate, chat models, DeepL, and the generic kind. */
#include "tests/unit/mt_fixture.h"

/* ---- engines behind HTTP ---- */

static const char *const served[] = { "http", "libretranslate", "openai_chat",
	"deepl" };
static const char *const path_of[] = { "/mt", "", "", "" };

static struct engine_at
behind(int i, const char *fault)
{
	return at(served[i], arena_printf(mem, "%s%s", fault, path_of[i]));
}

START_TEST(a_server_translates)
{
	const char *out;

	ck_assert_int_eq(
	    translate(behind(_i, ""), read_text("en", "es", "Good \"day\""), &out), OK);
	ck_assert_str_eq(out, "<es> Good \"day\"");
	ck_assert(guarded);
}
END_TEST

START_TEST(a_server_keeps_the_terms)
{
	struct mt_text t = read_text("en", "es",
	    "[A>uno] b [c>dos] xzq XZQ [d>tres] [e>x] [f>x] [g>x] [h>x] "
	    "[i>x] [j>x] [k>x] [l>once]");
	const char *out;

	ck_assert_int_eq(translate(behind(_i, ""), t, &out), OK);
	ck_assert_str_eq(out, "<es> uno b dos xzq XZQ tres x x x x x x x once");
	ck_assert(guarded);
}
END_TEST

/* The server drops, doubles or translates words on request. */
static const char *const losses[] = { "drop", "twice", "split" };

START_TEST(a_lost_term_is_told)
{
	struct mt_text t = read_text("en", "es",
	    arena_printf(mem, "%s a [budget>presupuesto]", losses[_i / COUNT(served)]));
	const char *out;

	ck_assert_int_eq(translate(behind(_i % COUNT(served), ""), t, &out), OK);
	ck_assert(!guarded);
	ck_assert_ptr_nonnull(strstr(out, "budget"));
	ck_assert_ptr_null(strstr(out, "presupuesto"));
}
END_TEST

static const struct {
	const char *fault;
	enum err e;
} failures[] = {
	{ "/status-400", ERR_REFUSED },
	{ "/status-429", ERR_BUSY },
	{ "/status-503", ERR_BUSY },
	{ "/silent", ERR_TIMEOUT },
	{ "/html", ERR_REFUSED },
	{ "/json", ERR_REFUSED },
	{ "/garbage", ERR_REFUSED },
};

START_TEST(a_server_that_fails_is_told_from_one_that_is_busy)
{
	struct mt_text t = {
		.text = "Hi", .from = "en", .to = "es", .timeout_ms = 500
	};
	int64_t start_us = monotonic_us();
	const char *out;

	ck_assert_int_eq(
	    translate(behind(0, failures[_i].fault), t, &out), failures[_i].e);
	ck_assert_int_lt(monotonic_us() - start_us, 5 * S_US);
}
END_TEST

START_TEST(a_wrong_key_is_refused)
{
	struct engine_at where = behind(_i, "");
	const char *out;

	where.key = "wrong";
	ck_assert_int_eq(
	    translate(where, read_text("en", "es", "Hi"), &out), ERR_REFUSED);
}
END_TEST

/* ---- chat models and DeepL ---- */

static struct mt_text
in_context(const char *text)
{
	static const char *const said[] = { "The first.", "The last." };

	return (struct mt_text){ .text = text,
		.from = "en",
		.to = "es",
		.title = "Annual meeting",
		.before = { (void *)(uintptr_t)said, 2 } };
}

START_TEST(what_a_text_stands_in_is_told)
{
	const char *out;

	for (int i = 2; i < 4; i++) {
		ck_assert_int_eq(
		    translate(behind(i, ""), in_context("With context"), &out), OK);
		ck_assert_str_eq(out, "<es> With context");
		ck_assert_int_eq(translate(behind(i, ""),
				     read_text("en", "es", "With context"), &out),
		    ERR_REFUSED);
	}
}
END_TEST

static const struct {
	const char *text, *out; /* NULL: refused */
} moody[] = {
	{ "Please be-empty", NULL },
	{ "Please be-long", NULL },
	{ "Please be-sorry", NULL },
	{ "Please be-russian", NULL },
	{ "Please be-cut", NULL },
	{ "Please be-quoted", "Hola" },
	{ "Please be-thoughtful", "Hola" },
	{ "I'm sorry, but I be-sorry", "I'm sorry, but I can't assist with that." },
};

START_TEST(an_answer_that_is_no_translation_is_refused)
{
	enum err want = moody[_i].out != NULL ? OK : ERR_REFUSED;
	const char *out;

	ck_assert_int_eq(
	    translate(behind(2, ""), read_text("en", "es", moody[_i].text), &out),
	    want);
	ck_assert_pstr_eq(out, moody[_i].out);
}
END_TEST

START_TEST(a_model_that_takes_no_temperature_is_refused_once)
{
	struct engine_at where = behind(2, "");
	int before = engine_server_count(&server, mem, "requests");
	const char *out;

	where.model = "thinks-long";
	for (int i = 0; i < 3; i++)
		ck_assert_int_eq(
		    translate(where, read_text("en", "es", "Hi"), &out), OK);
	ck_assert_int_eq(
	    engine_server_count(&server, mem, "requests") - before, 3 + 1 + 1);
}
END_TEST

static const struct {
	const char *from, *to;
	bool has;
	const char *told; /* the request to DeepL */
} deepl[] = {
	{ "en", "es", true, "es" },
	{ "en", "es-mx", true, "es-419" },
	{ "en-us", "pt-br", true, "pt-br" },
	{ "es", "en", true, "en-us" },
	{ "es", "pt", true, "pt-pt" },
	{ "no", "zh-hant", true, "zh-hant" },
	{ "en", "no", true, "nb" },
	{ "en", "eo", false, NULL },
	{ "ga", "en", false, NULL },
};

START_TEST(deepl_has_its_own_codes)
{
	struct engine_at where = behind(3, "");
	const char *out;
	enum err e = translate(
	    where, read_text(deepl[_i].from, deepl[_i].to, "5 < 6 & 'x'"), &out);

	ck_assert_int_eq(
	    mt_pairs(&mt_deepl, &where, deepl[_i].from, deepl[_i].to), deepl[_i].has);
	ck_assert_int_eq(e, deepl[_i].has ? OK : ERR_UNSUPPORTED);
	if (e == OK)
		ck_assert_str_eq(
		    out, arena_printf(mem, "<%s> 5 < 6 & 'x'", deepl[_i].told));
}
END_TEST

START_TEST(a_used_up_quota_is_a_refusal)
{
	const char *out;

	ck_assert_int_eq(translate(behind(3, ""), read_text("en", "es", "quota"), &out),
	    ERR_REFUSED);
}
END_TEST

static const struct {
	const char *from, *to;
	bool has;
} libre[] = {
	{ "en", "es", true },
	{ "es", "en", true },
	{ "es", "fr", false },
	{ "en-us", "es-mx", true },
	{ "en", "zh", true },
	{ "en", "zh-hans", true },
	{ "en", "zh-hant", true },
	{ "en", "no", true },
	{ "en", "pt-br", true },
	{ "en", "de", false },
};

START_TEST(a_libretranslate_server_tells_its_pairs)
{
	struct engine_at where = at("libretranslate", "");

	ck_assert_int_eq(
	    mt_pairs(&mt_libretranslate, &where, libre[_i].from, libre[_i].to),
	    libre[_i].has);
}
END_TEST

START_TEST(its_codes_are_turned_into_ours_and_back)
{
	struct engine_at where = at("libretranslate", "");
	const struct mt_pair *p;
	struct list pairs;
	const char *out;
	bool zh = false, no = false;

	ck_assert_int_eq(mt_libretranslate.list(&where, mem, &pairs), OK);
	ck_assert_uint_eq(pairs.n, 6);
	p = pairs.items;
	for (size_t i = 0; i < pairs.n; i++) {
		zh = zh || strcmp(p[i].to, "zh") == 0;
		no = no || strcmp(p[i].to, "no") == 0;
	}
	ck_assert(zh && no);
	ck_assert_int_eq(translate(where, read_text("en", "zh-hans", "Hi"), &out), OK);
	ck_assert_str_eq(out, "<zh-Hans> Hi");
}
END_TEST

START_TEST(the_pairs_are_not_asked_for_each_time)
{
	struct engine_at where = at("libretranslate", "");
	int before;

	ck_assert(mt_pairs(&mt_libretranslate, &where, "en", "es"));
	http_close();
	before = engine_server_count(&server, mem, "connections");
	http_close();
	for (int i = 0; i < 20; i++)
		ck_assert(mt_pairs(&mt_libretranslate, &where, "en", "es"));
	ck_assert_int_eq(engine_server_count(&server, mem, "connections"), before + 1);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("mt_http");
	TCase *tc = tcase_create("mt");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_set_timeout(tc, 30);
	tcase_add_loop_test(tc, a_server_translates, 0, COUNT(served));
	tcase_add_loop_test(tc, a_server_keeps_the_terms, 0, COUNT(served));
	tcase_add_loop_test(tc, a_lost_term_is_told, 0, COUNT(served) * COUNT(losses));
	tcase_add_loop_test(
	    tc, a_server_that_fails_is_told_from_one_that_is_busy, 0, COUNT(failures));
	tcase_add_loop_test(tc, a_wrong_key_is_refused, 0, COUNT(served));
	tcase_add_test(tc, what_a_text_stands_in_is_told);
	tcase_add_loop_test(
	    tc, an_answer_that_is_no_translation_is_refused, 0, COUNT(moody));
	tcase_add_test(tc, a_model_that_takes_no_temperature_is_refused_once);
	tcase_add_loop_test(tc, deepl_has_its_own_codes, 0, COUNT(deepl));
	tcase_add_test(tc, a_used_up_quota_is_a_refusal);
	tcase_add_loop_test(
	    tc, a_libretranslate_server_tells_its_pairs, 0, COUNT(libre));
	tcase_add_test(tc, its_codes_are_turned_into_ours_and_back);
	tcase_add_test(tc, the_pairs_are_not_asked_for_each_time);
	suite_add_tcase(s, tc);
	return unit_run(s);
}
