/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `dragoman doctor` at a real nats-server. */
#include "tests/unit/nats_fixture.h"

#include "store/nodes.h"
#include "tests/unit/doctor_fixture.h"

/* A live gateway with this report of its connection. */
static void
have_gateway(const char *id, const char *report)
{
	const struct node n = {
		.id = id, .public_url = "http://127.0.0.1", .nats = report
	};

	ck_assert_int_eq(db_prepare(fixture.app.db, node_sql), OK);
	ck_assert_int_eq(node_beat(fixture.app.db, &n), OK);
}

static void
setup_all(void)
{
	setup();
	nats_setup();
	conf->cluster_nats = nats.url;
	have_gateway(conf->node, "{\"server\":\"nats://a.example.org\"}");
}

static void
teardown_all(void)
{
	nats_teardown();
	teardown();
}

START_TEST(a_message_comes_back)
{
	nats_start();
	examine("nats");
	ck_assert_msg(has("ok", "a message came back after"), "%s", all_found());
	ck_assert_msg(has("ok", nats.url), "%s", all_found());
	ck_assert_msg(
	    has("ok", "is connected to nats://a.example.org"), "%s", all_found());
	ck_assert_msg(!has("fail", "") && !has("warn", ""), "%s", all_found());
}
END_TEST

START_TEST(each_server_is_tried)
{
	const char *dead = "nats://127.0.0.1:1";

	conf->cluster_nats = arena_printf(nats.mem, "%s,%s", dead, nats.url);
	nats_start();
	examine("nats");
	ck_assert_msg(has("fail", dead), "%s", all_found());
	ck_assert_msg(
	    has("fail", "no server of cluster.nats answers"), "%s", all_found());
	ck_assert_msg(has("ok", nats.url), "%s", all_found());
}
END_TEST

START_TEST(wrong_credentials_are_named)
{
	nats.options = "--user dragoman --pass secret";
	conf->cluster_user = "dragoman";
	conf->cluster_password = "wrong";
	nats_start();
	examine("nats");
	ck_assert_msg(has("fail", "refuses the credentials"), "%s", all_found());
	conf->cluster_password = "secret";
	examine("nats");
	ck_assert_msg(has("ok", "a message came back"), "%s", all_found());
}
END_TEST

START_TEST(a_subject_that_is_not_permitted_is_named)
{
	char path[] = "/tmp/dragoman-nats-XXXXXX";

	close(mkstemp(path));
	unit_write(path, "authorization { users = [ { user: a, password: b, "
			 "permissions: { publish: \"x.>\", subscribe: \"x.>\" } } ] }");
	nats.options = arena_printf(nats.mem, "-c %s", path);
	conf->cluster_user = "a";
	conf->cluster_password = "b";
	nats_start();
	examine("nats");
	ck_assert_msg(has("fail", "a message did not come back"), "%s", all_found());
	conf->cluster_prefix = "x";
	examine("nats");
	ck_assert_msg(has("ok", "a message came back"), "%s", all_found());
	unlink(path);
}
END_TEST

START_TEST(a_gateway_without_its_connection_is_named)
{
	nats_start();
	have_gateway(conf->node, "{\"fault\":\"it is cut off\"}");
	examine("nats");
	ck_assert_msg(has("fail", "it is cut off"), "%s", all_found());
	have_gateway(conf->node, NULL);
	examine("nats");
	ck_assert_msg(has("fail", "before cluster.nats was set"), "%s", all_found());
}
END_TEST

START_TEST(several_hosts_without_it_are_warned)
{
	conf->cluster_nats = "";
	examine("nats");
	ck_assert_msg(has("ok", "is not needed by one host"), "%s", all_found());
	have_gateway("another", NULL);
	examine("nats");
	ck_assert_msg(has("warn", "2 hosts are alive"), "%s", all_found());
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("doctor_nats");
	TCase *t = tcase_create("all");

	tcase_add_checked_fixture(t, setup_all, teardown_all);
	tcase_set_timeout(t, 60);
	tcase_add_test(t, a_message_comes_back);
	tcase_add_test(t, each_server_is_tried);
	tcase_add_test(t, wrong_credentials_are_named);
	tcase_add_test(t, a_subject_that_is_not_permitted_is_named);
	tcase_add_test(t, a_gateway_without_its_connection_is_named);
	tcase_add_test(t, several_hosts_without_it_are_warned);
	suite_add_tcase(s, t);
	return unit_run(s);
}
