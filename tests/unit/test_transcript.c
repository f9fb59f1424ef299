/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writing the texts of channels to the database. */
#include "channel/channel_internal.h"
#include "channel/transcript.h"
#include "store/webhooks.h"
#include "tests/unit/channel_session_fixture.h"

static const char *
kept_channel(void)
{
	const char *id = new_channel("[\"es\"]");

	sql(arena_printf(fixture.mem,
	    "UPDATE channels SET keep_transcript = 1 WHERE id = '%s'", id));
	return id;
}

static const char *
column(const char *what)
{
	return sql(arena_printf(
	    fixture.mem, "SELECT %s FROM transcript_lines ORDER BY id", what));
}

#define KEPT "SELECT count(*) FROM transcript_lines"

/* Returns the connection of a speaker after one phrase. */
static struct websocket *
speak(const char *channel)
{
	struct websocket *s = connect_to(channel, true, NULL);

	send_24k(s);
	await_seen(s, "translated_transcription", "[es] hello world", 1);
	return s;
}

static const char *
first_segment(const struct websocket *s)
{
	int at = 0;
	const char *m = strstr(seen_from(s, &at, FINAL, ""), "transcription_id");

	return arena_dup(fixture.mem, m + strlen("transcription_id\":\""), 16);
}

START_TEST(final_texts_are_kept)
{
	const char *id = kept_channel(), *segment;
	int64_t began_us = now_us();
	struct websocket *s = speak(id);

	segment = first_segment(s);
	gateway_await(number(KEPT) == 2);
	ck_assert_str_eq(column("text"), "hello world\n[es] hello world\n");
	ck_assert_str_eq(column("language"), "en\nes\n");
	ck_assert_str_eq(column("original"), "1\n0\n");
	ck_assert_str_eq(column("channel = (SELECT id FROM channels)"), "1\n1\n");
	ck_assert_str_eq(column("account = (SELECT id FROM accounts)"), "1\n1\n");
	ck_assert_str_eq(
	    column(arena_printf(fixture.mem, "segment = '%s'", segment)), "1\n1\n");
	ck_assert_str_eq(column("end_us > start_us"), "1\n1\n");
	ck_assert_str_eq(
	    column(arena_printf(fixture.mem, "start_us BETWEEN %lld AND %lld",
		(long long)began_us, (long long)now_us())),
	    "1\n1\n");
	let_it_end(s);
}
END_TEST

START_TEST(nothing_is_kept_unasked)
{
	const char *id = new_channel("[\"es\"]");
	struct websocket *s = speak(id);

	gateway_await(gateway.transcript == NULL && !gateway.transcript_writing);
	ck_assert_int_eq(number(KEPT), 0);
	sql("UPDATE channels SET keep_transcript = 1");
	send_24k(s);
	gateway_await(number(KEPT) == 2); /* from then on */
	let_it_end(s);
}
END_TEST

START_TEST(texts_of_sessions_are_not_kept)
{
	struct websocket *s = start_task(TASK(TO("es"), ""));

	send_phrase(s);
	await_seen(s, "translated_transcription", "[es]", 1);
	ck_assert_ptr_null(gateway.transcript);
}
END_TEST

/* Texts that arrive while the database fails are written in order when it works again.
 */
START_TEST(a_database_that_fails_loses_nothing)
{
	const char *id = kept_channel();
	struct websocket *s;

	sql("ALTER TABLE transcript_lines RENAME TO away");
	s = speak(id);
	gateway_await(gateway.transcript_writing);
	gateway_await(!gateway.transcript_writing);
	send_24k(s);
	await_seen(s, "translated_transcription", "[es] hello world", 2);
	gateway_await(gateway.transcript_writing);
	gateway_await(!gateway.transcript_writing);
	sql("ALTER TABLE away RENAME TO transcript_lines");
	gateway_await(number(KEPT) == 4);
	ck_assert_str_eq(column("original"), "1\n0\n1\n0\n");
	ck_assert_ptr_null(gateway.transcript);
	let_it_end(s);
}
END_TEST

/* Adds a final text, like a pipeline. */
static void
take(const struct websocket *s, const char *text)
{
	struct pipeline_event *e = ACTOR_MESSAGE(struct pipeline_event);

	e->target = -1;
	e->times.id = id_new(e->call.message.mem);
	e->line = (struct pipeline_line){ text, "en", 0, 1, 2 };
	transcript_queue(s->connection->session, NULL, e);
	arena_free(e->call.message.mem);
}

START_TEST(memory_has_a_bound)
{
	struct websocket *s = speak(kept_channel());
	char *text = arena_alloc(fixture.mem, 100001);

	gateway_await(number(KEPT) == 2);
	memset(text, 'x', 100000);
	for (int i = 0; i < 200; i++)
		take(s, text);
	gateway_await(number(KEPT) > 2 && gateway.transcript == NULL);
	ck_assert_int_lt(
	    number("SELECT sum(length(text)) FROM transcript_lines"), TRANSCRIPT_BYTES);
	ck_assert_int_gt(number("SELECT sum(length(text)) FROM transcript_lines"),
	    TRANSCRIPT_BYTES - 200000);
	let_it_end(s);
}
END_TEST

START_TEST(what_is_no_text_is_left_out)
{
	struct websocket *s = speak(kept_channel());

	gateway_await(number(KEPT) == 2);
	take(s, "\xff\xfe");
	take(s, "good");
	gateway_await(number(KEPT) == 3);
	let_it_end(s);
}
END_TEST

START_TEST(the_end_of_the_gateway_writes_what_waits)
{
	struct websocket *s = speak(kept_channel());

	take(s, "last words");
	transcript_flush(&gateway);
	gateway_tick();
	ck_assert_int_eq(number(KEPT " WHERE text = 'last words'"), 1);
	let_it_end(s);
}
END_TEST

/* ---- corrections ---- */

#define CORRECTED "\"corrected\":true"

/* Corrects a line as PATCH does. */
static void
correct(const char *channel, const char *language, const char *text)
{
	struct db *db = gateway.app.db;
	struct transcript_line l;
	const char *id = sql(arena_printf(fixture.mem,
	    "SELECT id FROM transcript_lines WHERE language = '%s' LIMIT 1", language));

	ck_assert_int_eq(transcript_get(db, fixture.mem, fixture.account, channel,
			     strtoll(id, NULL, 10), &l),
	    OK);
	ck_assert_int_eq(db_begin(db, DB_ALL), OK);
	ck_assert_int_eq(transcript_correct(db, text, &l), OK);
	ck_assert_int_eq(db_commit(db), OK);
}

/* Returns a listener that was away and missed the texts after that segment. */
static struct websocket *
come_back(const char *channel, const char *language, const char *since)
{
	struct connection_request *v = request_to(channel, false, language);

	v->since = arena_str(v->call.message.mem, since);
	return connect_with(v);
}

/* Waits until two lines are stored and the node knows that none was corrected. */
static void
await_lines(const struct websocket *s)
{
	gateway_await(number(KEPT) == 2);
	look_again(s);
	gateway_await(s->connection->session->channel->corrected == 0);
}

START_TEST(a_correction_reaches_listeners_that_were_sent_the_text)
{
	const char *id = kept_channel(), *segment;
	struct websocket *es = connect_to(id, false, "es"),
			 *original = connect_to(id, false, "original");
	struct websocket *s = speak(id);
	int at = 0;

	segment = first_segment(s);
	await_lines(s);
	correct(id, "es", "Hola mundo");
	look_again(s);
	await_seen(es, CORRECTED, "\"text\":\"Hola mundo\"", 1);
	await_seen(es, "\"translated_transcription\"", segment, 2);
	ck_assert_ptr_nonnull(seen_from(
	    es, &at, CORRECTED, "\"translation_part_id\":0,\"language\":\"es\""));
	await_seen(s, CORRECTED, "Hola mundo", 1);
	ck_assert_int_eq(count_seen(original, CORRECTED, ""), 0);
	correct(id, "en", "Hello, world.");
	look_again(s);
	await_seen(original, CORRECTED, "Hello, world.", 1);
	ck_assert_int_eq(count_seen(es, CORRECTED, ""), 1);
	look_again(s);
	ck_assert_int_eq(count_seen(original, CORRECTED, ""), 1); /* once */
	let_it_end(s);
}
END_TEST

START_TEST(a_listener_that_comes_back_is_sent_the_corrected_text)
{
	const char *id = kept_channel();
	struct websocket *s = speak(id), *back;

	await_lines(s);
	correct(id, "es", "Hola mundo");
	look_again(s);
	await_seen(s, CORRECTED, "Hola mundo", 1);
	back = come_back(id, "es", "0000000000000000");
	await_seen(back, "Hola mundo", CORRECTED, 1);
	ck_assert_int_eq(count_seen(back, "[es] hello world", ""), 0);
	let_it_end(s);
}
END_TEST

START_TEST(a_later_listener_is_told_of_no_correction)
{
	const char *id = kept_channel();
	struct websocket *s = speak(id), *late;

	await_lines(s);
	sql("UPDATE transcript_lines SET start_us = start_us - 60000000,"
	    " end_us = end_us - 60000000");
	late = connect_to(id, false, "es");
	correct(id, "es", "Hola mundo");
	look_again(s);
	await_seen(s, CORRECTED, "Hola mundo", 1);
	ck_assert_int_eq(count_seen(late, CORRECTED, ""), 0);
	let_it_end(s);
}
END_TEST

START_TEST(numbers_begin_anew_when_lines_are_removed)
{
	const char *id = kept_channel();
	struct websocket *s = speak(id);

	await_lines(s);
	s->connection->session->channel->corrected = 7; /* of deleted lines */
	correct(id, "es", "Hola mundo");
	look_again(s);
	await_seen(s, CORRECTED, "Hola mundo", 1);
	let_it_end(s);
}
END_TEST

/* ---- the end of a run ---- */

static int
told_ready(void)
{
	return number("SELECT count(*) FROM webhook_deliveries"
		      " WHERE type = 'transcript.ready'");
}

static void
run_once(const char *channel)
{
	struct websocket *s = speak(channel);

	await_row(channel, "runtime", "active\n");
	let_it_end(s);
	await_row(channel, "runtime", "stopped\n");
	hang_up(s);
}

START_TEST(webhooks_are_told_of_runs_with_lines)
{
	const struct webhook w = { .id = id_new(fixture.mem),
		.account = fixture.account,
		.url = "https://hooks.example.org/",
		.events = "[\"transcript.ready\"]",
		.enabled = true,
		.failures = 0,
		.seed = "seed",
		.old_until_us = NULL_INT,
		.good_us = 1,
		.last_us = NULL_INT,
		.created_us = 1,
		.updated_us = 1,
		.version = 1 };
	const char *id = kept_channel();

	ck_assert_int_eq(webhook_add(gateway.app.db, &w), OK);
	run_once(id);
	ck_assert_int_eq(told_ready(), 1);
	sql("UPDATE channels SET keep_transcript = 0;"
	    "UPDATE transcript_lines SET start_us = start_us - 3600000000");
	run_once(id);
	ck_assert_int_eq(told_ready(), 1);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("transcript");
	TCase *t = tcase_create("keeping");

	tcase_add_checked_fixture(t, gateway_open, gateway_close);
	tcase_set_timeout(t, 60);
	tcase_add_test(t, final_texts_are_kept);
	tcase_add_test(t, nothing_is_kept_unasked);
	tcase_add_test(t, texts_of_sessions_are_not_kept);
	tcase_add_test(t, a_database_that_fails_loses_nothing);
	tcase_add_test(t, memory_has_a_bound);
	tcase_add_test(t, what_is_no_text_is_left_out);
	tcase_add_test(t, the_end_of_the_gateway_writes_what_waits);
	tcase_add_test(t, a_correction_reaches_listeners_that_were_sent_the_text);
	tcase_add_test(t, a_listener_that_comes_back_is_sent_the_corrected_text);
	tcase_add_test(t, a_later_listener_is_told_of_no_correction);
	tcase_add_test(t, numbers_begin_anew_when_lines_are_removed);
	tcase_add_test(t, webhooks_are_told_of_runs_with_lines);
	suite_add_tcase(s, t);
	return unit_run(s);
}
