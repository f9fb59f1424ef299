/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Listeners of a channel: their languages, their sound, and their counts. */
#include "tests/unit/channel_session_fixture.h"
#include "tests/unit/event_rows.h"

START_TEST(a_phrase_is_heard_to_its_end)
{
	const char *id = new_channel("[\"es\",\"fr\"]");
	struct websocket *s = connect_to(id, true, NULL),
			 *l = connect_to(id, false, "es"),
			 *fr = connect_to(id, false, "fr"), *late;

	send_24k(s);
	await_seen(l, CHUNK, "\"language\":\"es\"", 1);
	await_seen(fr, CHUNK, "\"language\":\"fr\"", 1);
	late = connect_to(id, false, "es");
	tell(l, "set_language", "{\"language\":\"FR\"}");
	tell(l, "set_language", "{\"language\":\"es\"}");
	tell(l, "set_language", "{\"language\":\"fr\"}");
	await_seen(l, CHUNK, "\"last_chunk\":true", 1);
	ck_assert_int_eq(count_seen(l, CHUNK, "\"language\":\"fr\""), 0);
	ck_assert_int_eq(count_seen(late, CHUNK, ""), 0);
	send_24k(s);
	await_seen(l, CHUNK, "\"last_chunk\":true", 2);
	ck_assert_int_eq(count_seen(l, "[fr]", ""), 1);
	await_seen(late, CHUNK, "\"last_chunk\":true", 1);
	let_it_end(s);
}
END_TEST

START_TEST(a_language_that_is_not_there_is_refused)
{
	const char *id = new_channel("[\"es\"]");
	struct websocket *s = connect_to(id, true, NULL),
			 *l = connect_to(id, false, "es");

	send_24k(s);
	await_seen(l, "[es]", "", 1);
	tell(l, "set_language", "{\"language\":\"fr\"}");
	await_seen(l, "VALIDATION_ERROR", "language: is no target of the task", 1);
	tell(l, "set_language", "{\"language\":\"es-MX\"}");
	send_24k(s);
	await_seen(l, "[es]", "", 2);
	let_it_end(s);
}
END_TEST

START_TEST(the_original_is_heard_as_it_was_said)
{
	const char *id = new_channel("[\"es\"]");
	struct websocket *s = connect_to(id, true, NULL),
			 *l = connect_to(id, false, "original");

	send_24k(s);
	await_seen(l, FINAL, "hello world", 1);
	await_seen(l, CHUNK, "\"language\":\"original\"", 7);
	ck_assert_int_eq(count_seen(l, "[es]", ""), 0);
	ck_assert_int_eq(count_seen(l, CHUNK, "\"language\":\"es\""), 0);
	ck_assert_int_eq(count_seen(s, CHUNK, "\"language\":\"original\""), 0);
	let_it_end(s);
	ck_assert_int_eq(l->code, 0);
	ck_assert_int_eq(count_seen(l, "\"original\"", "\"last_chunk\":true"), 1);
}
END_TEST

START_TEST(a_listener_that_leaves_the_original_is_told_its_end)
{
	const char *id = new_channel("[\"es\"]");
	struct websocket *s = connect_to(id, true, NULL),
			 *all = connect_to(id, false, "all"),
			 *l = connect_to(id, false, "original");

	send_24k(s);
	await_seen(l, CHUNK, "\"language\":\"original\"", 1);
	tell(l, "set_language", "{\"language\":\"es\"}");
	send_24k(s);
	await_seen(l, "\"original\"", "\"last_chunk\":true", 1);
	ck_assert_int_eq(count_seen(all, "\"original\"", "\"last_chunk\":true"), 0);
	let_it_end(s);
}
END_TEST

/* ---- warnings ---- */

static const struct {
	const char *lines, *code;
} troubles[] = {
	{ LINES("fault-tts"), "TTS_UNAVAILABLE" },
	{ LINES("fault-mt"), "TRANSLATION_FAILED" },
};

/* A warning for each of the two targets; the publisher gets both warnings. */
START_TEST(a_warning_is_for_listeners_of_the_language)
{
	const char *id = new_session(), *code = troubles[_i].code;
	struct websocket *writer = connect_as(id, true, false, NULL),
			 *es = connect_as(id, false, true, "es"),
			 *all = connect_as(id, false, true, "all"),
			 *original = connect_as(id, false, true, "original");

	gateway_engines(troubles[_i].lines);
	tell(writer, "set_task", TASK(TO("es") "," TO("fr"), ""));
	await_state(writer, STATE_RUNNING);
	tell(writer, "flush_task", "{}"); /* its time belongs to the next task */
	send_phrase(writer);
	await_seen(writer, "warning", code, 2);
	await_seen(all, "warning", code, 2);
	ck_assert_int_eq(count_seen(es, "warning", code), 1);
	ck_assert_int_eq(count_seen(original, "warning", ""), 0);
	ck_assert_int_ge(count_seen(original, FINAL, ""), 1);
}
END_TEST

/* ---- what is changed meanwhile ---- */

START_TEST(a_language_that_is_taken_away_is_told_and_may_come_back)
{
	const char *id = new_channel("[\"es\",\"fr\"]");
	struct websocket *s = connect_to(id, true, NULL),
			 *fr = connect_to(id, false, "fr"),
			 *es = connect_to(id, false, "es");

	send_24k(s);
	await_seen(fr, "[fr]", "", 1);
	await_seen(fr, CHUNK, "\"last_chunk\":true", 1);
	sql("UPDATE channels SET target_languages = '[\"es\"]'");
	look_again(s);
	await_seen(fr, "VALIDATION_ERROR", "language: is no target of the task", 1);
	send_24k(s);
	await_seen(es, CHUNK, "\"last_chunk\":true", 2);
	ck_assert_int_eq(count_seen(fr, "[fr]", ""), 1);
	ck_assert_int_eq(count_seen(fr, "[es]", ""), 0);
	ck_assert_int_eq(count_seen(es, "VALIDATION_ERROR", ""), 0);
	ck_assert_int_eq(fr->code, 0);
	sql("UPDATE channels SET target_languages = '[\"es\",\"fr\"]'");
	look_again(s);
	send_24k(s);
	await_seen(fr, "[fr]", "", 2);
	let_it_end(s);
}
END_TEST

/* ---- what is counted ---- */

#define BUSY_MS "20"

static void
open_impatient(void)
{
	setenv("DRAGOMAN_DB_BUSY_MS", BUSY_MS, 1);
	gateway_open();
}

static void
close_impatient(void)
{
	gateway_close();
	unsetenv("DRAGOMAN_DB_BUSY_MS");
}

static sqlite3 *
lock_database(void)
{
	sqlite3 *h;

	ck_assert_int_eq(sqlite3_open(fixture.db_path, &h), SQLITE_OK);
	ck_assert_int_eq(
	    sqlite3_exec(h, "BEGIN IMMEDIATE", NULL, NULL, NULL), SQLITE_OK);
	return h;
}

/* The database is locked for this many tries; is the language counted afterwards? */
static const struct {
	int turns;
	bool counted;
} locks[] = { { 0, true }, { 1, true }, { 4, true }, { 5, false } };

START_TEST(a_language_is_counted_though_the_database_was_locked)
{
	const char *event = put_event(fixture.account, "Talk", 7);
	const char *id = new_channel("[\"es\",\"fr\"]");
	struct websocket *l;
	sqlite3 *h;

	sql(arena_printf(fixture.mem, "UPDATE channels SET event = '%s'", event));
	l = connect_to(id, false, "es");
	l->connection->request->listener = "anna";
	tell(l, "set_language", "{\"language\":\"fr\"}");
	h = lock_database();
	for (int i = 0; i < locks[_i].turns; i++)
		gateway_tick();
	sqlite3_close(h);
	gateway_tick();
	ck_assert_str_eq(sql("SELECT listener, language FROM joins"),
	    locks[_i].counted ? "anna|fr\n" : "");
	ck_assert_str_eq(sql("SELECT language, participants FROM heard"),
	    locks[_i].counted ? "fr|1\n" : "");
	ck_assert_int_eq(count_seen(l, "error", ""), 0);
}
END_TEST

START_TEST(a_screen_is_not_counted_whatever_it_shows)
{
	const char *event = put_event(fixture.account, "Talk", 7);
	const char *id = new_channel("[\"es\",\"fr\"]");
	struct websocket *anna, *screen;

	sql(arena_printf(fixture.mem, "UPDATE channels SET event = '%s'", event));
	screen = connect_to(id, false, "es");
	screen->connection->request->listener = "hall";
	screen->connection->request->bystander = true;
	tell(screen, "set_language", "{\"language\":\"fr\"}");
	anna = connect_to(id, false, "es");
	anna->connection->request->listener = "anna";
	tell(anna, "set_language", "{\"language\":\"fr\"}");
	gateway_await(number("SELECT count(*) FROM joins") > 0);
	ck_assert_str_eq(sql("SELECT listener, language FROM joins"), "anna|fr\n");
}
END_TEST

static const struct session *
wanted(const struct session *s, int opus, int original, int partials)
{
	ck_assert_int_eq(s->wanted[FANOUT_OPUS], opus);
	ck_assert_int_eq(s->wanted[FANOUT_ORIGINAL], original);
	ck_assert_int_eq(s->wanted[FANOUT_PARTIALS], partials);
	return s;
}

START_TEST(what_connections_want_is_counted_as_they_enter_tune_and_leave)
{
	const char *id = new_session();
	struct websocket *writer = connect_as(id, true, true, "original");
	const struct session *s = wanted(writer->connection->session, 0, 0, 0);
	struct websocket *a = connect_as(id, false, true, "original"), *b;
	struct connection_request *v = request_as(id, false, true, "es");

	wanted(s, 0, 1, 1);
	v->opus = true;
	b = connect_with(v);
	wanted(s, 1, 1, 1);
	tell(b, "set_language", "{\"language\":\"original\"}");
	tell(b, "set_language", "{\"language\":\"original\"}");
	wanted(s, 1, 2, 2);
	tell(a, "set_language", "{\"language\":\"es\"}");
	wanted(s, 1, 1, 1);
	hang_up(b);
	wanted(s, 0, 0, 0);
	hang_up(a);
	wanted(s, 0, 0, 0);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("gateway: listeners");
	TCase *t = tcase_create("listen"), *locked = tcase_create("locked");

	tcase_add_checked_fixture(t, gateway_open, gateway_close);
	tcase_set_timeout(t, 30);
	tcase_add_test(t, a_phrase_is_heard_to_its_end);
	tcase_add_test(t, a_language_that_is_not_there_is_refused);
	tcase_add_test(t, the_original_is_heard_as_it_was_said);
	tcase_add_test(t, a_listener_that_leaves_the_original_is_told_its_end);
	tcase_add_test(t, a_screen_is_not_counted_whatever_it_shows);
	tcase_add_loop_test(
	    t, a_warning_is_for_listeners_of_the_language, 0, COUNT(troubles));
	tcase_add_test(t, a_language_that_is_taken_away_is_told_and_may_come_back);
	tcase_add_test(
	    t, what_connections_want_is_counted_as_they_enter_tune_and_leave);
	suite_add_tcase(s, t);
	tcase_add_checked_fixture(locked, open_impatient, close_impatient);
	tcase_add_loop_test(locked,
	    a_language_is_counted_though_the_database_was_locked, 0, COUNT(locks));
	suite_add_tcase(s, locked);
	return unit_run(s);
}
