/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Leases of channels: one node owns a channel at a time. */
#include "channel/channel_leases.h"
#include "gateway/leases.h"
#include "store/nodes.h"
#include "store/transcripts.h"
#include "tests/unit/channel_session_fixture.h"
#include "tests/unit/node_rows.h"

static void
setup(void)
{
	gateway_open();
	leases_open(&gateway);
}

static struct lease
taken(const char *id, const char *node)
{
	struct lease l = { 0 };

	ck_assert_int_eq(lease_take(gateway.app.db, id, node, false, &l), OK);
	return l;
}

static enum err
take(const char *id, const char *node, bool anywhere)
{
	struct lease l;

	return lease_take(gateway.app.db, id, node, anywhere, &l);
}

static void
set_channel(const char *id, const char *what)
{
	sql(arena_printf(
	    fixture.mem, "UPDATE channels SET %s WHERE id = '%s'", what, id));
}

/* ---- rows ---- */

START_TEST(a_summary_has_the_state_of_a_node_and_its_leases)
{
	const char *first = new_channel("[\"es\"]"), *second = new_channel("[\"es\"]");
	const struct node_summary *n;
	struct list all;

	put_node("a", 0, 0);
	put_node("b", 0, 0);
	put_node("c", 0, 16);
	ck_assert_int_eq(node_drain(gateway.app.db, "b", true), OK);
	taken(first, "a");
	taken(second, "a");
	set_channel(second, "lease_until_us = 1000");
	ck_assert_int_eq(node_summaries(gateway.app.db, fixture.mem, &all), OK);
	ck_assert_int_eq(all.n, 3);
	n = all.items;
	ck_assert_str_eq(n[0].state, "ready");
	ck_assert_int_eq(n[0].channels, 2);
	ck_assert_int_eq(n[0].lease_until_us, 1000);
	ck_assert_str_eq(n[1].state, "draining");
	ck_assert_int_eq(n[1].channels, 0);
	ck_assert_int_eq(n[1].lease_until_us, NULL_INT);
	ck_assert_str_eq(n[2].state, "down");
}
END_TEST

START_TEST(only_one_node_has_a_channel)
{
	const char *id = new_channel("[\"es\"]");
	struct lease first, again;

	put_node("a", 0, 0);
	put_node("b", 0, 0);
	first = taken(id, "a");
	ck_assert_int_eq(first.epoch, 1);
	ck_assert(first.until_us > monotonic_us() + 5 * S_US);
	ck_assert(first.until_us <= monotonic_us() + 6 * S_US);
	ck_assert_int_eq(take(id, "b", false), ERR_CONFLICT);
	ck_assert_int_eq(take(id, "b", true), ERR_CONFLICT);
	again = taken(id, "a");
	ck_assert_int_eq(again.epoch, 2);
	set_channel(id, "lease_until_us = 1");
	ck_assert_int_eq(taken(id, "b").epoch, 3);
	ck_assert_int_eq(take(id, "a", false), ERR_CONFLICT);
	ck_assert_int_eq(take(id_new(fixture.mem), "a", false), ERR_CONFLICT);
}
END_TEST

START_TEST(a_lone_node_keeps_a_channel_for_a_minute)
{
	const char *id = new_channel("[\"es\"]");

	put_node("a", 0, 0);
	put_node("dead", 0, 61);
	ck_assert(taken(id, "a").until_us > monotonic_us() + 58 * S_US);
}
END_TEST

START_TEST(a_channel_let_go_stays_with_a_node_that_lives)
{
	const char *id = new_channel("[\"es\"]");
	struct lease l;

	put_node("a", 0, 0);
	sql("UPDATE nodes SET schema_version = 38");
	l = taken(id, "a");
	ck_assert_int_eq(lease_release(gateway.app.db, "a", &l), OK);
	ck_assert_str_eq(channel_row(id, "node, lease_until_us"), "a|0\n");
	ck_assert_int_eq(take(id, "b", false), ERR_CONFLICT);
	ck_assert_int_eq(take(id, "b", true), OK);
}
END_TEST

/* It serves its channels without leases. */
START_TEST(a_node_of_the_last_release_keeps_its_channels)
{
	const char *id = new_channel("[\"es\"]");

	put_node("old", 0, 0);
	sql("UPDATE nodes SET schema_version = 37");
	set_channel(id, "node = 'old'");
	ck_assert_int_eq(take(id, "b", true), ERR_CONFLICT);
	put_node("old", 0, 16);
	ck_assert_int_eq(take(id, "b", true), OK);
}
END_TEST

START_TEST(the_owner_hands_a_channel_over)
{
	const char *id = new_channel("[\"es\"]");
	struct lease l = taken(id, "a");
	struct list all = { &l, 1 }, kept;

	ck_assert_int_eq(lease_hand(gateway.app.db, id, "b", "c"), ERR_NOT_FOUND);
	ck_assert_int_eq(lease_hand(gateway.app.db, id, "a", "b"), OK);
	ck_assert_int_eq(
	    lease_renew(gateway.app.db, fixture.mem, "a", &all, &kept), OK);
	ck_assert_int_eq(kept.n, 1);
	ck_assert(((const struct lease *)kept.items)->handed);
	ck_assert_int_eq(lease_release(gateway.app.db, "a", &l), OK);
	ck_assert_str_eq(
	    channel_row(id, "node, handed_to, lease_until_us"), "b|NULL|0\n");
}
END_TEST

/* A drained node tells each of its channels once. */
START_TEST(the_channels_of_a_node_say_which_were_handed_over)
{
	const char *ids[] = { new_channel("[\"es\"]"), new_channel("[\"es\"]") };
	const struct node_channel *of;
	struct list all;

	for (int i = 0; i < 2; i++) {
		taken(ids[i], "a");
		set_channel(ids[i], "runtime = 'active'");
	}
	ck_assert_int_eq(lease_hand(gateway.app.db, ids[1], "a", "b"), OK);
	ck_assert_int_eq(node_channels(gateway.app.db, fixture.mem, "a", &all), OK);
	ck_assert_int_eq(all.n, 2);
	of = all.items;
	for (int i = 0; i < 2; i++)
		ck_assert_int_eq(of[i].handed, strcmp(of[i].id, ids[1]) == 0);
}
END_TEST

/* ---- transcripts ---- */

static void
add_line(const char *id, int64_t epoch, int64_t end_us, bool stored)
{
	static int n;
	const struct transcript_line l = { .channel = id,
		.segment = arena_printf(fixture.mem, "s%d", n++),
		.language = "en",
		.original = true,
		.text = "Hello.",
		.epoch = epoch,
		.start_us = end_us - S_US,
		.end_us = end_us };
	int64_t was = number("SELECT count(*) FROM transcript_lines");

	ck_assert_int_eq(db_begin(gateway.app.db, DB_ROWS), OK);
	ck_assert_int_eq(transcript_add(gateway.app.db, &l), OK);
	ck_assert_int_eq(db_commit(gateway.app.db), OK);
	ck_assert_int_eq(number("SELECT count(*) FROM transcript_lines"), was + stored);
}

START_TEST(a_former_owner_adds_only_lines_of_its_time)
{
	const char *id = new_channel("[\"es\"]");

	set_channel(id, "keep_transcript = 1");
	taken(id, "a");
	add_line(id, 1, now_us(), true);
	set_channel(id, "lease_until_us = 1");
	taken(id, "b");
	add_line(id, 1, now_us() + S_US, false);
	add_line(id, 2, now_us() + S_US, true);
	add_line(id, 1, now_us() - S_US, true);
}
END_TEST

/* ---- sessions ---- */

static struct websocket *
listen_to_leased(const char *id)
{
	struct connection_request *v = request_to(id, false, NULL);

	ck_assert_int_eq(leases_take(&gateway, id, false, &v->lease), OK);
	return connect_with(v);
}

static void
renew_now(void)
{
	gateway.leases_us = 0;
	gateway_wait(20);
}

START_TEST(a_channel_ends_before_its_lease)
{
	struct websocket *s = listen_to_leased(new_channel("[\"es\"]"));

	gateway_wait(20);
	ck_assert_int_eq(s->code, 0);
	s->connection->session->owned.until_us = monotonic_us();
	await_end(s, 1008);
}
END_TEST

START_TEST(a_lease_is_renewed)
{
	struct websocket *s = listen_to_leased(new_channel("[\"es\"]"));
	int64_t until_us = s->connection->session->owned.until_us;

	renew_now();
	ck_assert(s->connection->session->owned.until_us > until_us);
	ck_assert_int_eq(s->connection->session->owned.epoch, 1);
}
END_TEST

START_TEST(a_channel_that_another_node_took_ends)
{
	const char *id = new_channel("[\"es\"]");
	struct websocket *s = listen_to_leased(id);

	set_channel(id, "node = 'b', epoch = 2, runtime = 'active'");
	renew_now();
	await_end(s, 1008);
	ck_assert_str_eq(channel_row(id, "node, epoch, runtime"), "b|2|active\n");
}
END_TEST

/* The renewal may come before the session reads the row. */
START_TEST(a_deleted_channel_is_at_no_other_node)
{
	struct websocket *s = listen_to_leased(new_channel("[\"es\"]"));

	gateway_wait(20);
	sql("DELETE FROM channels");
	renew_now();
	await_end(s, 1000);
}
END_TEST

START_TEST(a_channel_handed_over_leaves_in_a_pause)
{
	const char *id = new_channel("[\"es\"]");
	struct websocket *s = listen_to_leased(id);

	ck_assert_int_eq(lease_hand(gateway.app.db, id, gateway.conf->node, "b"), OK);
	renew_now();
	await_end(s, 1008);
	await_row(id, "node, handed_to, lease_until_us", "b|NULL|0\n");
}
END_TEST

/* After a break of the database the same session goes on. */
START_TEST(a_new_lease_continues_a_session)
{
	const char *id = new_channel("[\"es\"]");
	struct websocket *s = listen_to_leased(id), *other;

	set_channel(id, "epoch = 5");
	gateway.namesake = true;
	ck_assert_int_eq(
	    leases_take(&gateway, id, false, &(struct lease){ 0 }), OK); /* it has it */
	gateway.namesake = false;
	leases_drop(&gateway, &s->connection->session->owned);
	other = listen_to_leased(id);
	ck_assert_ptr_eq(s->connection->session, other->connection->session);
	ck_assert_int_eq(s->connection->session->owned.epoch, 6);
}
END_TEST

/* ---- two hosts with one name ---- */

static enum err
beat(const char *host)
{
	return node_beat(gateway.app.db, &(const struct node){ .id = "a",
					     .public_url = "https://a.example.org",
					     .host = host,
					     .schema_version = NULL_INT });
}

START_TEST(two_hosts_cannot_be_one_node)
{
	ck_assert_int_eq(beat(NULL), OK);
	ck_assert_int_eq(beat("x"), OK);
	ck_assert_int_eq(beat("x"), OK);
	ck_assert_int_eq(beat("y"), ERR_CONFLICT);
	sql(arena_printf(fixture.mem, "UPDATE nodes SET seen_us = %lld",
	    (long long)(now_us() - 16 * S_US)));
	ck_assert_int_eq(beat("y"), OK);
	ck_assert_int_eq(beat("x"), ERR_CONFLICT);
}
END_TEST

START_TEST(a_namesake_takes_no_channel)
{
	struct lease l;

	gateway.namesake = true;
	ck_assert_int_eq(
	    leases_take(&gateway, new_channel("[\"es\"]"), false, &l), ERR_BUSY);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("leases");
	TCase *t = tcase_create("all");

	tcase_add_checked_fixture(t, setup, gateway_close);
	tcase_add_test(t, a_summary_has_the_state_of_a_node_and_its_leases);
	tcase_add_test(t, only_one_node_has_a_channel);
	tcase_add_test(t, a_lone_node_keeps_a_channel_for_a_minute);
	tcase_add_test(t, a_channel_let_go_stays_with_a_node_that_lives);
	tcase_add_test(t, a_node_of_the_last_release_keeps_its_channels);
	tcase_add_test(t, the_owner_hands_a_channel_over);
	tcase_add_test(t, the_channels_of_a_node_say_which_were_handed_over);
	tcase_add_test(t, a_former_owner_adds_only_lines_of_its_time);
	tcase_add_test(t, a_channel_ends_before_its_lease);
	tcase_add_test(t, a_lease_is_renewed);
	tcase_add_test(t, a_channel_that_another_node_took_ends);
	tcase_add_test(t, a_deleted_channel_is_at_no_other_node);
	tcase_add_test(t, a_channel_handed_over_leaves_in_a_pause);
	tcase_add_test(t, a_new_lease_continues_a_session);
	tcase_add_test(t, two_hosts_cannot_be_one_node);
	tcase_add_test(t, a_namesake_takes_no_channel);
	suite_add_tcase(s, t);
	return unit_run(s);
}
