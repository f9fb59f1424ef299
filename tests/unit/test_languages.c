/* SPDX-License-Identifier: GPL-3.0-or-later */
/* GET /languages, the capabilities of engines, answered by the program system. */
#define UNIT_TEST
#include "cgi-bin/system.c"
#include "tests/unit/unit.h"

static const struct sql *const tables[] = { account_sql, blob_sql, channel_sql,
	queue_sql, schema_sql, session_sql, NULL };
static struct conf_engine script;

static void
forget_engines(void)
{
	registry_drop(known.engines);
	known.engines = NULL;
	known.until_us = 0;
}

static void
setup(void)
{
	forget_engines();
	known.settings = NULL;
	known.settings_us = 0;
	fixture_open("system", system_routes, tables);
	fixture.app.conf.speech_asr = "script";
	fixture.app.conf.speech_mt = "script";
	fixture.app.conf.speech_tts = "espeak";
	script = conf_engine_none("script");
	script.languages = "en es gl";
	fixture.app.conf.engines = &script;
}

static void
teardown(void)
{
	fixture_close();
}

static struct list
items(const struct response *a, const char *name)
{
	const struct json *l = json_get(json_get(a->json, "data"), name);
	struct buf b = { .mem = fixture.mem };

	ck_assert_ptr_nonnull(l);
	ck_assert_int_eq(l->type, JSON_LIST);
	for (const struct json *v = l->kids; v != NULL; v = v->next) {
		const char *text = json_text(fixture.mem, v);

		buf_put(&b, &text, sizeof(text));
	}
	return (struct list){ b.p, l->n };
}

static bool
tells(const struct response *a, const char *list, const char *item)
{
	struct list l = items(a, list);

	for (size_t i = 0; i < l.n; i++)
		if (strcmp(((const char **)l.items)[i], item) == 0)
			return true;
	return false;
}

START_TEST(languages_are_told_as_the_contract_has_them)
{
	struct response a = ask("GET /languages", NULL);

	answered(a, 200);
	is(a, "/ok", "true");
	ck_assert(tells(&a, "source",
	    "{\"code\":\"en\",\"engines\":[\"script\"],\"detect\":false}"));
	ck_assert(tells(&a, "target",
	    "{\"code\":\"es\",\"speech\":true,\"voices\":[\"default_low\","
	    "\"default_high\"],\"engines\":[\"espeak\"]}"));
	ck_assert(tells(&a, "target",
	    "{\"code\":\"gl\",\"speech\":false,\"voices\":[],\"engines\":[]}"));
	ck_assert(tells(&a, "pairs",
	    "{\"source\":\"en\",\"target\":\"es\",\"engine\":\"script\",\"via\":"
	    "null,\"second_engine\":null,\"quality\":null,"
	    "\"quality_measure\":null}"));
	ck_assert(tells(&a, "pairs",
	    "{\"source\":\"es\",\"target\":\"es-mx\",\"engine\":null,\"via\":null,"
	    "\"second_engine\":null,\"quality\":null,"
	    "\"quality_measure\":null}"));
	ck_assert_ptr_null(strstr(a.body, "\"fr\""));
}
END_TEST

START_TEST(any_credential_will_do_but_one_is_needed)
{
	struct response a;

	fixture.bearer = fixture_bearer(fixture.account, "voices:read");
	a = ask("GET /languages", NULL);
	answered(a, 200);
	fixture.bearer = fixture_bearer(fixture.account, "stream");
	a = ask("GET /languages", NULL);
	answered(a, 200);
	fixture.bearer = NULL;
	a = ask("GET /languages", NULL);
	refused(a, 401, "unauthorized");
	fixture.bearer = "Bearer dgm_nonsense";
	a = ask("GET /languages", NULL);
	refused(a, 401, "unauthorized");
}
END_TEST

START_TEST(what_engines_said_is_known_for_a_while)
{
	struct response a = ask("GET /languages", NULL), b;

	ck_assert_int_gt(known.until_us, monotonic_us() + 290 * S_US);
	known.languages.pairs.n = 1;
	b = ask("GET /languages", NULL);
	ck_assert_uint_eq(items(&b, "pairs").n, 1);
	known.until_us = monotonic_us();
	b = ask("GET /languages", NULL);
	assert_same_body(a.body, b.body);
}
END_TEST

START_TEST(settings_that_name_no_engine_are_a_fault_of_ours)
{
	struct response a;

	fixture.app.conf.speech_tts = "nobody";
	a = ask("GET /languages", NULL);
	refused(a, 500, "internal-server-error");
	fixture.app.conf.speech_tts = "espeak";
	a = ask("GET /languages", NULL);
	answered(a, 200);
}
END_TEST

/* Returns the item of a list with this language and, if given, target. */
static const struct json *
item(const struct response *a, const char *list, const char *language,
    const char *target)
{
	const struct json *l = json_get(json_get(a->json, "data"), list);

	ck_assert_ptr_nonnull(l);
	for (const struct json *v = l->kids; v != NULL; v = v->next) {
		const char *to = json_get_text(v, "target");

		if (strcmp(json_get_text(v, "language"), language) == 0 &&
		    (target == NULL || (to != NULL && strcmp(to, target) == 0)))
			return v;
	}
	return NULL;
}

static void
assert_item(
    const struct response *a, const char *list, const char *language, const char *text)
{
	const struct json *v = item(a, list, language, NULL);

	ck_assert_msg(v != NULL, "%s has no %s", list, language);
	ck_assert_str_eq(json_text(fixture.mem, v), text);
}

START_TEST(engines_are_listed_with_their_quality_and_a_better_model)
{
	struct response a;

	fixture.app.conf.speech_asr = "pocketsphinx";
	fixture.app.conf.share_dir = "share";
	a = ask("GET /languages/engines", NULL);
	answered(a, 200);
	assert_item(&a, "recognition", "en",
	    "{\"language\":\"en\",\"target\":null,\"engine\":\"pocketsphinx\","
	    "\"kind\":\"pocketsphinx\",\"model\":null,\"via\":null,"
	    "\"quality\":\"poor\",\"measure\":\"words_wrong\",\"measured\":20.6,"
	    "\"better\":\"whisper-base\",\"better_mb\":152,\"voice_id\":null}");
	assert_item(&a, "recognition", "es",
	    "{\"language\":\"es\",\"target\":null,\"engine\":null,\"kind\":null,"
	    "\"model\":null,\"via\":null,\"quality\":null,\"measure\":null,"
	    "\"measured\":null,\"better\":\"whisper-base\",\"better_mb\":152,\"voice_"
	    "id\":null}");
	assert_item(&a, "speech", "es",
	    "{\"language\":\"es\",\"target\":null,\"engine\":\"espeak\","
	    "\"kind\":\"espeak\",\"model\":null,\"via\":null,\"quality\":null,"
	    "\"measure\":null,\"measured\":null,\"better\":\"piper-es-davefx\","
	    "\"better_mb\":118,\"voice_id\":"
	    "\"e1948a22-d428-4e3a-807e-2114eb5d7758\"}");
	ck_assert_ptr_nonnull(item(&a, "translation", "en", "es"));
	ck_assert_ptr_null(item(&a, "translation", "es", "es-mx"));
	ck_assert_ptr_null(item(&a, "speech", "es-mx", NULL)); /* as es */
	ck_assert_ptr_null(item(&a, "recognition", "auto", NULL));
}
END_TEST

START_TEST(an_installed_model_has_its_quality_and_needs_no_better_one)
{
	struct response a;

	script.id = "whisper-base";
	script.kind = "whisper";
	script.library = "/lib/x.so";
	script.model = "/srv/ggml.bin";
	script.languages = "";
	fixture.app.conf.speech_asr = "whisper-base pocketsphinx";
	fixture.app.conf.speech_mt = "apertium";
	fixture.app.conf.share_dir = "share";
	a = ask("GET /languages/engines", NULL);
	answered(a, 200);
	assert_item(&a, "recognition", "en",
	    "{\"language\":\"en\",\"target\":null,\"engine\":\"whisper-base\","
	    "\"kind\":\"whisper\",\"model\":null,\"via\":null,\"quality\":\"good\","
	    "\"measure\":\"words_wrong\",\"measured\":3.1,\"better\":null,"
	    "\"better_mb\":null,\"voice_id\":null}");
	ck_assert_str_eq(json_get_text(item(&a, "translation", "en", "es"), "measure"),
	    "60 sentences of talks");
	ck_assert_ptr_nonnull(
	    json_get_text(item(&a, "translation", "en", "es"), "quality"));
	assert_item(&a, "recognition", "es",
	    "{\"language\":\"es\",\"target\":null,\"engine\":\"whisper-base\","
	    "\"kind\":\"whisper\",\"model\":null,\"via\":null,\"quality\":null,"
	    "\"measure\":null,\"measured\":null,\"better\":null,\"better_mb\":null,"
	    "\"voice_id\":null}");
}
END_TEST

START_TEST(pairs_that_a_model_would_add_or_improve_have_its_name)
{
	const char *dir = arena_printf(fixture.mem, "%s/share", fixture.dir);
	struct response a;

	mkdir(dir, 0755);
	mkdir(arena_printf(fixture.mem, "%s/models", dir), 0755);
	unit_write(arena_printf(fixture.mem, "%s/models/catalogue", dir),
	    "[{\"name\":\"to-es\",\"for\":\"translate\",\"languages\":\"en es\","
	    "\"over\":\"script\",\"size_mb\":20,\"licence\":\"MIT\",\"licence_url\":"
	    "\"u\",\"settings\":{\"kind\":\"http\"},\"sources\":[{\"by\":\"pip\","
	    "\"parts\":[{\"from\":\"x\",\"take\":[\"a\",\"b\"]}]}]},"
	    "{\"name\":\"to-is\",\"for\":\"translate\",\"languages\":\"en is\","
	    "\"size_mb\":20,\"licence\":\"MIT\",\"licence_url\":\"u\","
	    "\"settings\":{\"kind\":\"http\"},\"sources\":[{\"by\":\"pip\","
	    "\"parts\":[{\"from\":\"x\",\"take\":[\"a\",\"b\"]}]}]}]");
	fixture.app.conf.share_dir = dir;
	a = ask("GET /languages/engines", NULL);
	answered(a, 200);
	ck_assert_str_eq(
	    json_get_text(item(&a, "translation", "en", "es"), "better"), "to-es");
	ck_assert_ptr_null(
	    json_get_text(item(&a, "translation", "en", "gl"), "better"));
	ck_assert_ptr_null(
	    json_get_text(item(&a, "translation", "en", "is"), "engine"));
	ck_assert_str_eq(
	    json_get_text(item(&a, "translation", "en", "is"), "better"), "to-is");
}
END_TEST

START_TEST(without_a_catalogue_nothing_is_better)
{
	struct response a;

	fixture.app.conf.share_dir = "/nowhere";
	a = ask("GET /languages/engines", NULL);
	answered(a, 200);
	ck_assert_ptr_nonnull(item(&a, "speech", "es", NULL));
	ck_assert_ptr_null(strstr(a.body, "\"better\":\""));
}
END_TEST

START_TEST(changed_settings_are_in_force_at_once)
{
	const char *file = conf_file(fixture.mem);
	struct response a = ask("GET /languages/engines", NULL);

	ck_assert_ptr_nonnull(item(&a, "translation", "en", "gl"));
	unit_write(file, "[speech]\nasr = pocketsphinx\nmt = script\ntts = espeak\n"
			 "[engine.script]\nkind = script\nlanguages = en fr\n");
	a = ask("GET /languages/engines", NULL);
	answered(a, 200);
	ck_assert_ptr_null(item(&a, "translation", "en", "gl"));
	ck_assert_ptr_nonnull(item(&a, "translation", "en", "fr"));
	unit_write(file, "[speech]\nasr = pocketsphinx\nnonsense = 1\n");
	a = ask("GET /languages/engines", NULL);
	answered(a, 200);
	ck_assert_ptr_nonnull(item(&a, "translation", "en", "fr"));
}
END_TEST

START_TEST(a_language_is_heard_in_the_voice_of_its_engine)
{
	const char *build = getenv("BUILD");
	struct response a, again;

	fixture.app.conf.bin_dir =
	    arena_printf(fixture.mem, "%s/bin", build != NULL ? build : "build");
	a = ask("GET /languages/es/sample", NULL);
	answered(a, 200);
	ck_assert_ptr_nonnull(strstr(a.head, "Content-Type: audio/mpeg"));
	ck_assert_uint_gt(a.body_len, 2000);
	/* The second answer needs no engine, but other settings need it again. */
	fixture.app.conf.bin_dir = "/nowhere";
	forget_engines();
	again = ask("GET /languages/ES/sample", NULL);
	answered(again, 200);
	ck_assert_uint_eq(again.body_len, a.body_len);
	fixture.app.conf.speech_tts = "script";
	forget_engines();
	ck_assert_int_eq(ask("GET /languages/es/sample", NULL).status, 500);
}
END_TEST

START_TEST(a_language_without_a_voice_is_not_found)
{
	answered(ask("GET /languages/tlh/sample", NULL), 404);
	answered(ask("GET /languages/..%2fetc/sample", NULL), 404);
	answered(ask("GET /languages/auto/sample", NULL), 404);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("languages");
	TCase *t = tcase_create("all");

	tcase_set_timeout(t, 20);
	tcase_add_checked_fixture(t, setup, teardown);
	tcase_add_test(t, languages_are_told_as_the_contract_has_them);
	tcase_add_test(t, any_credential_will_do_but_one_is_needed);
	tcase_add_test(t, what_engines_said_is_known_for_a_while);
	tcase_add_test(t, settings_that_name_no_engine_are_a_fault_of_ours);
	tcase_add_test(t, engines_are_listed_with_their_quality_and_a_better_model);
	tcase_add_test(t, an_installed_model_has_its_quality_and_needs_no_better_one);
	tcase_add_test(t, pairs_that_a_model_would_add_or_improve_have_its_name);
	tcase_add_test(t, without_a_catalogue_nothing_is_better);
	tcase_add_test(t, changed_settings_are_in_force_at_once);
	tcase_add_test(t, a_language_is_heard_in_the_voice_of_its_engine);
	tcase_add_test(t, a_language_without_a_voice_is_not_found);
	suite_add_tcase(s, t);
	return unit_run(s);
}
