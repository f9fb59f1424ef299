/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * TTS samples are made again, by the real engine in its child and by a simulated
 * server, with and without faults.
 */
#define UNIT_TEST
#include "tests/engine-server.h"
#include "tests/unit/voice_rows.h"

#include "cgi-bin/samples.c"

static const char *anna, *bert;

static void
setup(void)
{
	static const struct sql *const prepared[] = { account_sql,
		idempotent_response_sql, blob_sql, voice_sql, voice_processing_sql,
		NULL };

	fixture_open("samples", sample_routes, prepared);
	anna = put_voice(fixture.account, "Anna", 10 * S_US);
	bert = put_voice(fixture.account, "Bert", 20 * S_US);
	set_voice(bert, "status = 'failed'");
	put_sample(anna, "own_provider", "en", 11 * S_US);
	put_sample(anna, "external_provider", "de", 12 * S_US);
	fixture.app.conf.bin_dir = "build/bin";
	if (getenv("BUILD") != NULL)
		fixture.app.conf.bin_dir =
		    arena_printf(fixture.mem, "%s/bin", getenv("BUILD"));
}

static struct response
make(const char *voice, const char *data)
{
	return ask(arena_printf(fixture.mem, "POST /saas/voice/m/%s/tts-sample", voice),
	    arena_printf(fixture.mem, "{\"data\":%s}", data));
}

START_TEST(a_voice_that_is_not_ready_makes_no_sample)
{
	struct response a = make(bert, "{\"lang_code\":\"en\"}");

	refused(a, 409, "voice-not-ready");
	is(a, "/errors/0/detail", "The voice is failed, not ready.");
	a = make(anna, "{}");
	refused(a, 422, "validation-error");
	a = make(anna, "{\"lang_code\":\"xx\"}");
	refused(a, 422, "validation-error");
}
END_TEST

START_TEST(one_sample_is_made_at_a_time_until_the_lock_runs_out)
{
	struct response a;

	fixture.app.conf.speech_sample = "none";
	set_voice(anna, arena_printf(fixture.mem, "lock_us = %lld",
			    (long long)(now_us() + 60 * S_US)));
	a = make(anna, "{\"lang_code\":\"en\"}");
	refused(a, 403, "resource-locked");
	is(a, "/errors/0/error_code", "100051");
	set_voice(anna, "lock_us = 1");
	a = make(anna, "{\"lang_code\":\"en\"}");
	refused(a, 503, "engine-unavailable");
}
END_TEST

START_TEST(without_an_engine_the_old_samples_stay_and_the_lock_is_gone)
{
	const char *before = everything();
	struct response a;

	fixture.app.conf.speech_sample = "none";
	a = make(anna, "{\"lang_code\":\"Auto\"}");
	refused(a, 503, "engine-unavailable");
	ck_assert_str_eq(everything(), before);
}
END_TEST

START_TEST(a_sample_that_fails_leaves_no_lock)
{
	const char *path =
	    arena_printf(fixture.mem, "POST /saas/voice/m/%s/tts-sample", anna);
	const char *before = everything();
	struct response a = { .status = 0 };
	int n;

	fixture.app.conf.speech_sample = "none";
	for (n = 1; n < 5; n++) { /* statements: credential, voice, making, lock */
		db_fault(fixture.app.db, n, ERR_BUSY);
		a = ask(path, "{\"data\":{\"lang_code\":\"en\"}}");
		refused(a, 503, "service-busy");
		ck_assert_str_eq(everything(), before);
	}
	db_fault(fixture.app.db, 0, OK);
	a = ask(path, "{\"data\":{\"lang_code\":\"en\"}}");
	refused(a, 503, "engine-unavailable");
	ck_assert_str_eq(everything(), before);
}
END_TEST

START_TEST(a_new_sample_takes_the_place_of_all_earlier_ones)
{
	struct response a = make(anna, "{\"lang_code\":\"ES-MX\"}");

	ck_assert_int_eq(a.status, 200);
	is(a, "/data/voice_id", anna);
	is(a, "/data/provider", "own_provider");
	is(a, "/data/text/lang", "es-mx");
	is(a, "/data/audio_metadata/format", "mp3");
	ck_assert_int_eq(number("SELECT count(*) FROM tts_samples"), 1);
	ck_assert_int_eq(
	    number("SELECT count(*) FROM blobs WHERE state = 'checked'"), 1);
	ck_assert_int_eq(number("SELECT count(*) FROM blobs WHERE state = 'gone'"), 2);
	ck_assert_int_eq(number("SELECT stored_bytes - (SELECT sum(bytes) FROM blobs"
				" WHERE state = 'checked') FROM accounts"),
	    0);
	ck_assert_int_eq(number("SELECT count(*) FROM voices WHERE lock_us > 0"), 0);
}
END_TEST

START_TEST(a_voice_deleted_while_it_speaks_is_404)
{
	struct response a;

	sql("CREATE TRIGGER gone AFTER UPDATE OF lock_us ON voices WHEN new.lock_us > 0"
	    " BEGIN DELETE FROM voices WHERE id = new.id; END");
	a = make(anna, "{\"lang_code\":\"en\"}");
	refused(a, 404, "resource-not-found");
	ck_assert_int_eq(number("SELECT count(*) FROM tts_samples"), 0);
}
END_TEST

START_TEST(a_lock_of_a_clock_that_was_set_back_blocks_no_sample)
{
	struct response a;

	fixture.app.conf.speech_sample = "none";
	set_voice(anna, arena_printf(fixture.mem, "lock_us = %lld",
			    (long long)(now_us() + 86400 * S_US)));
	a = make(anna, "{\"lang_code\":\"en\"}");
	refused(a, 503, "engine-unavailable");
}
END_TEST

static const struct {
	const char *fault;
	int status;
	const char *slug;
} engines[] = {
	{ "", 200, NULL },
	{ "/status-401", 502, "bad-gateway" },
	{ "/status-429", 502, "bad-gateway" },
	{ "/status-500", 502, "bad-gateway" },
	{ "/garbage", 502, "bad-gateway" },
	{ "/silent", 504, "gateway-timeout" },
	{ "/cut", 504, "gateway-timeout" },
};

START_TEST(an_engine_that_fails_leaves_the_old_samples)
{
	struct conf_engine en;
	struct engine_server s = engine_server_start();
	const char *before = everything();
	struct response a;

	en = conf_engine_none("openai");
	en.kind = "openai";
	en.url = arena_printf(
	    fixture.mem, "http://127.0.0.1:%d%s", s.port, engines[_i].fault);
	en.key = "test-key";
	fixture.app.conf.engines = &en;
	fixture.app.conf.speech_sample = "openai";
	fixture.app.conf.engine_allow_private = true;
	fixture.app.conf.engine_timeout_ms = engines[_i].status == 504 ? 200 : 20000;
	a = make(anna, "{\"lang_code\":\"en\"}");
	engine_server_stop(&s);
	if (engines[_i].slug == NULL) {
		ck_assert_int_eq(a.status, 200);
		return;
	}
	ck_assert_int_eq(a.status, engines[_i].status);
	ck_assert_ptr_nonnull(strstr(said(&a, "/errors/0/type"), engines[_i].slug));
	ck_assert_str_eq(everything(), before);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("samples");
	TCase *t = tcase_create("all");

	tcase_add_checked_fixture(t, setup, fixture_close);
	tcase_set_timeout(t, 60);
	tcase_add_test(t, a_voice_that_is_not_ready_makes_no_sample);
	tcase_add_test(t, one_sample_is_made_at_a_time_until_the_lock_runs_out);
	tcase_add_test(t, without_an_engine_the_old_samples_stay_and_the_lock_is_gone);
	tcase_add_test(t, a_sample_that_fails_leaves_no_lock);
	tcase_add_test(t, a_new_sample_takes_the_place_of_all_earlier_ones);
	tcase_add_test(t, a_voice_deleted_while_it_speaks_is_404);
	tcase_add_test(t, a_lock_of_a_clock_that_was_set_back_blocks_no_sample);
	tcase_add_loop_test(
	    t, an_engine_that_fails_leaves_the_old_samples, 0, COUNT(engines));
	suite_add_tcase(s, t);
	return unit_run(s);
}
