/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TESTS_UNIT_HTTP_FIXTURE_H
#define TESTS_UNIT_HTTP_FIXTURE_H

/* The HTTP client, and a local server for it. */
#include "net/http.h"
#include "tests/engine-server.h"
#include "tests/unit/suite.h"

static struct engine_server server;
static struct arena *mem;
static struct http_answer a; /* the last request */

static inline void
start(void)
{
	server = engine_server_start();
}

static inline void
stop(void)
{
	engine_server_stop(&server);
}

static inline void
setup(void)
{
	mem = arena_new();
}

static inline void
teardown(void)
{
	http_close();
	arena_free(mem);
}

static inline struct http_call
get(const char *path)
{
	return engine_server_get(&server, mem, path);
}

static inline enum err
do_get(const char *path)
{
	struct http_call call = get(path);

	return http_do(mem, &call, &a);
}

/* The part of the programs' tests that both HTTP fixtures share. */
static inline TCase *
http_case(void)
{
	TCase *t = tcase_create("all");

	tcase_add_unchecked_fixture(t, start, stop);
	tcase_add_checked_fixture(t, setup, teardown);
	tcase_set_timeout(t, 60);
	return t;
}

#endif
