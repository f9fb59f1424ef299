/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The addresses that listeners get with several hosts over one database. */
#define UNIT_TEST
#include "tests/unit/listener_fixture.h"
#include "tests/unit/node_rows.h"

#define ANNA "5df6f817-b099-4bcf-a0ec-6db25097c040"

static struct response
join_as(const char *listener, const char *language)
{
	return at_event("POST", "/join",
	    arena_printf(fixture.mem,
		"{\"data\":{\"listener_id\":\"%s\",\"language\":\"%s\"}}", listener,
		language));
}

static const char *
node_of_channel(void)
{
	return sql("SELECT node FROM channels");
}

static void
is_at(struct response a, const char *host)
{
	const char *start = arena_printf(fixture.mem, "wss://%s/", host);

	ck_assert_int_lt(a.status, 300);
	ck_assert_msg(
	    strncmp(said(&a, "/data/ws_url"), start, strlen(start)) == 0, "%s", a.body);
}

START_TEST(the_address_is_that_of_the_node_that_serves_the_channel)
{
	put_node("a", 900, 14);
	put_node("b", 0, 0);
	set_channel(channel, "node = 'a'");
	is_at(join_as(ANNA, "de"), "a.example.org");
	is_at(join_as(ANNA, "fr"), "a.example.org");
	ck_assert_str_eq(node_of_channel(), "a\n");
}
END_TEST

START_TEST(a_channel_of_a_dead_node_moves_with_the_next_join)
{
	put_node("a", 0, 16);
	put_node("b", 900, 0);
	set_channel(channel, "node = 'a'");
	is_at(join_as(ANNA, "de"), "b.example.org");
	ck_assert_str_eq(node_of_channel(), "b\n");
	put_node("a", 0, 0);
	is_at(join_as(ANNA, "de"), "b.example.org");
	set_channel(channel, "node = 'forgotten'");
	is_at(join_as(ANNA, "de"), "a.example.org");
}
END_TEST

START_TEST(a_channel_without_a_node_is_given_one)
{
	put_node(fixture.app.conf.node, 5, 0);
	put_node("b", 0, 0);
	is_at(join_as(ANNA, "de"), "b.example.org");
	ck_assert_str_eq(node_of_channel(), "b\n");
	set_channel(channel, "node = NULL");
	put_node("b", 100, 0);
	is_at(join_as(ANNA, "de"), "speech.example.org");
	ck_assert_str_eq(node_of_channel(),
	    arena_printf(fixture.mem, "%s\n", fixture.app.conf.node));
}
END_TEST

START_TEST(while_every_gateway_is_dead_a_channel_stays)
{
	put_node("a", 0, 16);
	set_channel(channel, "node = 'a'");
	is_at(join_as(ANNA, "de"), "a.example.org");
	ck_assert_str_eq(node_of_channel(), "a\n");
}
END_TEST

START_TEST(a_channel_waits_for_a_node_longer_than_a_listener_for_a_writer)
{
	pid_t writer;

	is_at(join_as(ANNA, "de"), "speech.example.org");
	put_node("b", 0, 0);
	writer = writer_begin();
	is_at(join_as(ANNA, "de"), "speech.example.org");
	writer_end(writer);
	is_at(join_as(ANNA, "de"), "b.example.org");
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("joins: nodes");
	TCase *t = tcase_create("all");

	tcase_add_checked_fixture(t, listener_fixture, fixture_close);
	tcase_add_test(t, the_address_is_that_of_the_node_that_serves_the_channel);
	tcase_add_test(t, a_channel_of_a_dead_node_moves_with_the_next_join);
	tcase_add_test(t, a_channel_without_a_node_is_given_one);
	tcase_add_test(t, while_every_gateway_is_dead_a_channel_stays);
	tcase_add_test(
	    t, a_channel_waits_for_a_node_longer_than_a_listener_for_a_writer);
	suite_add_tcase(s, t);
	return unit_run(s);
}
