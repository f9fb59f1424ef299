/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A gateway's counts of listeners, and their rows in the database. */
#include "gateway/listener_count.h"
#include "server/heartbeat.h"
#include "store/listening.h"
#include "tests/unit/channel_session_fixture.h"
#include "tests/unit/event_rows.h"
#include "tests/unit/node_rows.h"

static const char *event, *hall;

static void
setup(void)
{
	gateway_open();
	event = put_event(fixture.account, "Talk", 7);
	hall = new_channel("[\"es\",\"de\"]");
	sql(arena_printf(fixture.mem, "UPDATE channels SET event = '%s'", event));
}

/* Adds a listener with that name and language. */
static struct websocket *
listen_as(const char *channel, const char *listener, const char *language)
{
	struct connection_request *v = request_to(channel, false, language);

	v->listener = arena_str(v->call.message.mem, listener);
	return connect_with(v);
}

/* Counts all listeners after a second, then sends the heartbeat. */
static void
beat(void)
{
	struct arena *mem = arena_new();

	listeners_tick(&gateway, gateway.listeners_us + 2 * S_US);
	gateway_tick();
	gateway.beat_us = 0;
	heartbeat(&gateway, mem);
	arena_free(mem);
}

static const char *
counted(void)
{
	return sql("SELECT language, listeners FROM listening ORDER BY 1");
}

static const char *
minutes(void)
{
	return sql(
	    "SELECT language, listeners FROM listening_minutes ORDER BY at_us, 1");
}

START_TEST(each_listener_counts_once_in_a_language)
{
	listen_as(hall, "anna", "es");
	listen_as(hall, "anna", "es");
	listen_as(hall, "anna", "original");
	listen_as(hall, "bert", "es");
	listen_as(hall, "carl", "de");
	beat();
	ck_assert_str_eq(counted(), "de|1\nes|2\noriginal|1\n");
	ck_assert_str_eq(sql("SELECT DISTINCT event, channel, node FROM listening"),
	    arena_printf(
		fixture.mem, "%s|%s|%s\n", event, hall, fixture.app.conf.node));
}
END_TEST

START_TEST(listeners_of_all_languages_count_for_the_original)
{
	listen_as(hall, "anna", "all");
	listen_as(hall, "anna", "original");
	beat();
	ck_assert_str_eq(counted(), "original|1\n");
}
END_TEST

START_TEST(speakers_screens_and_subscribers_do_not_count)
{
	struct connection_request *v = request_to(hall, false, "es");

	v->listener = "screen";
	v->bystander = true;
	connect_with(v);
	connect_to(hall, false, "es"); /* the socket has no listener's id */
	connect_to(hall, true, NULL);
	beat();
	ck_assert_str_eq(counted(), "");
	ck_assert_str_eq(minutes(), "");
}
END_TEST

START_TEST(listeners_that_tune_or_leave_are_counted_again)
{
	struct websocket *anna = listen_as(hall, "anna", "es");

	listen_as(hall, "bert", "es");
	beat();
	ck_assert_str_eq(counted(), "es|2\n");
	tell(anna, "set_language", "{\"language\":\"de\"}");
	beat();
	ck_assert_str_eq(counted(), "de|1\nes|1\n");
	hang_up(anna);
	beat();
	ck_assert_str_eq(counted(), "es|1\n");
}
END_TEST

START_TEST(halls_are_counted_each_by_itself)
{
	const char *other = new_channel("[\"es\"]"), *alone;

	sql(arena_printf(fixture.mem, "UPDATE channels SET event = '%s'", event));
	alone = new_channel("[\"es\"]");
	listen_as(hall, "anna", "es");
	listen_as(other, "anna", "es");
	listen_as(other, "bert", "es");
	listen_as(alone, "carl", "es");
	beat();
	ck_assert_str_eq(sql("SELECT listeners FROM listening ORDER BY 1"), "1\n2\n");
	ck_assert_int_eq(number("SELECT count(*) FROM listening_minutes"), 2);
}
END_TEST

/* Listeners join and leave within one minute; false: another minute began. */
static bool
come_and_go(void)
{
	int64_t minute = now_us() / LISTENING_MINUTE_US;
	struct websocket *bert;

	sql("DELETE FROM listening_minutes");
	beat();
	listen_as(hall, id_new(fixture.mem), "es");
	bert = listen_as(hall, "bert", "de");
	beat();
	hang_up(bert);
	beat();
	return now_us() / LISTENING_MINUTE_US == minute;
}

START_TEST(a_minute_keeps_the_most_of_it)
{
	while (!come_and_go())
		;
	ck_assert_str_eq(minutes(), arena_printf(fixture.mem, "de|1\n%s",
					sql("SELECT language, listeners FROM listening "
					    "WHERE language = 'es'")));
	ck_assert_str_eq(
	    sql("SELECT count(*) FROM listening WHERE language = 'de'"), "0\n");
}
END_TEST

START_TEST(a_beat_without_news_writes_no_numbers)
{
	listen_as(hall, "anna", "es");
	beat();
	sql("DELETE FROM listening");
	gateway.minute_us = now_us() / LISTENING_MINUTE_US * LISTENING_MINUTE_US;
	ck_assert(!listener_count_is_due(&gateway, gateway.minute_us));
	ck_assert(
	    listener_count_is_due(&gateway, gateway.minute_us + LISTENING_MINUTE_US));
}
END_TEST

START_TEST(a_gateway_that_begins_removes_what_it_counted_before)
{
	put_node(fixture.app.conf.node, 0, 0);
	put_node("other", 0, 0);
	sql(arena_printf(fixture.mem,
	    "INSERT INTO listening VALUES ('%s', 'c', 'es', '%s', 9),"
	    " ('%s', 'd', 'es', 'other', 8)",
	    event, fixture.app.conf.node, event));
	beat();
	ck_assert_str_eq(counted(), "es|8\n");
}
END_TEST

START_TEST(what_could_not_be_written_comes_with_the_next_beat)
{
	listen_as(hall, "anna", "es");
	listeners_tick(&gateway, gateway.listeners_us + 2 * S_US);
	gateway_tick();
	for (int n = 1; strcmp(counted(), "") == 0; n++) {
		struct arena *mem = arena_new();

		ck_assert_str_eq(minutes(), "");
		db_fault(gateway.app.db, n, ERR_BUSY);
		gateway.beat_us = 0;
		gateway.compared_us = monotonic_us();
		heartbeat(&gateway, mem);
		db_fault(gateway.app.db, 0, OK);
		arena_free(mem);
	}
	ck_assert_str_eq(counted(), "es|1\n");
	ck_assert_str_eq(minutes(), "es|1\n");
}
END_TEST

/* Returns the current listeners in the answer to get_task. */
static const char *
told(struct websocket *speaker)
{
	int at = speaker->n;
	const char *m;

	tell(speaker, "get_task", "{}");
	m = seen_from(speaker, &at, "\"current_task\"", "\"listeners\":");
	ck_assert_ptr_nonnull(m);
	m = strstr(m, "\"listeners\":") + 12;
	return arena_printf(fixture.mem, "%.*s", (int)strcspn(m, "}") + 1, m);
}

START_TEST(a_speaker_is_told_the_present_listeners)
{
	const char *id = new_session();
	struct websocket *speaker = connect_as(id, true, true, NULL);

	connect_as(id, false, true, NULL); /* the listener receives the first target */
	tell(speaker, "set_task", TASK(TO("es") "," TO("de"), ""));
	await_state(speaker, STATE_RUNNING);
	ck_assert_str_eq(told(speaker), "{\"es\":1}");
	connect_as(id, false, true, "de");
	usleep(1000); /* a count is cached for some time */
	ck_assert_str_eq(told(speaker), "{\"de\":1,\"es\":1}");
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("gateway: counted listeners");
	TCase *t = tcase_create("all");

	tcase_add_checked_fixture(t, setup, gateway_close);
	tcase_set_timeout(t, 60);
	tcase_add_test(t, each_listener_counts_once_in_a_language);
	tcase_add_test(t, listeners_of_all_languages_count_for_the_original);
	tcase_add_test(t, speakers_screens_and_subscribers_do_not_count);
	tcase_add_test(t, listeners_that_tune_or_leave_are_counted_again);
	tcase_add_test(t, halls_are_counted_each_by_itself);
	tcase_add_test(t, a_minute_keeps_the_most_of_it);
	tcase_add_test(t, a_beat_without_news_writes_no_numbers);
	tcase_add_test(t, a_gateway_that_begins_removes_what_it_counted_before);
	tcase_add_test(t, a_speaker_is_told_the_present_listeners);
	tcase_add_test(t, what_could_not_be_written_comes_with_the_next_beat);
	suite_add_tcase(s, t);
	return unit_run(s);
}
