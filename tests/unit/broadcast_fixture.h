/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TESTS_UNIT_BROADCAST_FIXTURE_H
#define TESTS_UNIT_BROADCAST_FIXTURE_H

/*
 * Shared by the tests of the broadcast drivers: settings with a master key for each
 * test, so that every test is a separate installation, and short ways to call a driver
 * and to check its state.
 */
#include <check.h>
#include <limits.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "base/clock.h"
#include "base/hash.h"
#include "base/id.h"
#include "broadcast/broadcast.h"
#include "tests/unit/janus_fixture.h"
#include "tests/unit/suite.h"

#define SPARE_MS 2000 /* longest wait for anything, on a busy machine */

static struct arena *mem;
static struct conf conf; /* settings of the driver under test */
static const struct broadcast_driver *driver;
static const struct backend_fixture *backend; /* NULL: the driver has no process */

static inline struct conf
blank_conf(void)
{
	struct conf c = {
		.server_base_url = "https://speech.example.org",
		.janus_admin_url = "",
		.janus_admin_secret = "",
		.janus_admin_key = "",
		.janus_public_url = "",
		.backend_timeout_ms = 5000,
	};

	random_bytes(c.master, sizeof(c.master));
	return c;
}

/* ---- calls ---- */

static inline struct broadcast
a_broadcast(const char *name, const char *languages)
{
	return (struct broadcast){
		.name = name,
		.input = "webrtc_push",
		.source_language = "en",
		.target_languages = languages,
		.region = "eu",
		.original_delay_s = 3,
		.original_volume = 0.2,
		.outputs = "[]",
	};
}

static inline enum err
create(const char *name, const char *languages)
{
	struct broadcast b = a_broadcast(name, languages);

	return driver->create(&conf, mem, &b);
}

static inline enum err
change(const char *name, const char *languages)
{
	struct broadcast b = a_broadcast(name, languages);

	return driver->change(&conf, mem, &b);
}

static inline enum err
destroy(const char *name)
{
	return driver->destroy(&conf, mem, name);
}

static inline const char *
new_name(void)
{
	return arena_printf(mem, "%s-1", id_new(mem));
}

/* ---- what is there ---- */

static inline int
compare_texts(const void *a, const void *b)
{
	const char *const *x = a, *const *y = b;

	return strcmp(*x, *y);
}

/* Returns "NAME: es fr\n..." as the driver lists its rooms, with languages sorted. */
static inline const char *
listed(void)
{
	struct buf b = { .mem = mem };
	struct list seen;
	const struct broadcast_seen *s;

	ck_assert_int_eq(driver->list(&conf, mem, &seen), OK);
	s = seen.items;
	for (size_t i = 0; i < seen.n; i++) {
		const char **language = s[i].languages.items;
		size_t n = s[i].languages.n;

		if (n > 0)
			qsort(language, n, sizeof(*language), compare_texts);
		buf_printf(&b, "%s:", s[i].name);
		for (size_t j = 0; j < n; j++)
			buf_printf(&b, " %s", language[j]);
		buf_str(&b, "\n");
	}
	return buf_text(&b);
}

/* Returns "NAME: LANGUAGES\n". */
static inline const char *
line(const char *name, const char *languages)
{
	return arena_printf(
	    mem, "%s:%s%s\n", name, *languages != '\0' ? " " : "", languages);
}

static inline void
destroy_all(void)
{
	const struct broadcast_seen *s;
	struct list seen;

	if (driver->list == NULL)
		return;
	ck_assert_int_eq(driver->list(&conf, mem, &seen), OK);
	s = seen.items;
	for (size_t i = 0; i < seen.n; i++)
		ck_assert_int_eq(destroy(s[i].name), OK);
}

/* True if the backend itself reports a room of that name. */
static inline bool
is_there(const char *name)
{
	return strstr(arena_printf(mem, "\n%s", backend->names()),
		   arena_printf(mem, "\n%s\n", name)) != NULL;
}

/* Assertions that report the line of the test; the gateway's driver has no list. */
#define lists(text)                                                                    \
	do {                                                                           \
		if (driver->list != NULL)                                              \
			ck_assert_str_eq(listed(), text);                              \
	} while (0)
#define has(name)                                                                      \
	do {                                                                           \
		if (backend != NULL)                                                   \
			ck_assert_msg(is_there(name), "%s is missing", name);          \
	} while (0)
#define has_no(name)                                                                   \
	do {                                                                           \
		if (backend != NULL)                                                   \
			ck_assert_msg(!is_there(name), "%s is there", name);           \
	} while (0)

/* ---- somewhere else ---- */

/* Returns a port of 127.0.0.1 that is bound but has no listener. */
static inline int
bind_somewhere(int *port)
{
	struct sockaddr_in at = { .sin_family = AF_INET,
		.sin_addr = { htonl(INADDR_LOOPBACK) } };
	socklen_t n = sizeof(at);
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(bind(fd, (struct sockaddr *)&at, n), 0);
	ck_assert_int_eq(getsockname(fd, (struct sockaddr *)&at, &n), 0);
	*port = ntohs(at.sin_port);
	return fd;
}

/* Changes the backend's address in the driver's settings. */
static inline void
lead_to(int port)
{
	conf.janus_admin_url = arena_printf(mem, "http://127.0.0.1:%d/admin", port);
}

/* Returns the backend's address in the driver's settings. */
static inline int
backend_port(void)
{
	return atoi(strrchr(conf.janus_admin_url, ':') + 1);
}

/* Checks the result of each call, and that each ends within this many milliseconds. */
static inline void
all_answer(enum err e, int within_ms)
{
	const char *name = new_name();
	struct list seen;

	for (int i = 0; i < 4; i++) {
		int64_t began_us = monotonic_us();
		enum err is = i == 0   ? create(name, "[\"es\",\"fr\"]")
			      : i == 1 ? change(name, "[\"es\"]")
			      : i == 2 ? destroy(name)
				       : driver->list(&conf, mem, &seen);
		int took_ms = (int)((monotonic_us() - began_us) / 1000);

		ck_assert_msg(is == e, "call %d: %s", i, err_name(is));
		ck_assert_msg(took_ms <= within_ms, "call %d took %d ms", i, took_ms);
	}
}

#endif
