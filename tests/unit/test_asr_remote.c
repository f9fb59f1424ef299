/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Recognizers behind HTTP, against engine-server. */
#include "tests/unit/asr_remote_fixture.h"

static const struct {
	const struct asr_engine *en;
	const char *lang, *allowed;
	bool known;
} codes[] = {
	/* clang-format off */
	{ &asr_openai, "es",      NULL,    true },
	{ &asr_openai, "ES_mx",   NULL,    true },
	{ &asr_openai, "fil",     NULL,    true },
	{ &asr_openai, "zh-hans", NULL,    true },
	{ &asr_openai, "ga",      NULL,    false },
	{ &asr_openai, "es",      "en fr", false },
	{ &asr_openai, "es-mx",   "en,es", true },
	{ &asr_openai, "auto",    "es",    true },
	{ &asr_http,   "ga",      NULL,    true },
	{ &asr_http,   "ga",      "en",    false },
	{ &asr_http,   "x&y=z",   NULL,    false },
	{ &asr_script, "ga",      NULL,    true },
	{ &asr_script, "ga",      "en",    false },
	/* clang-format on */
};

START_TEST(which_languages_they_know)
{
	struct asr_want want = { .lang = codes[_i].lang };
	const struct asr_engine *en = codes[_i].en;
	struct asr *a = NULL;

	at.languages = codes[_i].allowed;
	ck_assert_int_eq(en->knows(&at, want.lang), codes[_i].known);
	ck_assert_int_eq(
	    en->open(&at, &want, &a), codes[_i].known ? OK : ERR_UNSUPPORTED);
	en->close(a);
}
END_TEST

/* ---- http ---- */

START_TEST(a_server_of_the_operators_own_is_sent_a_wav_file)
{
	const struct asr_engine *en = &asr_http;
	struct asr_result h;
	struct asr *a;

	at.url = address("/hear");
	a = opened(en, "Ga");
	feed_value(en, a, 320, -3);
	h = finished(en, a);
	ck_assert_str_eq(h.text, "320 samples of sum -960, ?language=ga");
	ck_assert_str_eq(h.lang, "Ga");
	en->close(a);
	at.url = address("/hear?to=me");
	a = opened(en, "auto");
	feed_value(en, a, 320, 3);
	h = finished(en, a);
	ck_assert_str_eq(h.text, "320 samples of sum 960, ?to=me&language=auto");
	ck_assert_str_eq(h.lang, "pt_br");
	en->close(a);
}
END_TEST

/* ---- servers at fault ---- */

static const struct {
	const char *fault;
	enum err e;
} faults[] = {
	/* clang-format off */
	{ "/status-429",  ERR_BUSY },
	{ "/status-500",  ERR_BUSY },
	{ "/status-503",  ERR_BUSY },
	{ "/status-400",  ERR_REFUSED },
	{ "/status-401",  ERR_REFUSED },
	{ "/status-404",  ERR_REFUSED },
	{ "/redirect",    ERR_REFUSED },
	{ "/html",        ERR_REFUSED },
	{ "/json",        ERR_REFUSED }, /* a JSON object without a text */
	{ "/empty",       ERR_REFUSED },
	{ "/odd",         ERR_REFUSED },
	{ "/garbage",     ERR_REFUSED },
	{ "/flood",       ERR_REFUSED },
	{ "/headers",     ERR_REFUSED },
	{ "/cut",         ERR_TIMEOUT },
	{ "/silent",      ERR_TIMEOUT },
	{ "/drip",        ERR_TIMEOUT },
	/* clang-format on */
};

START_TEST(a_server_at_fault_fails_one_phrase)
{
	static const struct asr_engine *const both[] = { &asr_openai, &asr_http };
	struct asr_result h;
	struct asr *a;

	at.timeout_ms = 700;
	for (int i = 0; i < 2; i++) {
		at.url = address(faults[_i].fault);
		if (i == 1)
			at.url = arena_printf(mem, "%s/hear", at.url);
		a = opened(both[i], "en");
		feed_value(both[i], a, 160, 1);
		ck_assert_int_eq(both[i]->partial(a, mem, &h), OK);
		ck_assert_str_eq(h.text, "");
		ck_assert_int_eq(both[i]->finish(a, mem, &h), faults[_i].e);
		ck_assert_str_eq(finished(both[i], a).text, ""); /* forgotten */
		both[i]->close(a);
	}
}
END_TEST

START_TEST(a_missing_answer_is_a_timeout)
{
	struct asr_result h;
	struct asr *a;

	at.url = "http://127.0.0.1:1";
	a = opened(&asr_openai, "en");
	feed_value(&asr_openai, a, 160, 1);
	ck_assert_int_eq(asr_openai.finish(a, mem, &h), ERR_TIMEOUT);
	asr_openai.close(a);
}
END_TEST

START_TEST(a_private_address_is_refused_unless_it_is_allowed)
{
	struct asr_result h;
	struct asr *a;

	at.url = address("/hear");
	at.allow_private = false;
	a = opened(&asr_http, "en");
	feed_value(&asr_http, a, 160, 1);
	ck_assert_int_eq(asr_http.finish(a, mem, &h), ERR_REFUSED);
	asr_http.close(a);
}
END_TEST

static void *
hear_many(void *arg)
{
	struct arena *own = arena_new();
	const int16_t s = (int16_t)(intptr_t)arg;
	struct asr *a = opened(&asr_http, "en");
	const char *want =
	    arena_printf(own, "1 samples of sum %d, ?language=en", (int)s);
	struct asr_result h;

	for (int i = 0; i < 20; i++) {
		ck_assert_int_eq(asr_http.feed(a, &s, 1), OK);
		ck_assert_int_eq(asr_http.finish(a, own, &h), OK);
		ck_assert_str_eq(h.text, want);
	}
	asr_http.close(a);
	http_close();
	arena_free(own);
	return NULL;
}

START_TEST(streams_at_once_are_not_mixed_up)
{
	pthread_t thread[4];

	at.url = address("/hear");
	for (int i = 0; i < 4; i++)
		ck_assert_int_eq(pthread_create(&thread[i], NULL, hear_many,
				     (void *)(intptr_t)(i + 1)),
		    0);
	for (int i = 0; i < 4; i++)
		pthread_join(thread[i], NULL);
}
END_TEST

static void
add_tests(TCase *t)
{
	tcase_add_loop_test(t, which_languages_they_know, 0, COUNT(codes));
	tcase_add_test(t, a_server_of_the_operators_own_is_sent_a_wav_file);
	tcase_add_loop_test(t, a_server_at_fault_fails_one_phrase, 0, COUNT(faults));
	tcase_add_test(t, a_missing_answer_is_a_timeout);
	tcase_add_test(t, a_private_address_is_refused_unless_it_is_allowed);
	tcase_add_test(t, streams_at_once_are_not_mixed_up);
}

int
main(void)
{
	return run_beside_server("asr_remote", add_tests);
}
