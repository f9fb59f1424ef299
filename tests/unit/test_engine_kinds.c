/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The table of the kinds of engines: missing parts of a row are reported. */
#include "speech/engine.h"
#include "tests/unit/unit.h"

#define HAS(ops, what)                                                                 \
	ck_assert_msg((ops)->what != NULL, "%s lacks " #ops "." #what, k->name)

static void
check_asr(const struct engine_kind *k, const struct asr_engine *asr)
{
	HAS(asr, knows);
	HAS(asr, open);
	HAS(asr, feed);
	HAS(asr, partial);
	HAS(asr, finish);
	HAS(asr, drop);
	HAS(asr, close);
}

static void
check_tts(const struct engine_kind *k, const struct tts_engine *tts)
{
	HAS(tts, speaks);
	HAS(tts, synthesize);
}

static void
check_clone(const struct engine_kind *k, const struct clone_engine *clone)
{
	HAS(clone, clone);
	HAS(clone, drop);
}

static bool
is_key(const char *word, size_t n)
{
	const struct conf_engine_key *s = conf_engine_keys;

	while (s->name != NULL && (strlen(s->name) != n || memcmp(s->name, word, n)))
		s++;
	return s->name != NULL;
}

/* Checks a kind's descriptions, and the settings that it needs. */
static void
check_settings(const struct engine_kind *k)
{
	const char *word = k->settings;

	ck_assert_msg(word != NULL, "%s lacks its settings", k->name);
	ck_assert_msg(k->help != NULL && *k->help != '\0', "%s lacks a help", k->name);
	ck_assert_msg(strlen(k->help) < 78, "%s: its help is too long", k->name);
	ck_assert_msg((k->timeout_ms == 0) == (strchr(word, '!') != NULL),
	    "%s: a section that it needs", k->name);
	for (size_t n; *(word += strspn(word, " !")) != '\0'; word += n)
		ck_assert_msg(is_key(word, n = strcspn(word, " ")),
		    "%s: there is no setting %s", k->name, word);
}

static void
check_mt(const struct engine_kind *k, const struct mt_engine *mt)
{
	HAS(mt, pairs);
	HAS(mt, translate);
	HAS(mt, list);
}

START_TEST(every_row_is_whole)
{
	for (const struct engine_kind *k = engine_kinds; k->name != NULL; k++) {
		ck_assert_msg(k->asr != NULL || k->mt != NULL || k->tts != NULL ||
				  k->clone != NULL,
		    "%s can nothing", k->name);
		ck_assert_ptr_eq(engine_find(k->name), k);
		check_settings(k);
		if (k->asr != NULL)
			check_asr(k, k->asr);
		if (k->mt != NULL)
			check_mt(k, k->mt);
		if (k->tts != NULL)
			check_tts(k, k->tts);
		if (k->clone != NULL)
			check_clone(k, k->clone);
	}
	ck_assert_ptr_null(engine_find("babel"));
	ck_assert_ptr_null(engine_find("none"));
	ck_assert_ptr_null(engine_find(""));
}
END_TEST

static const char *
lacks(const struct conf_engine *en)
{
	bool later;
	const char *what = engine_lacks(fixture.mem, en, &later);

	return what != NULL
		   ? arena_printf(fixture.mem, "%s%s", what, later ? "; later" : "")
		   : "nothing";
}

START_TEST(what_a_section_lacks_is_told)
{
	struct conf_engine en = conf_engine_none("x");

	fixture.mem = arena_new();
	en.kind = "espeak";
	ck_assert_str_eq(lacks(&en), "nothing");
	en.kind = "deepl";
	ck_assert_str_eq(lacks(&en), "url: is missing");
	en.kind = "sherpa";
	ck_assert_str_eq(lacks(&en), "library: is missing");
	en.library = "/nowhere/a.so";
	ck_assert_str_eq(lacks(&en), "model: is missing");
	en.model = "/nowhere/m";
	ck_assert_str_eq(lacks(&en), "languages: is missing");
	en.languages = "en";
	ck_assert_str_eq(
	    lacks(&en), "library: /nowhere/a.so: No such file or directory; later");
	en.library = "/proc/self/exe";
	ck_assert_str_eq(
	    lacks(&en), "model: /nowhere/m: No such file or directory; later");
	en.model = "/";
	ck_assert_str_eq(lacks(&en), "nothing");
	arena_free(fixture.mem);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("engine kinds");
	TCase *t = tcase_create("all");

	tcase_add_test(t, every_row_is_whole);
	tcase_add_test(t, what_a_section_lacks_is_told);
	suite_add_tcase(s, t);
	return unit_run(s);
}
