/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TESTS_UNIT_ASR_REMOTE_FIXTURE_H
#define TESTS_UNIT_ASR_REMOTE_FIXTURE_H

/* A recognizer behind HTTP, at engine-server. */
#include <pthread.h>
#include <signal.h>

#include "base/clock.h"
#include "speech/engine.h"
#include "speech/engine_call.h"
#include "tests/engine-server.h"
#include "tests/unit/unit.h"

#define S ASR_RATE_HZ

static struct arena *mem;
static struct engine_at at;
static struct engine_server server;

static inline void
setup(void)
{
	(void)fixture;
	mem = arena_new();
	at = (struct engine_at){
		.id = "it", .key = "test-key", .timeout_ms = 3000, .allow_private = true
	};
}

static inline void
teardown(void)
{
	arena_free(mem);
}

static inline const char *
address(const char *path)
{
	return arena_printf(mem, "http://127.0.0.1:%d%s", server.port, path);
}

static inline struct asr *
opened(const struct asr_engine *en, const char *lang)
{
	struct asr_want want = { .lang = lang };
	struct asr *a;

	ck_assert_int_eq(en->open(&at, &want, &a), OK);
	return a;
}

static inline void
feed_value(const struct asr_engine *en, struct asr *a, size_t n, int16_t value)
{
	int16_t *s = arena_alloc(mem, n * sizeof(*s));

	for (size_t i = 0; i < n; i++)
		s[i] = value;
	ck_assert_int_eq(en->feed(a, s, n), OK);
}

static inline struct asr_result
finished(const struct asr_engine *en, struct asr *a)
{
	struct asr_result h;

	ck_assert_int_eq(en->finish(a, mem, &h), OK);
	return h;
}

static inline struct asr_result
partly(const struct asr_engine *en, struct asr *a)
{
	struct asr_result h;

	ck_assert_int_eq(en->partial(a, mem, &h), OK);
	return h;
}

/* The body of main(), which also runs engine-server. */
static inline int
run_beside_server(const char *name, void add_tests(TCase *))
{
	Suite *s = suite_create(name);
	TCase *t = tcase_create("all");
	int end;

	signal(SIGPIPE, SIG_DFL);
	server = engine_server_start();
	tcase_set_timeout(t, 120);
	tcase_add_checked_fixture(t, setup, teardown);
	add_tests(t);
	suite_add_tcase(s, t);
	end = unit_run(s);
	engine_server_stop(&server);
	return end;
}

#endif
