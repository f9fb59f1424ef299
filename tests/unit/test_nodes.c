/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Hosts over one database: the choice of a node for a new session, and the settings
 * that they must share.
 */
#define UNIT_TEST
#include "tests/unit/node_rows.h"
#include "tests/unit/session_fixture.h"

static void
setup(void)
{
	session_fixture();
	fixture.app.conf.blob_dir =
	    arena_printf(fixture.mem, "%s/var/blobs", fixture.dir);
}

/* ---- where a new session is ---- */

static struct response
made(void)
{
	struct response a = ask(NEW, NULL);

	answered(a, 201);
	return a;
}

/* Every address of a session must begin with this. */
static void
is_at(struct response a, const char *host, const char *prefix)
{
	static const char *const all[] = { "ws_url", "ws_tts_url", "ws_stt_url",
		"webrtc_url" };

	for (int i = 0; i < COUNT(all); i++) {
		const char *url =
		    said(&a, arena_printf(fixture.mem, "/data/%s", all[i]));
		const char *start = arena_printf(
		    fixture.mem, "%s://%s%s/", i < 3 ? "wss" : "https", host, prefix);

		ck_assert_msg(
		    strncmp(url, start, strlen(start)) == 0, "%s: %s", all[i], url);
	}
}

static const char *
node_of(struct response a)
{
	return sql(arena_printf(fixture.mem,
	    "SELECT node FROM sessions WHERE id = '%s'", said(&a, "/data/id")));
}

START_TEST(a_session_is_at_the_node_alive_that_has_the_least_load)
{
	struct response a;

	put_node("busy", 500, 0);
	put_node("idle", 20, 14);
	put_node("dead", 0, 16);
	a = made();
	is_at(a, "idle.example.org", "/live");
	ck_assert_str_eq(node_of(a), "idle\n");
}
END_TEST

START_TEST(what_a_node_was_given_counts_until_its_next_heartbeat)
{
	put_node("one", 0, 0);
	put_node("two", 15, 0);
	ck_assert_str_eq(node_of(made()), "one\n");
	ck_assert_str_eq(node_of(made()), "one\n");
	ck_assert_str_eq(node_of(made()), "two\n");
	put_node("two", 0, 0);
	ck_assert_str_eq(node_of(made()), "two\n");
}
END_TEST

/* This host's address comes from its settings, not from its row. */
START_TEST(a_session_of_this_node_has_the_address_of_the_settings)
{
	struct response a;

	put_node(fixture.app.conf.node, 0, 0);
	a = made();
	is_at(a, "speech.example.org", "");
	ck_assert_str_eq(
	    node_of(a), arena_printf(fixture.mem, "%s\n", fixture.app.conf.node));
}
END_TEST

START_TEST(while_no_gateway_is_alive_a_session_has_no_node)
{
	struct response a = made();

	is_at(a, "speech.example.org", "");
	ck_assert_str_eq(node_of(a), "NULL\n");
	put_node("dead", 0, 16);
	a = made();
	is_at(a, "speech.example.org", "");
	ck_assert_str_eq(node_of(a), "NULL\n");
}
END_TEST

START_TEST(nodes_and_workers_that_are_long_gone_are_forgotten)
{
	struct db *db = fixture.app.db;

	put_node("here", 0, 0);
	put_node("gone", 0, 100);
	sql("INSERT INTO workers (node, name, last_run_us) VALUES ('gone', 'janitor', "
	    "1),"
	    " ('here', 'janitor', 9000000000000000)");
	ck_assert_int_eq(node_forget(db, now_us() - 60 * S_US), OK);
	ck_assert_str_eq(
	    sql("SELECT id FROM nodes; SELECT node FROM workers"), "here\nhere\n");
}
END_TEST

/* ---- what nodes have in common ---- */

/* Returns the names of differing settings, each followed by a blank. */
static const char *
differences(bool join)
{
	struct buf b = { .mem = fixture.mem };
	struct list l;

	ck_assert_int_eq(
	    node_differs(fixture.app.db, fixture.mem, &fixture.app.conf, join, &l), OK);
	for (size_t i = 0; i < l.n; i++)
		buf_printf(&b, "%s ", ((const char *const *)l.items)[i]);
	return buf_text(&b);
}

static bool
is_fit(void)
{
	struct work w = { fixture.app.db, fixture.mem, &fixture.app.conf };

	return node_is_fit(&w);
}

static void
other_key(void)
{
	fixture.app.conf.master[7] ^= 1;
}

/* Returns that path on a host where the shared folder is not mounted. */
static void
other_folder(void)
{
	const char *dir = arena_printf(fixture.mem, "%s/var/unmounted", fixture.dir);

	mkdir(dir, 0700);
	fixture.app.conf.blob_dir = dir;
}

static void
other_store(void)
{
	fixture.app.conf.blob_store = "s3";
	fixture.app.conf.blob_endpoint = "https://s3.example.org";
}

static void
other_bucket(void)
{
	fixture.app.conf.blob_bucket = "another";
}

static const struct {
	void (*change)(void);
	const char *differs;
} changes[] = {
	{ other_key, "secret.key " },
	{ other_folder, "store " },
	{ other_store, "store " },
	{ other_bucket, "bucket " },
};

START_TEST(what_differs_from_the_first_node_is_named_until_it_is_accepted)
{
	ck_assert_str_eq(differences(false), "");
	ck_assert_str_eq(differences(true), "");
	ck_assert_str_eq(differences(true), "");
	ck_assert(is_fit());
	changes[_i].change();
	ck_assert(!is_fit());
	ck_assert_str_eq(differences(true), changes[_i].differs);
	ck_assert_str_eq(differences(false), changes[_i].differs);
	ck_assert_int_eq(
	    node_accept(fixture.app.db, fixture.mem, &fixture.app.conf), OK);
	ck_assert_str_eq(differences(false), "");
}
END_TEST

START_TEST(a_store_at_another_path_is_the_same_store)
{
	const char *moved = arena_printf(fixture.mem, "%s/var/moved", fixture.dir);

	ck_assert_str_eq(differences(true), "");
	ck_assert_int_eq(rename(fixture.app.conf.blob_dir, moved), 0);
	fixture.app.conf.blob_dir = moved;
	ck_assert_str_eq(differences(true), "");
}
END_TEST

START_TEST(a_fingerprint_holds_nothing_of_what_it_is_of)
{
	const char *all, *key;

	ck_assert_str_eq(differences(true), "");
	all = sql("SELECT value FROM fingerprints");
	key = hex(fixture.mem, fixture.app.conf.master, 8);
	ck_assert_uint_eq(strlen(all), 3 * 17);
	ck_assert_ptr_null(strstr(all, key));
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("nodes");
	TCase *t = tcase_create("all");

	tcase_add_checked_fixture(t, setup, fixture_close);
	tcase_add_test(t, a_session_is_at_the_node_alive_that_has_the_least_load);
	tcase_add_test(t, what_a_node_was_given_counts_until_its_next_heartbeat);
	tcase_add_test(t, a_session_of_this_node_has_the_address_of_the_settings);
	tcase_add_test(t, while_no_gateway_is_alive_a_session_has_no_node);
	tcase_add_test(t, nodes_and_workers_that_are_long_gone_are_forgotten);
	tcase_add_loop_test(t,
	    what_differs_from_the_first_node_is_named_until_it_is_accepted, 0,
	    COUNT(changes));
	tcase_add_test(t, a_store_at_another_path_is_the_same_store);
	tcase_add_test(t, a_fingerprint_holds_nothing_of_what_it_is_of);
	suite_add_tcase(s, t);
	return unit_run(s);
}
