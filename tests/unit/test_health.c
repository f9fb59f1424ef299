/*
 * GET /health: what it calls well, told by the program system.
 */
#define UNIT_TEST
#include "cgi-bin/system.c"
#include "tests/unit/unit.h"

static const struct sql *const tables[] = { account_sql, blob_sql, channel_sql,
	queue_sql, schema_sql, session_sql, NULL };

static void
setup(void)
{
	house_open("system", system_routes, tables);
	house.app.conf.blob_dir = house.dir;
	for (size_t i = 0; i < WORKERS; i++)
		ck_assert_int_eq(worker_seen(house.app.db, workers[i], 0), OK);
}

static void
health_is(const char *status)
{
	struct response a = ask("GET /health", NULL);

	answered(a, 200);
	is(a, "/data/status", status);
}

START_TEST(a_worker_that_is_silent_is_told)
{
	health_is("ok");
	sql("UPDATE workers SET last_run_us = last_run_us - 301000000"
	    " WHERE name = 'janitor'");
	health_is("degraded");
	sql("DELETE FROM workers WHERE name = 'janitor'");
	health_is("degraded");
}
END_TEST

START_TEST(a_disk_at_its_reserve_is_told)
{
	int64_t reserve = house.app.conf.blob_reserve_bytes;

	house.app.conf.blob_reserve_bytes = INT64_MAX / 2;
	health_is("degraded");
	house.app.conf.blob_store = "s3"; /* what arrives is on the disk all the same */
	health_is("degraded");
	house.app.conf.blob_reserve_bytes = reserve;
	health_is("ok");
}
END_TEST

/* It is information: a kernel without it makes nothing unwell. */
START_TEST(what_keeps_children_apart_is_told)
{
	const struct child_sandbox_parts has = child_sandbox_parts();
	struct response a = ask("GET /health", NULL);

	is(a, "/data/sandbox/landlock", has.landlock ? "true" : "false");
	is(a, "/data/sandbox/seccomp", has.seccomp ? "true" : "false");
	health_is("ok");
}
END_TEST

static const struct {
	const char *change, *detail; /* %d: the version that programs know */
} sides[] = {
	{ "INSERT INTO schema_versions VALUES (9999, 'later.sql', 1)",
	    "The schema is at version 9999, this program knows %d; install a newer "
	    "one." },
	{ "DELETE FROM schema_versions WHERE version > 1",
	    "The schema is at version 1, not %d; run dragoman migrate." },
	{ "DROP TABLE schema_versions", "The database cannot be read." },
};

START_TEST(it_is_said_which_side_is_too_old)
{
	struct response a;

	sql(sides[_i].change);
	a = ask("GET /health", NULL);
	refused(a, 503, "unhealthy");
	is(a, "/errors/0/detail",
	    arena_printf(house.mem, sides[_i].detail, SCHEMA_VERSION));
	is(a, "/data/status", "down");
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("health");
	TCase *t = tcase_create("all");

	tcase_add_checked_fixture(t, setup, house_close);
	tcase_add_test(t, a_worker_that_is_silent_is_told);
	tcase_add_test(t, a_disk_at_its_reserve_is_told);
	tcase_add_test(t, what_keeps_children_apart_is_told);
	tcase_add_loop_test(t, it_is_said_which_side_is_too_old, 0, COUNT(sides));
	suite_add_tcase(s, t);
	return unit_run(s);
}
