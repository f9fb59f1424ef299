/* Texts of channels on their way into the database. */
#include "session/transcript.h"
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

/* The connection of somebody who has spoken one phrase. */
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

/* What is said while the database fails is written when it works again, in order. */
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

/* A final text as the pipeline tells it. */
static void
take(const struct websocket *s, const char *text)
{
	struct pipeline_event *e = ACTOR_MESSAGE(struct pipeline_event);

	e->target = -1;
	e->times.id = id_new(e->call.message.mem);
	e->line = (struct pipeline_line){ text, "en", 0, 1, 2 };
	transcript_take(s->connection->session, e);
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
	suite_add_tcase(s, t);
	return unit_run(s);
}
