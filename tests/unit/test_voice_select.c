/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The voices that engines speak with.
 */
#include "speech/builtin_voices.h"
#include "speech/voice_select.h"
#include "tests/unit/registry_fixture.h"

#define MINE "b61e6ba5-3682-4dd6-b804-69b84b2d451c"
#define NAMED "81f5bb0c-5ff4-4f4b-9a3e-0d8b1c0a7f11"
#define LOW "b43f9a12-9bbe-4ceb-ab71-60722e462278"
#define HIGH "b3ba4db8-b208-4e7d-b339-768ff2af00b6"
#define BUILT_IN "81c2c467-56df-475e-a50e-517a0be41303"
#define PROFILE "{\"f0_hz\":150}"

static struct voice_found known;

static bool
look(void *arg, const char *uuid, struct voice_found *found)
{
	ck_assert_ptr_eq(arg, &known);
	*found = known;
	return strcmp(uuid, MINE) == 0 || strcmp(uuid, NAMED) == 0;
}

static struct voice_chosen
choose(const char *model, const char *voice)
{
	struct registry_want w = want(model, NULL);
	const struct registry_engine *en = registry_tts(reg, "en", &w);

	ck_assert_str_eq(id(en), model);
	return voice_choose(mem, en, voice, look, &known);
}

#define VOICES                                                                         \
	"[engine.api]\nkind = openai\nurl = http://127.0.0.1:1\n"                      \
	"voice.default_high = nova2\nvoice." NAMED " = anna\n"                         \
	"[engine.web]\nkind = http\nurl = http://127.0.0.1:1\n"                        \
	"[speech]\n"

/* name: of a voice that was cloned at the engine. */
static const struct {
	const char *speech; /* more settings of that section */
	const char *own, *external, *voice;
} cloned[] = {
	/* clang-format off */
	{ "clone = api\n",    "v17",   NULL, "v17" },
	{ "clone = api\n",    PROFILE, NULL, NULL },
	{ "clone = api\n",    NULL,    "e1", NULL },
	{ "external = api\n", "v17",   NULL, NULL },
	{ "external = api\n", PROFILE, "e1", "e1" },
	{ "clone = gpu\n",    "v17",   NULL, "v17" }, /* the same server */
	{ "clone = web\n",    "v17",   NULL, NULL },  /* another kind of engine */
	{ "external = none\n", "v17",  "e1", NULL },
	/* clang-format on */
};

START_TEST(a_cloned_voice_speaks_where_it_was_cloned)
{
	struct voice_chosen v;

	ck_assert_int_eq(make(arena_printf(mem,
			     VOICES "tts = espeak api web\n%s[engine.gpu]\nkind = "
				    "openai\nurl = http://127.0.0.1:1\n",
			     cloned[_i].speech)),
	    OK);
	known = (struct voice_found){ .voice = cloned[_i].own,
		.external = cloned[_i].external };
	v = choose("api", MINE);
	ck_assert_pstr_eq(v.voice, cloned[_i].voice);
	ck_assert_int_eq(v.warning != NULL, cloned[_i].voice == NULL);
}
END_TEST

/* The voices that the engine must get; "low" and "high" are its own. */
static const struct {
	const char *model, *id, *found, *voice;
	bool warned;
} chosen[] = {
	/* clang-format off */
	{ "espeak", "default_low",  PROFILE, "low",    false },
	{ "espeak", "default_high", PROFILE, "high",   false },
	{ "espeak", LOW,            NULL,    "low",    false },
	{ "espeak", HIGH,           NULL,    "high",   false },
	{ "espeak", MINE,           PROFILE, PROFILE,  false },
	{ "espeak", "B61E6BA5-3682-4DD6-B804-69B84B2D451C", PROFILE, PROFILE, false },
	{ "espeak", MINE,           "v17",   "low",    true },
	{ "espeak", MINE,           NULL,    "low",    true },
	{ "espeak", BUILT_IN,       NULL,    "profile", false },
	{ "espeak", "anna",         PROFILE, "low",    true },
	{ "espeak", "",             PROFILE, "low",    true },
	{ "espeak", "00000000-1111-4222-8333-444444444444", PROFILE, "low", true },
	{ "api",    "default_low",  PROFILE, "low",    false },
	{ "api",    "default_high", PROFILE, "nova2",  false },
	{ "api",    LOW,            NULL,    "low",    false },
	{ "api",    HIGH,           NULL,    "nova2",  false },
	{ "web",    HIGH,           NULL,    "high",   false },
	{ "api",    NAMED,          PROFILE, "anna",   false },
	{ "api",    MINE,           "v17",   "low",    true },
	{ "api",    BUILT_IN,       NULL,    "low",    true },
	{ "web",    MINE,           NULL,    MINE,     false },
	{ "web",    BUILT_IN,       NULL,    BUILT_IN, false },
	{ "web",    "anna",         NULL,    "low",    true },
	/* clang-format on */
};

START_TEST(a_voice_is_what_the_engine_can_make_of_it)
{
	struct voice_chosen v;
	const char *is;

	ck_assert_int_eq(make(VOICES "tts = espeak api web\n"), OK);
	known = (struct voice_found){ .voice = chosen[_i].found,
		.sample_url = "https://a/sample.wav" };
	v = choose(chosen[_i].model, chosen[_i].id);
	is = v.voice == NULL ? (v.high ? "high" : "low")
	     : strcmp(v.voice, builtin_find(BUILT_IN)->voice) == 0 ? "profile"
								   : v.voice;
	ck_assert_str_eq(is, chosen[_i].voice);
	if (chosen[_i].warned)
		ck_assert_str_eq(v.warning,
		    arena_printf(mem,
			"Voice ID '%s' is not available, using default voice",
			chosen[_i].id));
	else
		ck_assert_ptr_null(v.warning);
	if (strcmp(is, MINE) == 0)
		ck_assert_str_eq(v.sample_url, "https://a/sample.wav");
	if (strcmp(is, "low") == 0)
		ck_assert_ptr_null(v.sample_url);
}
END_TEST

/* The engine that speaks English first. */
static const struct {
	const char *model, *id, *found, *first;
} models[] = {
	{ "auto", "default_low", NULL, "flite" },
	{ NULL, "default_high", NULL, "flite" },
	{ "auto", "anna", NULL, "flite" },
	{ "nobody", MINE, PROFILE, "espeak" },
	{ "auto", BUILT_IN, NULL, "espeak" },
	{ "auto", MINE, "v17", "web" },
	{ "auto", NAMED, NULL, "api" },
	{ "flite", MINE, PROFILE, "flite" },
	{ "web", MINE, PROFILE, "web" },
};

START_TEST(an_engine_that_has_the_voice_comes_first)
{
	const struct voice_wish wish = { models[_i].id, "en-us", models[_i].model };
	struct registry_want w;

	ck_assert_int_eq(make(VOICES "tts = flite espeak api web\n"), OK);
	known = (struct voice_found){ .voice = models[_i].found };
	w = want(voice_model(mem, reg, &wish, look, &known), NULL);
	ck_assert_str_eq(id(registry_tts(reg, "en-us", &w)), models[_i].first);
}
END_TEST

/* Models with one voice, and those that have both or say nothing about it. */
#define MODEL_OF(name, more)                                                           \
	"[engine." name "]\nkind = sherpa\nlibrary = /bin/sh\nmodel = /tmp\n"          \
	"languages = en es\n" more

static const struct {
	const char *list, *lang, *id, *first, *voice;
} pitches[] = {
	/* clang-format off */
	{ "man woman flite espeak", "en", "default_low",  "man",    "0" },
	{ "man woman flite espeak", "en", "default_high", "woman",  "3" },
	{ "man woman flite espeak", "en", HIGH,           "woman",  "3" },
	{ "man flite espeak",       "en", "default_high", "flite",  NULL },
	{ "man espeak",             "es", "default_high", "man",    "0" },
	{ "woman espeak",           "es", "default_low",  "woman",  "3" },
	{ "man espeak",             "es", BUILT_IN,       "espeak", NULL },
	{ "espeak man",             "es", "default_high", "espeak", NULL },
	{ "both man",               "es", "default_high", "both",   "1" },
	{ "plain woman",            "es", "default_high", "plain",  NULL },
	/* clang-format on */
};

START_TEST(a_low_and_a_high_voice_are_of_the_best_engine_that_has_them)
{
	const struct voice_wish wish = { pitches[_i].id, pitches[_i].lang, "auto" };
	const struct registry_engine *en;
	struct registry_want w;

	ck_assert_int_eq(make(arena_printf(mem,
			     MODEL_OF("man", "voice.default_low = 0\n") MODEL_OF(
				 "woman", "voice.default_high = 3\n") MODEL_OF("both",
				 "voice.default_low = 0\nvoice.default_high = 1\n")
				 MODEL_OF("plain", "") "[speech]\ntts = %s\n",
			     pitches[_i].list)),
	    OK);
	w = want(voice_model(mem, reg, &wish, look, &known), NULL);
	en = registry_tts(reg, wish.lang, &w);
	ck_assert_str_eq(id(en), pitches[_i].first);
	if (strcmp(wish.id, BUILT_IN) != 0)
		ck_assert_pstr_eq(voice_choose(mem, en, wish.id, look, &known).voice,
		    pitches[_i].voice);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("say voice");
	TCase *t = tcase_create("all");

	tcase_add_checked_fixture(t, setup, teardown);
	tcase_add_loop_test(
	    t, a_cloned_voice_speaks_where_it_was_cloned, 0, COUNT(cloned));
	tcase_add_loop_test(
	    t, a_voice_is_what_the_engine_can_make_of_it, 0, COUNT(chosen));
	tcase_add_loop_test(
	    t, an_engine_that_has_the_voice_comes_first, 0, COUNT(models));
	tcase_add_loop_test(t,
	    a_low_and_a_high_voice_are_of_the_best_engine_that_has_them, 0,
	    COUNT(pitches));
	suite_add_tcase(s, t);
	return unit_run(s);
}
