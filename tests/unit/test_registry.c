/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The registry of engines: their order, and the available languages. */
#include <pthread.h>

#include "base/lang.h"
#include "speech/engine.h"
#include "tests/unit/registry_fixture.h"

#define SCRIPTS                                                                        \
	"[engine.one]\nkind = script\nlanguages = en de es-mx\n"                       \
	"[engine.two]\nkind = script\n[engine.three]\nkind = script\n"                 \
	"voice.default_high = tenor\n"                                                 \
	"[speech]\nasr = one two three\nmt = one, two,three\ntts = one two three\n"

/* Returns "one two": all engines that would be asked, in order. */
static const char *
order(const char *lang, const char *model)
{
	const struct registry_engine *en = NULL;
	struct buf b = { .mem = mem };

	for (;;) {
		struct registry_want w = want(model, en);

		if ((en = registry_tts(reg, lang, &w)) == NULL)
			return buf_text(&b);
		buf_printf(&b, "%s%s", b.len > 0 ? " " : "", id(en));
	}
}

START_TEST(the_first_able_engine_is_asked_then_the_next)
{
	ck_assert_int_eq(make(SCRIPTS), OK);
	ck_assert_str_eq(order("en", NULL), "one two three");
	ck_assert_str_eq(order("fr", NULL), "two three");
	ck_assert_str_eq(order("EN_gb", NULL), "one two three");
	ck_assert_str_eq(order("es-mx", NULL), "one two three");
	ck_assert_str_eq(order("es", NULL), "two three");
}
END_TEST

START_TEST(the_wanted_engine_comes_first_when_it_is_able)
{
	ck_assert_int_eq(make(SCRIPTS), OK);
	ck_assert_str_eq(order("en", "three"), "three one two");
	ck_assert_str_eq(order("en", "two"), "two one three");
	ck_assert_str_eq(order("en", "one"), "one two three");
	ck_assert_str_eq(order("fr", "one"), "two three");
	ck_assert_str_eq(order("en", "auto"), "one two three");
	ck_assert_str_eq(order("en", "whisper-9"), "one two three");
}
END_TEST

START_TEST(each_list_has_its_own_engines)
{
	struct registry_want w = want(NULL, NULL);

	ck_assert_int_eq(make("[speech]\nasr = script\nmt = script\n"
			      "tts = espeak script\n[engine.script]\n"
			      "lines = a|b\n"),
	    OK);
	ck_assert_str_eq(id(registry_asr(reg, "en", &w)), "script");
	ck_assert_str_eq(registry_asr(reg, "en", &w)->at.lines, "a\nb");
	ck_assert_ptr_nonnull(registry_asr(reg, "auto", &w));
	ck_assert_str_eq(id(registry_mt(reg, "en", "es", &w)), "script");
	ck_assert_str_eq(id(registry_tts(reg, "es", &w)), "espeak");
	ck_assert_str_eq(id(registry_tts(reg, "gl", &w)), "script");
	ck_assert_ptr_eq(registry_tts(reg, "es", &w)->tts, &tts_espeak);
	ck_assert_ptr_null(registry_tts(reg, "es", &w)->at.url);
	ck_assert(registry_tts(reg, "es", &w)->at.allow_private);
}
END_TEST

START_TEST(a_list_may_be_empty)
{
	struct registry_want w = want(NULL, NULL);

	ck_assert_int_eq(make("[speech]\nasr =\nmt =\ntts =\n"), OK);
	ck_assert_ptr_null(registry_asr(reg, "en", &w));
	ck_assert_ptr_null(registry_mt(reg, "en", "es", &w));
	ck_assert_ptr_null(registry_tts(reg, "en", &w));
	ck_assert(!registry_recognizes(reg, "en"));
	ck_assert(!registry_recognizes(reg, "auto"));
	ck_assert(!registry_pairs(reg, "en", "es"));
	ck_assert(registry_pairs(reg, "en", "en-gb"));
	ck_assert(!registry_speaks(reg, "en"));
}
END_TEST

static const char *const wrong[] = { "[speech]\ntts = nobody\n",
	"[speech]\ntts = espeak nobody\n", "[speech]\ntts = apertium\n",
	"[speech]\nasr = espeak\n", "[speech]\nmt = espeak\n", "[speech]\ntts = esp\n",
	"[engine.x]\nmodel = a\n[speech]\ntts = x\n",
	"[engine.x]\nkind = http\n[speech]\ntts = x\n",
	"[engine.x]\nkind = openai\n[speech]\nmt = x\n",
	"[engine.x]\nkind = whistle\n[speech]\ntts = x\n", "[speech]\nasr = sherpa\n",
	"[engine.x]\nkind = sherpa\nmodel = /m\nlanguages = en\n[speech]\nasr = x\n",
	"[engine.x]\nkind = sherpa\nlibrary = /l\nlanguages = en\n[speech]\ntts = x\n",
	"[engine.x]\nkind = sherpa\nlibrary = /l\nmodel = /m\n[speech]\ntts = x\n",
	"[engine.x]\nkind = whisper\nlibrary = /l\n[speech]\nasr = x\n" };

START_TEST(engines_that_cannot_be_are_refused)
{
	ck_assert_int_eq(make(wrong[_i]), ERR_REFUSED);
	ck_assert_ptr_null(reg);
}
END_TEST

/* The next engine is used until the file exists. */
START_TEST(a_model_may_come_later)
{
	struct registry_want w = want(NULL, NULL);

	ck_assert_int_eq(
	    make("[speech]\nasr = x pocketsphinx\n[engine.x]\nkind = whisper\n"
		 "library = /nowhere/libwhisper.so\nmodel = /nowhere/m\n"),
	    OK);
	ck_assert_str_eq(id(registry_asr(reg, "de", &w)), "x");
}
END_TEST

/* ---- health ---- */

static void
go_wrong(const char *which, enum err e, int times, int64_t step_us)
{
	struct registry_want w = want(which, NULL);
	const struct registry_engine *en = registry_tts(reg, "en", &w);

	ck_assert_str_eq(id(en), which);
	for (int i = 0; i < times; i++, now += step_us)
		registry_report(reg, &(struct registry_call){ en, "en", NULL, e }, now);
}

static const enum err failures[] = { ERR_BUSY, ERR_TIMEOUT, ERR_FAILED };

START_TEST(five_failures_in_a_minute_pause_an_engine_for_half_a_minute)
{
	ck_assert_int_eq(make(SCRIPTS), OK);
	go_wrong("one", failures[_i], 4, 14 * S_US);
	ck_assert_str_eq(order("en", NULL), "one two three");
	go_wrong("one", failures[_i], 1, 0);
	ck_assert_str_eq(order("en", NULL), "two three");
	ck_assert_str_eq(order("en", "one"), "two three");
	now += 30 * S_US - 1;
	ck_assert_str_eq(order("en", NULL), "two three");
	now += 1;
	ck_assert_str_eq(order("en", NULL), "one two three");
}
END_TEST

/* A caller of Apertium gives up after 25 s: five failures take two minutes. */
START_TEST(an_engine_that_fails_slowly_is_left_alone_too)
{
	struct registry_want w = want(NULL, NULL);
	struct registry_call call = { .from = "en", .how = ERR_TIMEOUT };

	ck_assert_int_eq(make(SCRIPTS), OK);
	call.engine = registry_tts(reg, "en", &w);
	call.took_us = _i == 0 ? 25 * S_US : 0;
	for (int i = 0; i < 5; i++) {
		ck_assert_str_eq(order("en", NULL), "one two three");
		now += 26 * S_US;
		registry_report(reg, &call, now);
	}
	ck_assert_str_eq(order("en", NULL), _i == 0 ? "two three" : "one two three");
}
END_TEST

START_TEST(an_engine_that_fails_again_is_left_alone_at_once)
{
	ck_assert_int_eq(make(SCRIPTS), OK);
	go_wrong("one", ERR_TIMEOUT, 5, S_US);
	now += 30 * S_US;
	go_wrong("one", ERR_TIMEOUT, 1, 0);
	ck_assert_str_eq(order("en", NULL), "two three");
	now += 60 * S_US;
	go_wrong("one", ERR_TIMEOUT, 1, 0); /* the other failures were a minute ago */
	ck_assert_str_eq(order("en", NULL), "one two three");
}
END_TEST

START_TEST(failures_now_and_then_do_no_harm)
{
	ck_assert_int_eq(make(SCRIPTS), OK);
	go_wrong("one", ERR_TIMEOUT, 40, 15 * S_US + 1);
	ck_assert_str_eq(order("en", NULL), "one two three");
	go_wrong("one", OK, 10, 0);
	go_wrong("one", ERR_REFUSED, 10, 0);
	go_wrong("one", ERR_UNSUPPORTED, 10, 0);
	ck_assert_str_eq(order("en", NULL), "one two three");
}
END_TEST

START_TEST(health_is_of_one_list_and_asks_nothing_of_what_can_be_asked_for)
{
	struct registry_want w = want(NULL, NULL);

	ck_assert_int_eq(
	    make("[speech]\nasr = script\nmt = script\ntts = script\n"), OK);
	go_wrong("script", ERR_FAILED, 5, 0);
	w.now_us = now;
	ck_assert_ptr_null(registry_tts(reg, "en", &w));
	ck_assert_ptr_nonnull(registry_asr(reg, "en", &w));
	ck_assert_ptr_nonnull(registry_mt(reg, "en", "es", &w));
	ck_assert(registry_speaks(reg, "en"));
}
END_TEST

/* Makes five failures of the pair. */
static void
fail_pair(const char *from, const char *to)
{
	struct registry_want w = want(NULL, NULL);
	const struct registry_call call = { registry_mt(reg, from, to, &w), from, to,
		ERR_TIMEOUT };

	for (int i = 0; i < 5; i++)
		registry_report(reg, &call, now);
}

START_TEST(a_pair_that_fails_is_left_alone_and_no_other_one)
{
	static const char *const others[][2] = { { "en", "fr" }, { "es", "en" },
		{ "de", "es" }, { "en", "es-mx" } };
	struct registry_want w = want(NULL, NULL);

	ck_assert_int_eq(make("[speech]\nasr = script\nmt = script\n"), OK);
	fail_pair("en", "es");
	ck_assert_ptr_null(registry_mt(reg, "en", "es", &w));
	ck_assert_ptr_null(registry_mt(reg, "EN", "ES", &w));
	for (int i = 0; i < COUNT(others); i++)
		ck_assert_ptr_nonnull(registry_mt(reg, others[i][0], others[i][1], &w));
	fail_pair("en", "ES_mx");
	ck_assert_ptr_null(registry_mt(reg, "en", "es-mx", &w));
	w.now_us += 30 * S_US;
	ck_assert_ptr_nonnull(registry_mt(reg, "en", "es", &w));
}
END_TEST

START_TEST(a_language_that_fails_is_left_alone_and_no_other_one)
{
	struct registry_want w = want(NULL, NULL);

	ck_assert_int_eq(make(SCRIPTS), OK);
	go_wrong("one", ERR_FAILED, 5, 0);
	ck_assert_str_eq(order("en", NULL), "two three");
	ck_assert_str_eq(order("de", NULL), "one two three");
	w.now_us = now;
	ck_assert_str_eq(id(registry_asr(reg, "en", &w)), "one");
}
END_TEST

static void *
hammer(void *arg)
{
	struct registry *mine = registry_hold(arg);
	struct registry_want w = { .now_us = S_US };

	for (int i = 0; i < 20000; i++) {
		const struct registry_engine *en = registry_tts(mine, "en", &w);

		w.now_us += S_US;
		if (en != NULL)
			registry_report(mine,
			    &(struct registry_call){
				en, "en", NULL, i % 3 == 0 ? ERR_FAILED : OK },
			    w.now_us);
	}
	registry_drop(mine);
	return NULL;
}

START_TEST(many_threads_may_ask_and_the_last_to_go_frees_it)
{
	pthread_t t[4];

	ck_assert_int_eq(make(SCRIPTS), OK);
	for (int i = 0; i < 4; i++)
		ck_assert_int_eq(pthread_create(&t[i], NULL, hammer, reg), 0);
	for (int i = 0; i < 4; i++)
		pthread_join(t[i], NULL);
	ck_assert_str_eq(order("fr", NULL) != NULL ? "told" : "", "told");
}
END_TEST

/* ---- what can be asked for ---- */

START_TEST(sources_are_spoken_languages_and_their_regions)
{
	static const char *const good[] = { "en", "EN_us", "es-mx", "eo", "yue", "auto",
		"pt_BR" };
	static const char *const bad[] = { "az", "is", "en-xx", "xx", "original", "",
		"a-code-longer-than-any" };

	ck_assert_int_eq(make("[speech]\nasr = script\nmt = script\n"), OK);
	for (int i = 0; i < COUNT(good); i++)
		ck_assert_msg(registry_recognizes(reg, good[i]), "%s", good[i]);
	for (int i = 0; i < COUNT(bad); i++)
		ck_assert_msg(!registry_recognizes(reg, bad[i]), "%s", bad[i]);
	ck_assert(registry_pairs(reg, "en_US", "ES-mx"));
	ck_assert(registry_pairs(reg, "en", "is"));
	ck_assert(!registry_pairs(reg, "en", "eo"));
	ck_assert(!registry_pairs(reg, "en", "auto"));
	ck_assert(!registry_pairs(reg, "auto", "en"));
	ck_assert(!registry_pairs(reg, "is", "en"));
}
END_TEST

static const struct target_language *
target_of(const struct languages *l, const char *code)
{
	const struct target_language *t = l->target.items;

	for (size_t i = 0; i < l->target.n; i++)
		if (strcmp(t[i].code, code) == 0)
			return &t[i];
	return NULL;
}

static const struct source_language *
source_of(const struct languages *l, const char *code)
{
	const struct source_language *s = l->source.items;

	for (size_t i = 0; i < l->source.n; i++)
		if (strcmp(s[i].code, code) == 0)
			return &s[i];
	return NULL;
}

static const struct language_pair *
pair_of(const struct languages *l, const char *from, const char *to)
{
	const struct language_pair *p = l->pairs.items;

	for (size_t i = 0; i < l->pairs.n; i++)
		if (strcmp(p[i].source, from) == 0 && strcmp(p[i].target, to) == 0)
			return &p[i];
	return NULL;
}

#define NARROW                                                                         \
	"[engine.ear]\nkind = script\nlanguages = en es-mx\n"                          \
	"[engine.pen]\nkind = script\nlanguages = en es fr gl\n"                       \
	"[speech]\nasr = ear\nmt = pen\ntts = espeak script\n"                         \
	"[engine.script]\nlanguages = fr\n"

/* Checks every code of every list, whether or not it is shown. */
START_TEST(what_is_told_is_what_is_taken)
{
	static const char *const *const lists[] = { lang_spoken, lang_voice,
		lang_target, lang_glossary_any };
	static const char *const settings[] = { NARROW,
		"[speech]\nasr = script\nmt = script\ntts = script\n" };
	struct languages l;

	ck_assert_int_eq(make(settings[_i]), OK);
	l = registry_languages(reg, mem);
	for (int i = 0; i < COUNT(lists); i++)
		for (const char *const *s = lists[i]; *s != NULL; s++) {
			bool hears =
			    strcmp(*s, "auto") != 0 && registry_recognizes(reg, *s);

			ck_assert_msg(
			    hears == (source_of(&l, *s) != NULL), "source %s", *s);
			for (const char *const *t = lang_voice; *t != NULL; t++)
				ck_assert_msg((hears && registry_pairs(reg, *s, *t)) ==
						  (pair_of(&l, *s, *t) != NULL),
				    "%s to %s", *s, *t);
		}
}
END_TEST

START_TEST(languages_tell_engines_and_voices)
{
	struct languages l;

	ck_assert_int_eq(make(NARROW), OK);
	l = registry_languages(reg, mem);
	ck_assert_str_eq(texts_json(mem, &source_of(&l, "en")->engines), "[\"ear\"]");
	ck_assert(!source_of(&l, "en")->detect);
	ck_assert_ptr_nonnull(source_of(&l, "en-gb"));
	ck_assert_ptr_null(source_of(&l, "es"));
	ck_assert_ptr_null(source_of(&l, "auto"));
	ck_assert_str_eq(pair_of(&l, "en", "fr")->engine, "pen");
	ck_assert_ptr_null(pair_of(&l, "en", "fr")->via);
	ck_assert_ptr_null(pair_of(&l, "en", "en-us")->engine);
	ck_assert_ptr_null(pair_of(&l, "en", "de"));
	ck_assert(target_of(&l, "fr")->speech);
	ck_assert_str_eq(
	    texts_json(mem, &target_of(&l, "fr")->engines), "[\"espeak\",\"script\"]");
	ck_assert_str_eq(texts_json(mem, &target_of(&l, "fr")->voices),
	    "[\"default_low\",\"default_high\"]");
	ck_assert(!target_of(&l, "gl")->speech);
	ck_assert_uint_eq(target_of(&l, "gl")->voices.n, 0);
	ck_assert_uint_eq(target_of(&l, "gl")->engines.n, 0);
	ck_assert_ptr_null(target_of(&l, "de"));
}
END_TEST

START_TEST(without_engines_there_is_nothing_to_tell)
{
	struct languages l;

	ck_assert_int_eq(make("[speech]\nasr =\n"), OK);
	l = registry_languages(reg, mem);
	ck_assert_uint_eq(l.source.n + l.target.n + l.pairs.n, 0);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("registry");
	TCase *t = tcase_create("all");

	tcase_set_timeout(t, 20);
	tcase_add_checked_fixture(t, setup, teardown);
	tcase_add_test(t, the_first_able_engine_is_asked_then_the_next);
	tcase_add_test(t, the_wanted_engine_comes_first_when_it_is_able);
	tcase_add_test(t, each_list_has_its_own_engines);
	tcase_add_test(t, a_list_may_be_empty);
	tcase_add_loop_test(t, engines_that_cannot_be_are_refused, 0, COUNT(wrong));
	tcase_add_test(t, a_model_may_come_later);
	tcase_add_loop_test(t,
	    five_failures_in_a_minute_pause_an_engine_for_half_a_minute, 0,
	    COUNT(failures));
	tcase_add_loop_test(t, an_engine_that_fails_slowly_is_left_alone_too, 0, 2);
	tcase_add_test(t, an_engine_that_fails_again_is_left_alone_at_once);
	tcase_add_test(t, failures_now_and_then_do_no_harm);
	tcase_add_test(
	    t, health_is_of_one_list_and_asks_nothing_of_what_can_be_asked_for);
	tcase_add_test(t, a_pair_that_fails_is_left_alone_and_no_other_one);
	tcase_add_test(t, a_language_that_fails_is_left_alone_and_no_other_one);
	tcase_add_test(t, many_threads_may_ask_and_the_last_to_go_frees_it);
	tcase_add_test(t, sources_are_spoken_languages_and_their_regions);
	tcase_add_loop_test(t, what_is_told_is_what_is_taken, 0, 2);
	tcase_add_test(t, languages_tell_engines_and_voices);
	tcase_add_test(t, without_engines_there_is_nothing_to_tell);
	suite_add_tcase(s, t);
	return unit_run(s);
}
