/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One suite for all broadcast drivers. Each runs against a real backend; the tests read
 * the list of its rooms.
 */
#include "tests/unit/cutting_proxy.h"

#define PATIENCE_MS 300 /* time limit of a driver whose backend does not answer */

static const struct backend_fixture *const houses[] = { NULL, &janus_fixture };
static const struct broadcast_driver *const drivers[] = { &broadcast_gateway,
	&broadcast_janus };
static struct conf confs[COUNT(houses)];

static void
open_fixtures(void)
{
	for (int i = 0; i < COUNT(houses); i++) {
		confs[i] = blank_conf();
		confs[i].broadcast_driver = "gateway";
		if (houses[i] != NULL)
			houses[i]->start(&confs[i]);
	}
}

static void
close_fixtures(void)
{
	for (int i = 0; i < COUNT(houses); i++)
		if (houses[i] != NULL)
			houses[i]->stop();
}

/* Uses a separate installation at the i-th backend. */
static void
enter(int i)
{
	conf = confs[i];
	random_bytes(conf.master, sizeof(conf.master));
	driver = drivers[i];
	backend = houses[i];
}

static void
setup(void)
{
	mem = arena_new();
}

static void
teardown(void)
{
	destroy_all();
	arena_free(mem);
}

/* ---- what a driver does ---- */

START_TEST(a_broadcast_is_there_until_it_is_destroyed)
{
	const char *name = (enter(_i), new_name());

	lists("");
	has_no(name);
	ck_assert_int_eq(create(name, "[\"es\",\"fr\"]"), OK);
	has(name);
	lists(line(name, "es fr"));
	ck_assert_int_eq(destroy(name), OK);
	has_no(name);
	lists("");
}
END_TEST

START_TEST(what_is_created_again_is_one)
{
	const char *name = (enter(_i), new_name());

	for (int i = 0; i < 3; i++)
		ck_assert_int_eq(create(name, "[\"es\",\"fr\"]"), OK);
	lists(line(name, "es fr"));
	ck_assert_int_eq(destroy(name), OK);
	has_no(name);
	lists("");
}
END_TEST

START_TEST(creation_completes_what_is_there)
{
	const char *name = (enter(_i), new_name());

	ck_assert_int_eq(create(name, "[]"), OK);
	lists(line(name, ""));
	ck_assert_int_eq(create(name, "[\"es\",\"de\"]"), OK);
	lists(line(name, "de es"));
	ck_assert_int_eq(create(name, "[\"fr\",\"es\"]"), OK);
	lists(line(name, "es fr"));
}
END_TEST

START_TEST(the_list_is_sorted)
{
	const char *id = (enter(_i), id_new(mem));
	const char *wanted = "";

	for (int i = 12; i > 0; i--)
		ck_assert_int_eq(create(arena_printf(mem, "%s-%d", id, i),
				     "[\"zh-hant-tw\",\"es\"]"),
		    OK);
	for (int i = 1; i <= 12; i += i == 1 || i == 12 ? 9 : 1)
		wanted = arena_printf(mem, "%s%s-%d: es zh-hant-tw\n", wanted, id, i);
	for (int i = 2; i < 10; i++)
		wanted = arena_printf(mem, "%s%s-%d: es zh-hant-tw\n", wanted, id, i);
	lists(wanted);
}
END_TEST

START_TEST(a_change_brings_languages_and_takes_them)
{
	const char *name = (enter(_i), new_name());
	const char *other = new_name();

	ck_assert_int_eq(create(name, "[\"es\",\"fr\",\"it\"]"), OK);
	ck_assert_int_eq(create(other, "[\"es\",\"fr\"]"), OK);
	ck_assert_int_eq(change(name, "[\"it\",\"en-us\",\"es\"]"), OK);
	ck_assert_int_eq(destroy(other), OK);
	lists(line(name, "en-us es it"));
	ck_assert_int_eq(change(name, "[]"), OK);
	lists(line(name, ""));
	ck_assert_int_eq(change(name, "[\"fr\"]"), OK);
	lists(line(name, "fr"));
}
END_TEST

START_TEST(what_was_lost_is_not_changed)
{
	const char *name = (enter(_i), new_name());

	ck_assert_int_eq(
	    change(name, "[\"es\"]"), driver->list != NULL ? ERR_NOT_FOUND : OK);
	has_no(name);
	lists("");
}
END_TEST

START_TEST(what_is_gone_may_be_destroyed)
{
	const char *name = (enter(_i), new_name());

	ck_assert_int_eq(destroy(name), OK);
	ck_assert_int_eq(create(name, "[\"es\"]"), OK);
	ck_assert_int_eq(destroy(name), OK);
	ck_assert_int_eq(destroy(name), OK);
	lists("");
}
END_TEST

START_TEST(another_installation_is_left_alone)
{
	const char *name = (enter(_i), new_name());
	const char *theirs = arena_printf(mem, "%s1", name);
	const struct conf ours = conf;

	ck_assert_int_eq(create(name, "[\"es\",\"fr\"]"), OK);
	random_bytes(conf.master, sizeof(conf.master));
	lists("");
	ck_assert_int_eq(create(theirs, "[\"es\"]"), OK);
	lists(line(theirs, "es"));
	ck_assert_int_eq(destroy(theirs), OK);
	conf = ours;
	lists(line(name, "es fr"));
}
END_TEST

START_TEST(the_longest_names_and_many_languages)
{
	static const char *codes[] = { "ar", "bn", "cs", "da", "de", "el", "en-us",
		"es", "fi", "fr", "hi", "it", "ja", "ko", "nl", "pl", "pt-br", "ru",
		"tr", "zh-hant-tw" };
	const char *name =
	    (enter(_i), arena_printf(mem, "%s-9223372036854775807", id_new(mem)));
	struct list all = { codes, COUNT(codes) };
	struct buf b = { .mem = mem };

	for (int i = 0; i < COUNT(codes); i++)
		buf_printf(&b, "%s%s", i > 0 ? " " : "", codes[i]);
	ck_assert_int_eq(create(name, texts_json(mem, &all)), OK);
	has(name);
	lists(line(name, buf_text(&b)));
	ck_assert_int_eq(destroy(name), OK);
	has_no(name);
	lists("");
}
END_TEST

START_TEST(a_hundred_are_listed)
{
	const char *id = (enter(_i), id_new(mem));
	struct buf b = { .mem = mem };

	for (int i = 100; i < 200; i++) {
		const char *name = arena_printf(mem, "%s-%d", id, i);

		ck_assert_int_eq(create(name, "[\"es\",\"fr\"]"), OK);
		buf_str(&b, line(name, "es fr"));
	}
	lists(buf_text(&b));
}
END_TEST

/* ---- a backend that fails ---- */

START_TEST(a_backend_that_is_not_there)
{
	struct conf before;
	int port, fd;

	enter(_i);
	before = conf;
	fd = bind_somewhere(&port);
	lead_to(port);
	all_answer(ERR_TIMEOUT, SPARE_MS);
	close(fd);
	conf = before;
}
END_TEST

START_TEST(a_backend_that_is_silent)
{
	struct conf before;
	int port, fd;

	enter(_i);
	before = conf;
	conf.backend_timeout_ms = PATIENCE_MS;
	fd = bind_somewhere(&port);
	ck_assert_int_eq(listen(fd, 16), 0);
	lead_to(port);
	all_answer(ERR_TIMEOUT, PATIENCE_MS + SPARE_MS);
	close(fd);
	conf = before;
}
END_TEST

/* A call has one time limit for all its requests. */
START_TEST(a_backend_that_is_slow)
{
	struct proxy p;
	const char *name = (enter(_i), new_name());
	const char *many = "[\"ar\",\"bn\",\"cs\",\"da\",\"de\",\"el\",\"es\"]";
	int64_t began_us;
	int took_ms;
	enum err e;

	conf.backend_timeout_ms = 3 * PATIENCE_MS;
	p = proxy_start(INT_MAX, CUT_BEFORE, PATIENCE_MS);
	began_us = monotonic_us();
	e = create(name, many);
	took_ms = (int)((monotonic_us() - began_us) / 1000);
	proxy_stop(&p);
	ck_assert_int_eq(e, ERR_TIMEOUT);
	ck_assert_int_le(took_ms, 3 * PATIENCE_MS + SPARE_MS);
	conf.backend_timeout_ms = 5000;
	ck_assert_int_eq(create(name, many), OK);
	lists(line(name, "ar bn cs da de el es"));
}
END_TEST

static const struct {
	const char *status, *body;
	enum err e;
} oddities[] = {
	/* clang-format off */
	{ NULL, "SSH-2.0-OpenSSH_9.2\r\n",              ERR_TIMEOUT },
	{ NULL, "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{", ERR_TIMEOUT },
	{ "200 OK", "",                                 ERR_TIMEOUT },
	{ "200 OK", "It works!",                        ERR_TIMEOUT },
	{ "200 OK", "[]",                               ERR_TIMEOUT },
	{ "200 OK", "null",                             ERR_TIMEOUT },
	{ "500 Internal Server Error", "",              ERR_TIMEOUT },
	{ "502 Bad Gateway", "<html>no</html>",         ERR_TIMEOUT },
	{ "503 Service Unavailable", "{}",              ERR_TIMEOUT },
	{ "429 Too Many Requests", "slowly",            ERR_TIMEOUT },
	{ "401 Unauthorized", "<html>no</html>",        ERR_REFUSED },
	{ "403 Forbidden", "<html>no</html>",           ERR_REFUSED },
	/* clang-format on */
};

START_TEST(a_backend_that_answers_nonsense)
{
	enter(1);
	all_told(oddities[_i].status, oddities[_i].body, oddities[_i].e);
}
END_TEST

START_TEST(a_wrong_secret_is_refused)
{
	const char *name = (enter(_i), new_name());
	struct conf before = conf;

	ck_assert_int_eq(create(name, "[\"es\",\"fr\"]"), OK);
	conf.janus_admin_secret = "wrong";
	all_answer(ERR_REFUSED, SPARE_MS);
	conf = before;
	lists(line(name, "es fr"));
}
END_TEST

/* ---- the suite ---- */

static TCase *
conformance(void)
{
	TCase *t = tcase_create("conformance");
	int n = COUNT(houses);

	tcase_set_timeout(t, 30);
	tcase_add_unchecked_fixture(t, open_fixtures, close_fixtures);
	tcase_add_checked_fixture(t, setup, teardown);
	tcase_add_loop_test(t, a_broadcast_is_there_until_it_is_destroyed, 0, n);
	tcase_add_loop_test(t, what_is_created_again_is_one, 0, n);
	tcase_add_loop_test(t, creation_completes_what_is_there, 0, n);
	tcase_add_loop_test(t, the_list_is_sorted, 0, n);
	tcase_add_loop_test(t, a_change_brings_languages_and_takes_them, 0, n);
	tcase_add_loop_test(t, what_was_lost_is_not_changed, 0, n);
	tcase_add_loop_test(t, what_is_gone_may_be_destroyed, 0, n);
	tcase_add_loop_test(t, another_installation_is_left_alone, 0, n);
	tcase_add_loop_test(t, the_longest_names_and_many_languages, 0, n);
	tcase_add_loop_test(t, a_hundred_are_listed, 0, n);
	/* the gateway itself is the backend, which cannot fail */
	tcase_add_loop_test(t, a_backend_that_is_not_there, 1, n);
	tcase_add_loop_test(t, a_backend_that_is_silent, 1, n);
	tcase_add_loop_test(t, a_backend_that_is_slow, 1, n);
	tcase_add_loop_test(t, a_backend_that_answers_nonsense, 0, COUNT(oddities));
	tcase_add_loop_test(t, a_wrong_secret_is_refused, 1, n);
	return t;
}

int
main(void)
{
	Suite *s = suite_create("broadcast");

	suite_add_tcase(s, conformance());
	return unit_run(s);
}
