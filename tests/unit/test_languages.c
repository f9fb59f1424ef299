/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * GET /languages: what engines can do, told by the program system.
 */
#define UNIT_TEST
#include "cgi-bin/system.c"
#include "tests/unit/unit.h"

static const struct sql *const tables[] = { account_sql, blob_sql, channel_sql,
	queue_sql, schema_sql, session_sql, NULL };
static struct conf_engine script;

static void
setup(void)
{
	known.until_us = 0;
	known.engines = NULL;
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
	    "null}"));
	ck_assert(tells(&a, "pairs",
	    "{\"source\":\"es\",\"target\":\"es-mx\",\"engine\":null,\"via\":null}"));
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
	suite_add_tcase(s, t);
	return unit_run(s);
}
