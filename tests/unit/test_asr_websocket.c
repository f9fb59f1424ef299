/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The recognizer over a WebSocket, against engine-server: each dialect, and connections
 * that break.
 */
#include <signal.h>

#include "base/clock.h"
#include "speech/engine.h"
#include "tests/engine-server.h"
#include "tests/unit/unit.h"

#define S ASR_RATE_HZ

static struct arena *mem;
static struct engine_at at;
static struct engine_server server;
static struct asr *a;

static void
setup(void)
{
	(void)fixture;
	mem = arena_new();
	server = engine_server_start();
	at = (struct engine_at){ .id = "it",
		.key = "test-key",
		.timeout_ms = 20000,
		.allow_private = true };
}

static void
teardown(void)
{
	asr_websocket.close(a);
	engine_server_stop(&server);
	arena_free(mem);
}

static const struct {
	const char *name, *path;
	double rate; /* samples at the server's rate for one of ours */
	const char *pieces;
} dialects[] = {
	{ "vosk", "/vosk", 1, "piece " },
	{ "sherpa", "/sherpa", 1, "piece " },
	{ "deepgram", "", 1, "piece " },
	{ "openai_realtime", "", 1.5, "" },
};

static void
open_at(int dialect, const char *fault)
{
	const struct asr_want want = { .lang = "en" };

	at.protocol = dialects[dialect].name;
	at.url = arena_printf(
	    mem, "ws://127.0.0.1:%d%s%s", server.port, fault, dialects[dialect].path);
	ck_assert_int_eq(asr_websocket.open(&at, &want, &a), OK);
}

/* Feeds a phrase of so many tenths of a second. */
static void
feed_tenths(int n)
{
	int16_t s[S / 10];

	for (int i = 0; i < S / 10; i++)
		s[i] = 7;
	for (int i = 0; i < n; i++)
		ck_assert_int_eq(asr_websocket.feed(a, s, S / 10), OK);
}

static const char *
await_partial(void)
{
	struct asr_result h = { .text = "" };

	for (int i = 0; i < 3000 && *h.text == '\0'; i++) {
		ck_assert_int_eq(asr_websocket.partial(a, mem, &h), OK);
		usleep(10000);
	}
	return h.text;
}

static const char *
whole(int dialect, int tenths)
{
	size_t n = (size_t)((double)(tenths * S / 10) * dialects[dialect].rate);

	return arena_printf(mem, "%zu samples of sum %zu", n, 7 * n);
}

static const char *
finished(void)
{
	struct asr_result h;

	ck_assert_int_eq(asr_websocket.finish(a, mem, &h), OK);
	ck_assert_str_eq(h.lang, "en");
	return h.text;
}

START_TEST(phrases_are_heard_in_each_dialect)
{
	open_at(_i, "");
	for (int i = 0; i < 2; i++) {
		feed_tenths(6);
		ck_assert_str_eq(finished(), whole(_i, 6));
		ck_assert_str_eq(finished(), ""); /* no sound was fed */
	}
	feed_tenths(3);
	asr_websocket.drop(a);
	feed_tenths(24);
	ck_assert_str_eq(
	    finished(), arena_printf(mem, "%s%s", dialects[_i].pieces, whole(_i, 24)));
}
END_TEST

START_TEST(partial_texts_come_as_they_are_made)
{
	open_at(_i, "");
	feed_tenths(6);
	ck_assert_ptr_nonnull(strstr(await_partial(), "so far"));
	ck_assert_str_eq(finished(), whole(_i, 6));
	feed_tenths(1); /* the next phrase has no text yet */
	ck_assert_str_eq(finished(), whole(_i, 1));
}
END_TEST

START_TEST(a_connection_that_breaks_loses_no_sound)
{
	open_at(_i, "/broken");
	for (int i = 0; i < 3; i++) {
		feed_tenths(6);
		usleep(50000);
	}
	ck_assert_str_eq(finished(), whole(_i, 18));
	ck_assert_int_ge(engine_server_count(&server, mem, "connections"), 3);
}
END_TEST

START_TEST(a_server_that_breaks_each_time_fails_the_phrase)
{
	struct asr_result h;

	open_at(_i, "/shut");
	feed_tenths(20);
	ck_assert_int_eq(asr_websocket.finish(a, mem, &h), ERR_TIMEOUT);
	feed_tenths(3); /* too short to break the connection */
	ck_assert_str_eq(finished(), whole(_i, 3));
}
END_TEST

static const struct {
	const char *url, *key;
	enum err e;
} faults[] = {
	{ "ws://127.0.0.1:1", "test-key", ERR_TIMEOUT },
	{ "nonsense", "test-key", ERR_TIMEOUT },
	{ "ws://127.0.0.1:%d", "wrong", ERR_REFUSED },
	{ "ws://127.0.0.1:%d/status-403", "test-key", ERR_REFUSED },
	{ "ws://127.0.0.1:%d/status-429", "test-key", ERR_TIMEOUT },
	{ "ws://127.0.0.1:%d/status-503", "test-key", ERR_TIMEOUT },
	{ "ws://127.0.0.1:%d/silent", "test-key", ERR_TIMEOUT },
	{ "ws://127.0.0.1:%d/garbage", "test-key", ERR_TIMEOUT },
};

START_TEST(a_server_that_is_none_fails_the_phrase_in_time)
{
	const char *port = strstr(faults[_i].url, "%d");
	int64_t since_us = monotonic_us();
	struct asr_result h;

	open_at(2, "");
	asr_websocket.close(a);
	at.key = faults[_i].key;
	at.timeout_ms = 1000;
	at.url = port == NULL
		     ? faults[_i].url
		     : arena_printf(mem, "ws://127.0.0.1:%d%s", server.port, port + 2);
	ck_assert_int_eq(
	    asr_websocket.open(&at, &(const struct asr_want){ .lang = "en" }, &a), OK);
	feed_tenths(6);
	ck_assert_int_eq(asr_websocket.finish(a, mem, &h), faults[_i].e);
	ck_assert_int_lt(monotonic_us() - since_us, 15 * S_US);
}
END_TEST

START_TEST(what_cannot_be_opened_is_told)
{
	const struct asr_want want = { .lang = "fr" };
	struct asr *none;

	open_at(0, "");
	at.languages = "en";
	ck_assert_int_eq(asr_websocket.open(&at, &want, &none), ERR_UNSUPPORTED);
	at.languages = NULL;
	at.protocol = "klingon";
	ck_assert_int_eq(asr_websocket.open(&at, &want, &none), ERR_UNSUPPORTED);
	at.protocol = "vosk";
	at.allow_private = false;
	ck_assert_int_eq(asr_websocket.open(&at, &want, &none), ERR_UNSUPPORTED);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("asr_websocket");
	TCase *t = tcase_create("all");
	int n = COUNT(dialects);

	signal(SIGPIPE, SIG_DFL);
	tcase_set_timeout(t, 120);
	tcase_add_checked_fixture(t, setup, teardown);
	tcase_add_loop_test(t, phrases_are_heard_in_each_dialect, 0, n);
	tcase_add_loop_test(t, partial_texts_come_as_they_are_made, 0, n - 1);
	tcase_add_loop_test(t, a_connection_that_breaks_loses_no_sound, 0, n);
	tcase_add_loop_test(t, a_server_that_breaks_each_time_fails_the_phrase, 0, n);
	tcase_add_loop_test(
	    t, a_server_that_is_none_fails_the_phrase_in_time, 0, COUNT(faults));
	tcase_add_test(t, what_cannot_be_opened_is_told);
	suite_add_tcase(s, t);
	return unit_run(s);
}
