/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The recogniser "openai": its requests, its answers, partial texts. */
#include "net/http.h"
#include "tests/unit/asr_remote_fixture.h"

/* ---- openai ---- */

START_TEST(an_openai_server_is_sent_the_phrase)
{
	const struct asr_engine *en = &asr_openai;
	struct asr *a;

	at.url = address("");
	a = opened(en, "ES_mx");
	feed_value(en, a, 100, 7);
	ck_assert_str_eq(partly(en, a).text, ""); /* too short for a request */
	feed_value(en, a, 100, -9);
	ck_assert_str_eq(finished(en, a).text,
	    "200 samples of sum -200, language 'es', model 'whisper-1', prompt ''");
	feed_value(en, a, 10, 1);
	en->drop(a);
	ck_assert_str_eq(partly(en, a).text, "");
	feed_value(en, a, 1, 5);
	ck_assert_ptr_nonnull(strstr(finished(en, a).text,
	    "1 samples of sum 5, language 'es', model 'whisper-1', "
	    "prompt '200 samples of sum -200, "));
	ck_assert_str_eq(finished(en, a).text, "");
	ck_assert_str_eq(finished(en, a).lang, "ES_mx");
	en->close(a);
	en->close(NULL);
}
END_TEST

START_TEST(a_phrase_has_its_limit)
{
	const struct asr_engine *en = &asr_openai;
	struct asr *a;

	at.url = address("");
	a = opened(en, "en");
	for (int i = 0; i < 40; i++)
		feed_value(en, a, S, 1);
	ck_assert_ptr_nonnull(
	    strstr(finished(en, a).text, "512000 samples of sum 512000,"));
	en->close(a);
}
END_TEST

START_TEST(hints_are_a_prompt_of_800_characters)
{
	const struct asr_engine *en = &asr_openai;
	const char *long_one = memset(arena_alloc(mem, 781), 'x', 780), *text;
	const char *hints[] = { "Dragoman", "Żółw 1", long_one, "y" };
	struct asr_want want = { .lang = "en", .hints = { hints, 2 } };
	struct asr *a;

	at.url = address("");
	at.model = "large";
	for (int i = 0; i < 2; i++, want.hints.n = 4) {
		ck_assert_int_eq(en->open(&at, &want, &a), OK);
		feed_value(en, a, 2, 1);
		text = finished(en, a).text;
		ck_assert_ptr_nonnull(strstr(text, "model 'large'"));
		ck_assert_ptr_nonnull(
		    strstr(text, i == 0 ? "prompt 'Dragoman, Żółw 1'"
					: "prompt 'Dragoman, Żółw 1, xxx"));
		ck_assert_ptr_null(strstr(text, "y'"));
		en->close(a);
	}
	/* 801 together with the rest */
	hints[2] = arena_printf(mem, "%sxxx", long_one);
	ck_assert_int_eq(en->open(&at, &want, &a), OK);
	feed_value(en, a, 2, 1);
	ck_assert_ptr_nonnull(
	    strstr(finished(en, a).text, "prompt 'Dragoman, Żółw 1'"));
	en->close(a);
}
END_TEST

static const struct {
	const char *model, *candidates[3], *lang, *asked;
} heard_in[] = {
	/* clang-format off */
	{ "hears-spanish", { NULL },              "es",    "language ''" },
	{ "hears-spanish", { "en", "ES_mx" },     "ES_mx", "language ''" },
	{ "hears-spanish", { "en", "fr" },        "es",    "language ''" },
	{ "hears-spanish", { "en" },              "en",    "language 'en'" },
	{ "hears-spanish", { "ga", "fr" },        "fr",    "language 'fr'" },
	{ "hears-tagalog", { "en", "fil" },       "fil",   "language ''" },
	{ "hears-nothing", { "auto", "fr", "de"}, "fr",    "language ''" },
	{ "hears-nothing", { NULL },              "en",    "language ''" },
	/* clang-format on */
};

START_TEST(a_server_tells_the_language_when_it_is_not_known)
{
	const struct asr_engine *en = &asr_openai;
	const char *const *c = heard_in[_i].candidates;
	struct asr_want want = { .lang = "AUTO" };
	struct asr_result h;
	struct asr *a;

	while (want.candidates.n < 3 && c[want.candidates.n] != NULL)
		want.candidates.n++;
	want.candidates.items = arena_alloc(mem, sizeof(heard_in[_i].candidates));
	memcpy(want.candidates.items, c, sizeof(heard_in[_i].candidates));
	at.url = address("");
	at.model = heard_in[_i].model;
	ck_assert_int_eq(en->open(&at, &want, &a), OK);
	feed_value(en, a, 2, 1);
	h = finished(en, a);
	ck_assert_str_eq(h.lang, heard_in[_i].lang);
	ck_assert_ptr_nonnull(strstr(h.text, heard_in[_i].asked));
	en->close(a);
}
END_TEST

START_TEST(a_language_is_told_by_the_server_only_when_it_was_asked)
{
	struct asr *a;

	at.url = address("");
	at.model = "hears-spanish";
	a = opened(&asr_openai, "EN_gb");
	feed_value(&asr_openai, a, 2, 1);
	ck_assert_str_eq(finished(&asr_openai, a).lang, "EN_gb");
	asr_openai.close(a);
}
END_TEST

static int
counted(const char *what)
{
	return engine_server_count(&server, mem, what);
}

/* Opens it at a server of its own, because learnt facts are stored per server. */
static struct asr *
opened_at(const char *model)
{
	at.url = address("");
	at.model = model;
	return opened(&asr_openai, "en");
}

START_TEST(a_server_that_takes_plain_json_only_is_refused_once)
{
	int before = counted("heard");
	struct asr *a = opened_at("plain-model");

	for (int i = 0; i < 3; i++) {
		feed_value(&asr_openai, a, 100, 1);
		ck_assert_ptr_nonnull(
		    strstr(finished(&asr_openai, a).text, "model 'plain-model'"));
	}
	ck_assert_int_eq(counted("heard") - before, 3 + 1);
	asr_openai.close(a);
	at.model = "whisper-1"; /* the fact belongs to one model only */
	a = opened(&asr_openai, "en");
	feed_value(&asr_openai, a, 100, 1);
	ck_assert_str_ne(finished(&asr_openai, a).text, "");
	asr_openai.close(a);
}
END_TEST

START_TEST(a_language_to_detect_is_sent_as_the_settings_say)
{
	struct asr_result h;
	struct asr *a;

	at.url = address("");
	at.model = "needs-auto";
	for (int i = 0; i < 2; i++) {
		at.detect = i == 0 ? NULL : "auto";
		a = opened(&asr_openai, "auto");
		feed_value(&asr_openai, a, 100, 1);
		ck_assert_int_eq(
		    asr_openai.finish(a, mem, &h), i == 0 ? ERR_REFUSED : OK);
		asr_openai.close(a);
	}
	ck_assert_ptr_nonnull(strstr(h.text, "language 'auto'"));
}
END_TEST

START_TEST(segments_that_are_no_speech_are_left_out)
{
	struct asr *a = opened_at("noise-all");

	feed_value(&asr_openai, a, 100, 1);
	ck_assert_str_eq(finished(&asr_openai, a).text, "");
	asr_openai.close(a);
	a = opened_at("noise-half");
	feed_value(&asr_openai, a, 100, 1);
	ck_assert_str_eq(finished(&asr_openai, a).text, "Good morning.");
	asr_openai.close(a);
}
END_TEST

START_TEST(texts_are_judged_as_those_of_whisper)
{
	struct asr *a = opened_at("noise-loop");
	struct asr_result h;

	feed_value(&asr_openai, a, 100, 1);
	h = finished(&asr_openai, a);
	ck_assert_str_eq(h.text, "Good morning. (applause) we vote now");
	ck_assert_double_eq_tol(h.confidence, 0.607, 0.001);
	asr_openai.close(a);
}
END_TEST

/* ---- partial texts ---- */

static struct asr_result
await_partial(struct asr *a)
{
	struct asr_result h;

	for (int i = 0; i < 2000; i++) {
		h = partly(&asr_openai, a);
		if (*h.text != '\0')
			break;
		usleep(10000);
	}
	return h;
}

START_TEST(a_partial_text_comes_without_a_wait)
{
	struct asr *a = opened_at("slow-model");
	int before = counted("heard");

	feed_value(&asr_openai, a, 2 * S, 100);
	ck_assert_str_eq(partly(&asr_openai, a).text, "");
	ck_assert_ptr_nonnull(strstr(await_partial(a).text, "32000 samples"));
	/* too little new sound for another request */
	feed_value(&asr_openai, a, S, 100);
	ck_assert_ptr_nonnull(strstr(partly(&asr_openai, a).text, "32000 samples"));
	ck_assert_ptr_nonnull(strstr(finished(&asr_openai, a).text, "48000 samples"));
	ck_assert_int_eq(counted("heard") - before, 2);
	ck_assert_str_eq(partly(&asr_openai, a).text, "");
	asr_openai.close(a);
}
END_TEST

START_TEST(what_was_recognised_is_not_sent_again)
{
	struct asr *a = opened_at("slow-model");
	int before = counted("heard");

	/* the answer to this request has come; the next one is running */
	for (int i = 0; i < 2; i++) {
		feed_value(&asr_openai, a, 2 * S, 100);
		ck_assert_str_eq(partly(&asr_openai, a).text, "");
		if (i == 0)
			await_partial(a);
		feed_value(&asr_openai, a, S / 5, 1); /* the silence after the phrase */
		ck_assert_ptr_nonnull(
		    strstr(finished(&asr_openai, a).text, "32000 samples"));
	}
	ck_assert_int_eq(counted("heard") - before, 2);
	asr_openai.close(a);
}
END_TEST

START_TEST(a_final_text_does_not_wait_for_a_partial_one)
{
	struct asr *a;
	int64_t since_us;

	at.url = address("/late-20000");
	at.timeout_ms = 30000;
	a = opened(&asr_openai, "en");
	feed_value(&asr_openai, a, 2 * S, 100);
	partly(&asr_openai, a);
	at.url = address("");
	since_us = monotonic_us();
	feed_value(&asr_openai, a, S, 100);
	ck_assert_ptr_nonnull(strstr(finished(&asr_openai, a).text, "48000 samples"));
	asr_openai.close(a); /* the end of the stream does not change that */
	ck_assert_int_lt(monotonic_us() - since_us, 15 * S_US);
}
END_TEST

static void *
hear_slowly(void *arg)
{
	struct arena *own = arena_new();
	struct asr *a = opened(&asr_openai, "en");
	int16_t *s = arena_alloc(own, 3 * S * sizeof(*s));
	struct asr_result h;

	(void)arg;
	for (int i = 0; i < 3; i++) {
		ck_assert_int_eq(asr_openai.feed(a, s, 3 * S), OK);
		ck_assert_int_eq(asr_openai.finish(a, own, &h), OK);
		ck_assert_ptr_nonnull(strstr(h.text, "48000 samples"));
	}
	asr_openai.close(a);
	arena_free(own);
	return NULL;
}

START_TEST(a_server_is_sent_no_more_at_a_time_than_is_set)
{
	struct engine_server own = engine_server_start();
	pthread_t thread[4];

	at.url = arena_printf(mem, "http://127.0.0.1:%d", own.port);
	at.model = "slow-model";
	at.parallel = 1;
	at.timeout_ms = 30000;
	for (int i = 0; i < 4; i++)
		ck_assert_int_eq(
		    pthread_create(&thread[i], NULL, hear_slowly, NULL), 0);
	for (int i = 0; i < 4; i++)
		pthread_join(thread[i], NULL);
	ck_assert_int_eq(engine_server_count(&own, mem, "at_once"), 1);
	ck_assert_int_eq(engine_server_count(&own, mem, "heard"), 12);
	engine_server_stop(&own);
}
END_TEST

static void *
enter_gate(void *gate)
{
	ck_assert(engine_gate_enter(gate, monotonic_us() + 60 * S_US));
	return NULL;
}

START_TEST(a_partial_result_waits_for_no_place_and_gives_up_its_own)
{
	struct engine_gate *gate;
	pthread_t thread;

	at.url = address("/gate");
	at.parallel = 1;
	gate = engine_gate_of(&at);
	ck_assert(engine_gate_enter(gate, 0));
	ck_assert(!engine_gate_enter(gate, 0));
	ck_assert(!engine_gate_is_crowded(gate));
	ck_assert(!engine_gate_enter(gate, monotonic_us() + 1000));
	ck_assert_int_eq(pthread_create(&thread, NULL, enter_gate, gate), 0);
	for (int i = 0; i < 3000 && !engine_gate_is_crowded(gate); i++)
		usleep(10000);
	ck_assert(engine_gate_is_crowded(gate));
	engine_gate_leave(gate);
	pthread_join(thread, NULL);
	ck_assert(!engine_gate_is_crowded(gate));
	engine_gate_leave(gate);
	at.parallel = 0;
	ck_assert_ptr_null(engine_gate_of(&at));
	ck_assert(engine_gate_enter(NULL, 0));
}
END_TEST

START_TEST(a_long_phrase_is_not_sent_too_often)
{
	struct asr *a = opened_at("whisper-1");
	int before = counted("heard");

	for (int i = 0; i < 300; i++) { /* 30 s */
		feed_value(&asr_openai, a, S / 10, 100);
		partly(&asr_openai, a);
		usleep(5000);
	}
	ck_assert_ptr_nonnull(strstr(finished(&asr_openai, a).text, "480000 samples"));
	ck_assert_int_le(counted("heard") - before, 12);
	asr_openai.close(a);
}
END_TEST

START_TEST(phrases_and_partial_texts_share_a_connection)
{
	struct asr *a = opened_at("whisper-1");
	int before;

	http_close();
	before = counted("connections");
	http_close();
	for (int i = 0; i < 5; i++) {
		feed_value(&asr_openai, a, 2 * S, 100);
		ck_assert_str_ne(await_partial(a).text, "");
		feed_value(&asr_openai, a, S, 100);
		ck_assert_str_ne(finished(&asr_openai, a).text, "");
	}
	ck_assert_int_eq(counted("connections"), before + 1);
	asr_openai.close(a);
}
END_TEST

static void
add_tests(TCase *t)
{
	tcase_add_test(t, an_openai_server_is_sent_the_phrase);
	tcase_add_test(t, a_phrase_has_its_limit);
	tcase_add_test(t, hints_are_a_prompt_of_800_characters);
	tcase_add_loop_test(
	    t, a_server_tells_the_language_when_it_is_not_known, 0, COUNT(heard_in));
	tcase_add_test(t, a_language_is_told_by_the_server_only_when_it_was_asked);
	tcase_add_test(t, a_server_that_takes_plain_json_only_is_refused_once);
	tcase_add_test(t, a_language_to_detect_is_sent_as_the_settings_say);
	tcase_add_test(t, segments_that_are_no_speech_are_left_out);
	tcase_add_test(t, texts_are_judged_as_those_of_whisper);
	tcase_add_test(t, a_partial_text_comes_without_a_wait);
	tcase_add_test(t, what_was_recognised_is_not_sent_again);
	tcase_add_test(t, a_final_text_does_not_wait_for_a_partial_one);
	tcase_add_test(t, a_server_is_sent_no_more_at_a_time_than_is_set);
	tcase_add_test(t, a_partial_result_waits_for_no_place_and_gives_up_its_own);
	tcase_add_test(t, a_long_phrase_is_not_sent_too_often);
	tcase_add_test(t, phrases_and_partial_texts_share_a_connection);
}

int
main(void)
{
	return run_beside_server("asr_openai", add_tests);
}
