#include <check.h>
#include <string.h>

#include "base/clock.h"
#include "speech/engine.h"
#include "tests/engine-server.h"
#include "tests/unit/suite.h"

static struct arena *mem;
static struct engine_server server;
static bool guarded;

#define SLOW_US (5 * S_US)

static void
setup(void)
{
	mem = arena_new();
	server = engine_server_start();
}

static void
teardown(void)
{
	engine_server_stop(&server);
	arena_free(mem);
}

static struct engine_at
at(const char *kind, const char *path)
{
	return (struct engine_at){ .id = kind,
		.kind = kind,
		.url = arena_printf(mem, "http://127.0.0.1:%d%s", server.port, path),
		.key = "test-key",
		.timeout_ms = 3000,
		.allow_private = true };
}

/* A term for each [source>target] of the text. */
static struct mt_text
read_text(const char *from, const char *to, const char *marked)
{
	struct mt_term *terms = arena_alloc(mem, 16 * sizeof(*terms));
	struct mt_text t = { .from = from, .to = to, .terms = terms };
	struct buf b = { .mem = mem };

	while (*marked != '\0') {
		size_t n = strcspn(marked, "["), len;

		buf_put(&b, marked, n);
		if (*(marked += n) == '\0')
			break;
		len = strcspn(marked, ">") - 1;
		n = strcspn(marked, "]");
		terms[t.nterms++] = (struct mt_term){ b.len, len,
			arena_dup(mem, marked + len + 2, n - len - 2) };
		buf_put(&b, marked + 1, len);
		marked += n + 1;
	}
	t.text = buf_text(&b);
	return t;
}

static enum err
translate(struct engine_at where, struct mt_text t, const char **out)
{
	*out = NULL;
	return mt_translate(
	    engine_find(where.kind)->mt, &where, mem, &t, out, &guarded);
}

/* ---- the engine for tests, and what all have in common ---- */

static const struct {
	const char *from, *to, *text, *out;
} scripted[] = {
	/* clang-format off */
	{ "en", "ja", "hello world", "[ja] hello world" },
	{ "en", "es-mx", "Hello.", "[es-mx] Hello." },
	{ "en", "es", "a [budget>presupuesto] b", "[es] a presupuesto b" },
	{ "en", "es", "[one>uno][two>dos]", "[es] unodos" },
	{ "en", "es", "a\nb\x01" "0\x02", "[es] a b 0" },
	/* a term that opens a capitalised sentence is capitalised */
	{ "en", "es", "[Budget>presupuesto] b", "[es] Presupuesto b" },
	{ "en", "es", "[budget>presupuesto] b", "[es] presupuesto b" },
	{ "en", "es", "The [budget>presupuesto] b", "[es] The presupuesto b" },
	{ "en", "es", "“[Ice>élan]” b", "[es] “Élan” b" },
	{ "en", "es", "Hi. [Ice>hielo]! [Ice>hielo]", "[es] Hi. Hielo! Hielo" },
	{ "en", "de", "[Ice>ǆ] b", "[de] ǅ b" },
	{ "en", "ja", "[Ice>氷] b", "[ja] 氷 b" },
	/* one base: unchanged but for the terms */
	{ "en", "en-gb", "hello [color>colour]", "hello colour" },
	{ "zh-hant", "zh-hans", "你好", "你好" },
	/* nothing to translate */
	{ "en", "es", "", "" },
	{ "en", "es", "  ", "" },
	/* clang-format on */
};

START_TEST(the_script_tells_what_it_was_asked)
{
	const char *out;

	ck_assert_int_eq(
	    translate(at("script", ""),
		read_text(scripted[_i].from, scripted[_i].to, scripted[_i].text), &out),
	    OK);
	ck_assert(guarded);
	ck_assert_str_eq(out, scripted[_i].out);
}
END_TEST

START_TEST(the_script_fails_and_dawdles_on_demand)
{
	struct engine_at where = at("script", "");
	struct mt_text slow = { .text = "a slow-mt", .from = "en", .to = "es" };
	struct mt_text fault = { .text = "Fault-mt.", .from = "en", .to = "es" };
	int64_t start_us = monotonic_us();
	const char *out;

	ck_assert_int_eq(translate(where, fault, &out), ERR_FAILED);
	slow.timeout_ms = 100;
	ck_assert_int_eq(translate(where, slow, &out), ERR_TIMEOUT);
	ck_assert_int_lt(monotonic_us() - start_us, SLOW_US);
	where.timeout_ms = 6000;
	slow.timeout_ms = 0;
	start_us = monotonic_us();
	ck_assert_int_eq(translate(where, slow, &out), OK);
	ck_assert_int_ge(monotonic_us() - start_us, SLOW_US);
	ck_assert_str_eq(out, "[es] a slow-mt");
}
END_TEST

START_TEST(a_text_that_is_too_long_is_refused)
{
	char *text = arena_alloc(mem, MT_TEXT_BYTES + 2);
	const char *out;
	struct mt_text t = { .text = text, .from = "en", .to = "es" };

	memset(text, 'a', MT_TEXT_BYTES + 1);
	ck_assert_int_eq(translate(at("script", ""), t, &out), ERR_LIMIT);
	text[MT_TEXT_BYTES] = '\0';
	ck_assert_int_eq(translate(at("script", ""), t, &out), OK);
}
END_TEST

static const struct {
	const char *languages, *from, *to;
	bool has;
} narrowed[] = {
	{ NULL, "en", "ja", true },
	{ "en es", "en", "es", true },
	{ "en es", "en-us", "es-mx", true },
	{ "en es-mx", "en", "es-mx", true },
	{ "en es-mx", "en", "es", false },
	{ "en es", "en", "fr", false },
	{ "en es", "fr", "es", false },
	{ "en es", "fr", "fr-ca", true },
	{ "", "en", "es", false },
};

START_TEST(the_settings_may_narrow_the_languages)
{
	struct engine_at where = at("script", "");
	struct mt_text t = { "x", narrowed[_i].from, narrowed[_i].to, NULL, 0, 0 };
	const char *out;

	where.languages = narrowed[_i].languages;
	ck_assert_int_eq(mt_pairs(&mt_script, &where, t.from, t.to), narrowed[_i].has);
	ck_assert_int_eq(
	    translate(where, t, &out), narrowed[_i].has ? OK : ERR_UNSUPPORTED);
}
END_TEST

START_TEST(any_pair_is_listed_by_those_that_take_any)
{
	struct engine_at where = at("script", "");
	struct list pairs;
	const struct mt_pair *p;

	ck_assert_int_eq(mt_script.list(&where, mem, &pairs), OK);
	ck_assert_uint_gt(pairs.n, 3000);
	p = pairs.items;
	for (size_t i = 0; i < pairs.n; i++) {
		ck_assert_str_ne(p[i].from, "auto");
		ck_assert(strcmp(p[i].from, p[i].to) != 0);
	}
}
END_TEST

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

/* The server leaves out, doubles or translates words on demand. */
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
	const char *told; /* what DeepL is told */
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

/* ---- in two steps ---- */

static struct engine_at
pivoting(void)
{
	struct engine_at where = at("libretranslate", "");

	where.pivot = true;
	return where;
}

START_TEST(two_pairs_lead_where_none_does)
{
	struct engine_at where = pivoting(), direct = at("libretranslate", "");

	ck_assert(!mt_pairs(&mt_libretranslate, &direct, "es", "no"));
	ck_assert(mt_pairs(&mt_libretranslate, &where, "es", "no"));
	ck_assert(mt_pairs(&mt_libretranslate, &where, "es-mx", "pt-br"));
	ck_assert(!mt_pairs(&mt_libretranslate, &where, "es", "fr"));
	ck_assert(!mt_pairs(&mt_libretranslate, &where, "no", "es"));
	where.languages = "es no"; /* not for English, then */
	ck_assert(!mt_pairs(&mt_libretranslate, &where, "es", "no"));
}
END_TEST

static const struct {
	const char *text, *out;
	bool guarded;
} journeys[] = {
	/* clang-format off */
	{ "Hola a todos.", "<nb> <en> Hola a todos.", true },
	{ "la [casa grande>stort hus] es [azul>blå] aquí",
	  "<nb> <en> la stort hus es blå aquí", true },
	{ "La [x>é] es [y>ø].", "<nb> <en> La é es ø.", true },
	/* lost at the first step, at the second */
	{ "drop-en la [casa>hus]", "<nb> <en> drop-en la casa", false },
	{ "drop-nb la [casa>hus]", "<nb> <en> drop-nb la casa", false },
	/* clang-format on */
};

START_TEST(terms_go_through_both_steps)
{
	const char *out;

	ck_assert_int_eq(
	    translate(pivoting(), read_text("es", "no", journeys[_i].text), &out), OK);
	ck_assert_str_eq(out, journeys[_i].out);
	ck_assert_int_eq(guarded, journeys[_i].guarded);
}
END_TEST

START_TEST(either_step_may_fail)
{
	const char *out;

	ck_assert_int_eq(
	    translate(pivoting(), read_text("es", "no", "fail-en x"), &out), ERR_BUSY);
	ck_assert_int_eq(
	    translate(pivoting(), read_text("es", "no", "fail-nb x"), &out), ERR_BUSY);
	ck_assert_int_eq(
	    translate(pivoting(), read_text("es", "no", "fail-de x"), &out), OK);
}
END_TEST

/* Each step takes 400 ms. */
START_TEST(both_steps_have_the_time_together)
{
	struct mt_text t = read_text("es", "no", "wait");
	int64_t start_us;
	const char *out;

	ck_assert_int_eq(translate(pivoting(), t, &out), OK);
	t.timeout_ms = 600;
	start_us = monotonic_us();
	ck_assert_int_eq(translate(pivoting(), t, &out), ERR_TIMEOUT); /* not 800 */
	ck_assert_int_lt(monotonic_us() - start_us, 5 * S_US);
}
END_TEST

START_TEST(a_libretranslate_server_that_is_away_has_no_pairs)
{
	struct engine_at where = at("libretranslate", "/status-503");

	ck_assert(!mt_pairs(&mt_libretranslate, &where, "en", "es"));
	ck_assert(mt_pairs(&mt_libretranslate, &where, "en", "en-gb"));
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("mt");
	TCase *tc = tcase_create("mt");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_set_timeout(tc, 30);
	tcase_add_loop_test(tc, the_script_tells_what_it_was_asked, 0, COUNT(scripted));
	tcase_add_test(tc, the_script_fails_and_dawdles_on_demand);
	tcase_add_test(tc, a_text_that_is_too_long_is_refused);
	tcase_add_loop_test(
	    tc, the_settings_may_narrow_the_languages, 0, COUNT(narrowed));
	tcase_add_test(tc, any_pair_is_listed_by_those_that_take_any);
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
	tcase_add_test(tc, two_pairs_lead_where_none_does);
	tcase_add_loop_test(tc, terms_go_through_both_steps, 0, COUNT(journeys));
	tcase_add_test(tc, either_step_may_fail);
	tcase_add_test(tc, both_steps_have_the_time_together);
	tcase_add_test(tc, a_libretranslate_server_that_is_away_has_no_pairs);
	suite_add_tcase(s, tc);
	return unit_run(s);
}
