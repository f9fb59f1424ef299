/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Effects of Janus after its caller has timed out, or after the channel was removed:
 * the next check removes them.
 */
#include "tests/unit/unit.h"

#include "service/reconcile.h"
#include "store/channels.h"
#include "store/sessions.h"
#include "tests/unit/cutting_proxy.h"
#include "tests/unit/shared_janus.h"
#include "work/queue.h"

#define IMPATIENT_MS 400

/* An installation without channels, with the Janus that the tests share. */
static void
open_installation(void)
{
	static const struct route none[] = { ROUTES_END };
	static const struct sql *const prepared[] = { account_sql, channel_sql,
		queue_sql, session_sql, NULL };

	setup();
	fixture_open("channel_retry", none, prepared);
}

static void
close_installation(void)
{
	fixture_close();
	teardown();
}

static void
look(void)
{
	ck_assert_int_eq(reconcile(fixture.app.db, mem, &conf), OK);
	ck_assert(db_idle(fixture.app.db));
}

/*
 * Delays the n-th request of a creation beyond its time limit. False: the creation has
 * fewer requests.
 */
static bool
create_late(int n, const char *name)
{
	struct proxy p = proxy_start(n, CUT_LATE, 0);
	enum err e;

	conf.backend_timeout_ms = IMPATIENT_MS;
	e = create(name, "[\"es\",\"fr\"]");
	conf.backend_timeout_ms = shared_conf.backend_timeout_ms;
	lead_to(p.to);
	if (e == ERR_TIMEOUT) {
		ck_assert_int_eq(destroy(name), OK);
		ck_assert_str_eq(listed(), "");
		proxy_let_go(&p);
	}
	proxy_stop(&p);
	return e == ERR_TIMEOUT;
}

START_TEST(what_comes_too_late_goes_with_the_next_look)
{
	int left = 0;

	for (int n = 0; create_late(n, new_name()); n++) {
		left += *listed() != '\0';
		look();
		ck_assert_str_eq(listed(), "");
		ck_assert_str_eq(backend->names(), "");
		ck_assert_uint_eq(janus_all("streaming")->n, 0);
	}
	ck_assert_int_eq(left, 3); /* the room, and a mountpoint for each language */
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("broadcast late");
	TCase *t = tcase_create("all");

	tcase_set_timeout(t, 60);
	tcase_add_unchecked_fixture(t, open_fixture, janus_stop);
	tcase_add_checked_fixture(t, open_installation, close_installation);
	tcase_add_test(t, what_comes_too_late_goes_with_the_next_look);
	suite_add_tcase(s, t);
	return unit_run(s);
}
