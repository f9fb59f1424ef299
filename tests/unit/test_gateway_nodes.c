/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One of several gateways over one database: the clients that it serves, the clients
 * that it redirects, and its reports to the other gateways.
 */
#include "channel/channel_session.h"
#include "gateway/listener_limit.h"
#include "server/heartbeat.h"
#include "service/node.h"
#include "tests/unit/channel_session_fixture.h"
#include "tests/unit/node_rows.h"

#define KEYS "first:0123456789abcdef0123456789abcdef"
#define S2S "/streaming-api/v1/speech-to-speech/stream"

static void
setup(void)
{
	gateway_open();
	fixture.app.conf.session_jwt_keys = KEYS;
	sql("UPDATE accounts SET balance_micro = 1000000");
}

/* ---- a token at the entrance ---- */

static struct buf answer;

/* Connects; room: a channel's room begins with the channel's id. False: refused. */
static bool
knock(const char *path, const char *id, const char *room)
{
	const char *token = stream_token_make(fixture.mem, KEYS, now_us(),
	    &(const struct stream_token){ .role = STREAM_PUBLISHER,
		.sid = id,
		.room = room,
		.expires_us = now_us() + 60 * S_US });
	const char *text = arena_printf(fixture.mem,
	    "GET %s?token=%s HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\n"
	    "Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
	    "Sec-WebSocket-Key: x\r\n\r\n",
	    path, token);
	struct connection_request *v;
	struct http_head h;

	answer = (struct buf){ .mem = fixture.mem };
	ck_assert(http_head_read(fixture.mem, text, strlen(text), &h));
	if ((v = http_routes_answer(&gateway, fixture.mem, &h, "127.0.0.1", &answer)) ==
	    NULL)
		return false;
	listener_limit_leave(&gateway, v);
	gateway.connections--;
	arena_free(v->call.message.mem);
	gateway_tick();
	return true;
}

static void
answers(const char *text)
{
	ck_assert_msg(
	    strstr(buf_text(&answer), text) != NULL, "%s: %s", text, buf_text(&answer));
}

static const struct {
	const char *table, *path, *at;
} things[] = {
	{ "sessions", S2S, "wss://other.example.org/live" S2S },
	{ "sessions", "/streaming-api/abcd/v1/speech-to-speech/stream",
	    "wss://other.example.org/live/streaming-api/abcd/v1/speech-to-speech/"
	    "stream" },
	{ "sessions", "/asr/v1/speech-to-text/stream",
	    "wss://other.example.org/live/asr/v1/speech-to-text/stream" },
	{ "sessions", "/tts-api/v1/text-to-speech/stream",
	    "wss://other.example.org/live/tts-api/v1/text-to-speech/stream" },
	{ "channels", S2S, "wss://other.example.org/live" S2S },
};

static bool
is_channel(int i)
{
	return strcmp(things[i].table, "channels") == 0;
}

static const char *
new_thing(int i)
{
	return is_channel(i) ? new_channel("[\"es\"]") : new_session();
}

static bool
knock_for(int i, const char *id)
{
	return knock(things[i].path, id,
	    is_channel(i) ? arena_printf(fixture.mem, "%s-1", id) : "room");
}

static void
set_node(int i, const char *id, const char *node)
{
	sql(arena_printf(fixture.mem, "UPDATE %s SET node = '%s' WHERE id = '%s'",
	    things[i].table, node, id));
}

static const char *
node_of(int i, const char *id)
{
	return sql(arena_printf(
	    fixture.mem, "SELECT node FROM %s WHERE id = '%s'", things[i].table, id));
}

static const char *
ours(void)
{
	return arena_printf(fixture.mem, "%s\n", gateway.conf->node);
}

START_TEST(what_another_node_serves_is_sent_there)
{
	const char *id = new_thing(_i);

	put_node("other", 0, 14);
	set_node(_i, id, "other");
	ck_assert(!knock_for(_i, id));
	answers("HTTP/1.1 307 ");
	answers(arena_printf(fixture.mem, "\r\nLocation: %s?token=", things[_i].at));
	answers("\"error_code\":100112");
	answers(arena_printf(fixture.mem, "connect to %s.", things[_i].at));
	ck_assert_str_eq(node_of(_i, id), "other\n");
}
END_TEST

START_TEST(what_no_node_serves_is_taken)
{
	const char *id = new_thing(_i);

	ck_assert(knock_for(_i, id));
	ck_assert_str_eq(node_of(_i, id), ours());
	ck_assert(knock_for(_i, id));
}
END_TEST

START_TEST(what_a_dead_node_served_is_taken)
{
	const char *id = new_thing(_i);

	put_node("other", 0, 16);
	set_node(_i, id, "other");
	ck_assert(knock_for(_i, id));
	ck_assert_str_eq(node_of(_i, id), ours());
	set_node(_i, id, "forgotten");
	ck_assert(knock_for(_i, id));
	ck_assert_str_eq(node_of(_i, id), ours());
}
END_TEST

START_TEST(what_was_taken_meanwhile_is_not_taken_from_the_third)
{
	const char *id = new_session();

	set_node(0, id, "third");
	ck_assert_int_eq(node_move(gateway.app.db,
			     &(const struct node_task){ NODE_SESSION, id, "other" },
			     gateway.conf->node),
	    ERR_STALE);
	ck_assert_int_eq(node_move(gateway.app.db,
			     &(const struct node_task){ NODE_SESSION, id, NULL },
			     gateway.conf->node),
	    ERR_STALE);
	ck_assert_str_eq(node_of(0, id), "third\n");
}
END_TEST

START_TEST(connections_end_when_another_node_has_taken_the_channel)
{
	const char *id = new_channel("[\"es\"]");
	struct websocket *s = connect_to(id, true, NULL);

	put_node("other", 0, 0);
	set_node(4, id, "other");
	sql("UPDATE channels SET runtime = 'active'"); /* as the other node reports */
	look_again(s);
	ck_assert_int_eq(s->code, 1008);
	ck_assert_str_eq(s->reason, "other node");
	await_seen(s, "SESSION_CLOSED", "Another node", 1);
	ck_assert_str_eq(channel_row(id, "runtime"), "active\n");
}
END_TEST

/* ---- channels that were active when their gateway died ---- */

START_TEST(a_gateway_that_begins_leaves_active_what_others_serve)
{
	const char *const nodes[] = { gateway.conf->node, "other", "dead" };
	const char *ids[3];

	put_node("other", 0, 0);
	put_node("dead", 0, 16);
	for (int i = 0; i < 3; i++) {
		ids[i] = new_channel("[\"es\"]");
		set_node(4, ids[i], nodes[i]);
	}
	sql("UPDATE channels SET runtime = 'active'");
	ck_assert_int_eq(
	    channel_row_reset(gateway.app.db, fixture.mem, gateway.conf, false), OK);
	ck_assert_str_eq(channel_row(ids[0], "runtime"), "active\n");
	ck_assert_str_eq(channel_row(ids[2], "runtime"), "stopped\n");
	ck_assert_int_eq(
	    channel_row_reset(gateway.app.db, fixture.mem, gateway.conf, true), OK);
	ck_assert_str_eq(channel_row(ids[0], "runtime"), "stopped\n");
	ck_assert_str_eq(channel_row(ids[1], "runtime"), "active\n");
}
END_TEST

/* ---- heartbeats ---- */

START_TEST(a_heartbeat_says_where_the_gateway_is_and_how_much_it_has_to_do)
{
	fixture.app.conf.stream_public_url = "https://a.example.org";
	fixture.app.conf.stream_max_connections = 100;
	fixture.app.conf.stream_max_asr = 4;
	gateway.connections = 30;
	gateway.tasks = 1;
	heartbeat(&gateway, fixture.mem);
	ck_assert_str_eq(
	    sql("SELECT id, public_url, connections, tasks, load FROM nodes"),
	    arena_printf(fixture.mem, "%s|https://a.example.org|30|1|300\n",
		gateway.conf->node));
	gateway.tasks = 2;
	heartbeat(&gateway, fixture.mem); /* too soon */
	ck_assert_str_eq(sql("SELECT load FROM nodes"), "300\n");
	gateway.beat_us -= NODE_BEAT_US;
	heartbeat(&gateway, fixture.mem);
	ck_assert_str_eq(sql("SELECT load FROM nodes"), "500\n");
	gateway.connections = gateway.tasks = 0;
}
END_TEST

/* The differing node is alive, so no other node claims its sessions. */
START_TEST(a_node_that_differs_is_the_last_to_be_chosen_until_it_is_accepted)
{
	heartbeat(&gateway, fixture.mem);
	ck_assert_int_eq(number("SELECT count(*) FROM nodes"), 1);
	sql("DELETE FROM nodes");
	fixture.app.conf.blob_bucket = "another";
	gateway.beat_us = gateway.compared_us = 0;
	heartbeat(&gateway, fixture.mem);
	ck_assert_int_eq(number("SELECT load > 999999 FROM nodes"), 1);
	ck_assert_int_eq(node_accept(gateway.app.db, fixture.mem, gateway.conf), OK);
	gateway.beat_us = gateway.compared_us = 0;
	heartbeat(&gateway, fixture.mem);
	ck_assert_int_eq(number("SELECT load > 999999 FROM nodes"), 0);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("gateway: nodes");
	TCase *t = tcase_create("all");

	tcase_add_checked_fixture(t, setup, gateway_close);
	tcase_add_loop_test(
	    t, what_another_node_serves_is_sent_there, 0, COUNT(things));
	tcase_add_loop_test(t, what_no_node_serves_is_taken, 0, COUNT(things));
	tcase_add_loop_test(t, what_a_dead_node_served_is_taken, 0, COUNT(things));
	tcase_add_test(t, what_was_taken_meanwhile_is_not_taken_from_the_third);
	tcase_add_test(t, connections_end_when_another_node_has_taken_the_channel);
	tcase_add_test(t, a_gateway_that_begins_leaves_active_what_others_serve);
	tcase_add_test(
	    t, a_heartbeat_says_where_the_gateway_is_and_how_much_it_has_to_do);
	tcase_add_test(
	    t, a_node_that_differs_is_the_last_to_be_chosen_until_it_is_accepted);
	suite_add_tcase(s, t);
	return unit_run(s);
}
