/* SPDX-License-Identifier: GPL-3.0-or-later */
/* GET /health, answered by the program system. */
#define UNIT_TEST
#include "cgi-bin/system.c"
#include "service/node.h"
#include "service/workers.h"
#include "tests/unit/unit.h"

static const struct sql *const tables[] = { account_sql, blob_sql, channel_sql,
	node_sql, queue_sql, schema_sql, session_sql, NULL };

static void
setup(void)
{
	fixture_open("system", system_routes, tables);
	fixture.app.conf.blob_dir = fixture.dir;
	for (const struct worker_program *w = worker_programs; w->name != NULL; w++)
		ck_assert_int_eq(
		    worker_seen(fixture.app.db, fixture.app.conf.node, w->name, 0), OK);
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
	int64_t reserve = fixture.app.conf.blob_reserve_bytes;

	fixture.app.conf.blob_reserve_bytes = INT64_MAX / 2;
	health_is("degraded");
	fixture.app.conf.blob_store =
	    "s3"; /* arriving files are on the disk in any case */
	health_is("degraded");
	fixture.app.conf.blob_reserve_bytes = reserve;
	health_is("ok");
}
END_TEST

/* The sandbox is only information: a kernel without it does not degrade the health. */
START_TEST(what_keeps_children_apart_is_told)
{
	const struct child_sandbox_parts has = child_sandbox_parts();
	struct response a = ask("GET /health", NULL);

	is(a, "/data/sandbox/landlock", has.landlock ? "true" : "false");
	is(a, "/data/sandbox/seccomp", has.seccomp ? "true" : "false");
}
END_TEST

/* cron may have stopped, too, so that nothing restarts it */
START_TEST(a_dead_gateway_is_told_within_half_a_minute)
{
	const struct node n = { .id = fixture.app.conf.node,
		.public_url = "https://a.example.org" };

	ck_assert_int_eq(node_beat(fixture.app.db, &n), OK);
	health_is("ok");
	sql("UPDATE nodes SET seen_us = seen_us - 10000000");
	health_is("ok");
	sql("UPDATE nodes SET seen_us = seen_us - 10000000;"
	    "UPDATE workers SET last_run_us = last_run_us - 20000000"
	    " WHERE name = 'gateway'");
	health_is("degraded");
	ck_assert_int_eq(node_beat(fixture.app.db, &n), OK);
	health_is("ok");
	/* its event loop is blocked */
	sql("DELETE FROM workers WHERE name = 'gateway'");
	health_is("degraded");
}
END_TEST

START_TEST(workers_of_another_node_are_no_sign_of_life_of_ours)
{
	sql("UPDATE workers SET node = 'other' WHERE name = 'gateway'");
	health_is("degraded");
	sql("UPDATE workers SET node = '' WHERE name = 'gateway'"); /* from before */
	health_is("ok");
}
END_TEST

START_TEST(metrics_are_of_the_workers_and_the_gateway_of_this_node)
{
	const struct node n = { .id = fixture.app.conf.node,
		.public_url = "https://a.example.org",
		.connections = 7,
		.tasks = 2 },
			  other = { .id = "other",
				  .public_url = "https://b.example.org",
				  .connections = 100,
				  .tasks = 100 };
	struct response a;

	ck_assert_int_eq(node_beat(fixture.app.db, &n), OK);
	ck_assert_int_eq(node_beat(fixture.app.db, &other), OK);
	sql("UPDATE workers SET node = 'other' WHERE name = 'janitor'");
	sql("INSERT INTO workers (node, name, last_run_us, failures)"
	    " VALUES ('other', 'blob_check', 1, 4)");
	fixture.app.conf.operator_token = "dgo_of_a_test";
	fixture.bearer = "Bearer dgo_of_a_test";
	a = ask("GET /metrics", NULL);
	ck_assert_int_eq(a.status, 200);
	ck_assert_ptr_nonnull(strstr(a.body, "\ndragoman_gateway_connections 7\n"));
	ck_assert_ptr_nonnull(strstr(a.body, "\ndragoman_gateway_tasks 2\n"));
	ck_assert_ptr_nonnull(
	    strstr(a.body, "dragoman_job_failures_total{queue=\"blob_check\"} 0\n"));
	ck_assert_ptr_null(strstr(a.body, "janitor"));
}
END_TEST

START_TEST(the_connection_to_nats_is_reported)
{
	struct node n = { .id = fixture.app.conf.node,
		.public_url = "https://a.example.org",
		.nats = "{\"server\":\"nats://a\",\"connected\":1,\"dropped\":3}" };
	struct response a = ask("GET /health", NULL);

	is(a, "/data/nats", "off");
	ck_assert_int_eq(node_beat(fixture.app.db, &n), OK);
	health_is("ok");
	a = ask("GET /health", NULL);
	is(a, "/data/nats", "ok");
	fixture.app.conf.operator_token = "dgo_of_a_test";
	fixture.bearer = "Bearer dgo_of_a_test";
	a = ask("GET /metrics", NULL);
	ck_assert_ptr_nonnull(strstr(a.body, "\ndragoman_nats_connected 1\n"));
	ck_assert_ptr_nonnull(strstr(a.body, "\ndragoman_nats_dropped 3\n"));
	n.nats = "{\"fault\":\"no server answers\",\"connected\":0}";
	ck_assert_int_eq(node_beat(fixture.app.db, &n), OK);
	health_is("degraded");
	a = ask("GET /health", NULL);
	is(a, "/data/nats", "no server answers");
}
END_TEST

START_TEST(a_node_that_differs_from_the_others_is_unhealthy)
{
	struct response a;
	struct list l;

	ck_assert_int_eq(
	    node_differs(fixture.app.db, fixture.mem, &fixture.app.conf, true, &l), OK);
	health_is("ok");
	fixture.app.conf.master[0] ^= 1;
	fixture.app.conf.blob_bucket = "another";
	a = ask("GET /health", NULL);
	refused(a, 503, "unhealthy");
	is(a, "/data/status", "down");
	is(a, "/data/database", "ok");
	is(a, "/data/workers/0/status", "ok");
	ck_assert_int_eq(
	    strncmp(said(&a, "/errors/0/detail"), "The key file of", 15), 0);
	ck_assert_int_eq(strncmp(said(&a, "/errors/1/detail"), "The bucket of", 13), 0);
	ck_assert_int_eq(
	    node_accept(fixture.app.db, fixture.mem, &fixture.app.conf), OK);
	health_is("ok");
}
END_TEST

START_TEST(what_is_wrong_with_the_bucket_is_told)
{
	const struct node n = { .id = fixture.app.conf.node, .public_url = "http://a" };
	struct response a;

	ck_assert_int_eq(node_fault(fixture.app.db, n.id, "It is not there."), OK);
	health_is("ok"); /* no gateway is running, so there is no row */
	ck_assert_int_eq(node_beat(fixture.app.db, &n), OK);
	ck_assert_int_eq(node_fault(fixture.app.db, n.id, "It is not there."), OK);
	ck_assert_int_eq(node_beat(fixture.app.db, &n), OK);
	health_is("degraded");
	a = ask("GET /health", NULL);
	is(a, "/data/store", "It is not there.");
	ck_assert_int_eq(node_fault(fixture.app.db, n.id, NULL), OK);
	health_is("ok");
}
END_TEST

static const struct {
	const char *change, *detail; /* %d: the schema version of the programs */
} sides[] = {
	{ "INSERT INTO schema_versions VALUES (9999, 'later.sql', 1, 9999)",
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
	    arena_printf(fixture.mem, sides[_i].detail, SCHEMA_VERSION));
	is(a, "/data/status", "down");
}
END_TEST

START_TEST(a_newer_schema_may_serve_this_program)
{
	struct response a;

	sql(arena_printf(fixture.mem,
	    "INSERT INTO schema_versions VALUES (9999, 'later.sql', 1, %d)",
	    SCHEMA_VERSION));
	a = ask("GET /health", NULL);
	answered(a, 200);
	is(a, "/data/schema_version", "9999");
	a = ask("GET /ready", NULL);
	answered(a, 200);
}
END_TEST

START_TEST(a_host_that_is_emptied_is_healthy_and_not_ready)
{
	const struct node n = { .id = fixture.app.conf.node, .public_url = "http://a" };
	struct response a;

	ck_assert_int_eq(node_beat(fixture.app.db, &n), OK);
	a = ask("GET /ready", NULL);
	answered(a, 200);
	is(a, "/data/ready", "true");
	ck_assert_int_eq(node_drain(fixture.app.db, fixture.app.conf.node, true), OK);
	a = ask("GET /ready", NULL);
	refused(a, 503, "unhealthy");
	is(a, "/data/ready", "false");
	a = ask("GET /health", NULL);
	answered(a, 200);
	ck_assert_int_eq(node_drain(fixture.app.db, fixture.app.conf.node, false), OK);
	a = ask("GET /ready", NULL);
	answered(a, 200);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("health");
	TCase *t = tcase_create("all");

	tcase_add_checked_fixture(t, setup, fixture_close);
	tcase_add_test(t, a_newer_schema_may_serve_this_program);
	tcase_add_test(t, a_host_that_is_emptied_is_healthy_and_not_ready);
	tcase_add_test(t, a_worker_that_is_silent_is_told);
	tcase_add_test(t, a_disk_at_its_reserve_is_told);
	tcase_add_test(t, what_keeps_children_apart_is_told);
	tcase_add_test(t, a_dead_gateway_is_told_within_half_a_minute);
	tcase_add_test(t, workers_of_another_node_are_no_sign_of_life_of_ours);
	tcase_add_test(t, metrics_are_of_the_workers_and_the_gateway_of_this_node);
	tcase_add_test(t, the_connection_to_nats_is_reported);
	tcase_add_test(t, a_node_that_differs_from_the_others_is_unhealthy);
	tcase_add_test(t, what_is_wrong_with_the_bucket_is_told);
	tcase_add_loop_test(t, it_is_said_which_side_is_too_old, 0, COUNT(sides));
	suite_add_tcase(s, t);
	return unit_run(s);
}
