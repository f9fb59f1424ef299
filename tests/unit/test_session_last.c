/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Clients that stop sending without a message get all results of the sound before. */
#include "tests/unit/stt_fixture.h"

#define SPOKEN "\"output_audio_data\""
#define SLOW                                                                           \
	SCRIPTS "[engine.script]\nkind = script\nlines = slow-mt please\n"             \
		"timeout_ms = 30000\n"

/* Returns the index of the first message that contains both texts. */
static int
place_of(const struct websocket *s, const char *a, const char *b)
{
	int at = 0;

	ck_assert_ptr_nonnull(seen_from(s, &at, a, b));
	return at;
}

/* ---- speech to speech ---- */

START_TEST(a_second_without_sound_ends_the_phrase)
{
	struct websocket *s = start_task(TASK(TO("es"), ""));
	int64_t us = monotonic_us();

	send_sound(s, 600, true);
	await_seen(s, SPOKEN, "\"last_chunk\":true", 1);
	ck_assert_int_eq(count_seen(s, FINAL, "hello world"), 1);
	ck_assert_int_eq(count_seen(s, "translated_transcription", "[es]"), 1);
	ck_assert_int_ge(monotonic_us() - us, PACING_SEGMENT_US);
	ck_assert_int_eq(s->code, 0);
	send_sound(s, 600, true); /* the next phrase starts from the beginning */
	await_seen(s, FINAL, "", 2);
}
END_TEST

START_TEST(sound_that_came_before_the_task_ran_ends_likewise)
{
	struct websocket *s = connect_writer();

	tell(s, "set_task", TASK(TO("es"), ""));
	send_sound(s, 600, true);
	await_seen(s, SPOKEN, "\"last_chunk\":true", 1);
	ck_assert_int_eq(count_seen(s, FINAL, "hello world"), 1);
}
END_TEST

START_TEST(chunks_that_come_in_time_are_one_phrase)
{
	struct websocket *s = start_task(TASK(TO("es"), ""));

	for (int i = 0; i < 4; i++) {
		send_sound(s, 320, true);
		input_pause(s->connection->session,
		    s->connection->session->in.pacing.chunk_us + PACING_SEGMENT_US - 1);
	}
	send_sound(s, 1000, false);
	await_seen(s, SPOKEN, "\"last_chunk\":true", 1);
	ck_assert_int_eq(count_seen(s, FINAL, ""), 1);
}
END_TEST

START_TEST(what_was_heard_is_said_before_the_service_gives_up)
{
	struct websocket *s;

	gateway_engines(SLOW);
	s = start_task(TASK(TO("es"), ""));
	send_sound(s, 600, true);
	gateway_tick();
	s->connection->session->in.pacing.sign_us -= 11 * S_US;
	await_end(s, 1008);
	ck_assert_str_eq(s->reason, "SERVICE_TIMEOUT");
	ck_assert_int_lt(place_of(s, "translated_transcription", "[es] slow-mt"),
	    place_of(s, SPOKEN, "\"last_chunk\":true"));
	ck_assert_int_lt(place_of(s, SPOKEN, "\"last_chunk\":true"),
	    place_of(s, "SERVICE_TIMEOUT", ""));
	ck_assert_int_eq(s->connection->session->meter.since_us, 0);
}
END_TEST

START_TEST(the_end_waits_for_a_drain_that_was_asked_for_before)
{
	struct websocket *s;

	gateway_engines(SLOW);
	s = start_task(TASK(TO("es"), ""));
	send_sound(s, 600, true);
	gateway_tick();
	s->connection->session->in.pacing.sign_us -= 11 * S_US;
	gateway_wait(50); /* a drain is running */
	send_sound(s, 600, true);
	tell(s, "end_task", "{\"eos_timeout\":1}");
	await_end(s, 1000);
	ck_assert_int_eq(count_seen(s, "translated_transcription", "[es]"), 2);
	ck_assert_int_eq(count_seen(s, SPOKEN, "\"last_chunk\":true"), 2);
	ck_assert_str_eq(s->said[s->n - 1], "{\"message_type\":\"eos\",\"data\":{}}");
}
END_TEST

/* The pipeline ends during a drain, while another drain was requested. */
START_TEST(a_drain_that_comes_back_too_late_asks_for_no_other)
{
	struct websocket *s;

	gateway_engines(SLOW);
	s = start_task(TASK(TO("es"), ""));
	send_sound(s, 600, true);
	gateway_tick();
	s->connection->session->in.pacing.sign_us -= 11 * S_US;
	gateway_wait(50); /* a drain is running */
	send_sound(s, 600, true);
	tell(s, "end_task", "{}");
	await_end(s, 1000);
}
END_TEST

/* ---- speech to text ---- */

static struct websocket *
connect_plain(void)
{
	struct websocket *s = connect_stt(&(const struct stt_in){
	    .language = "en", .targets = "es", .sample_rate = 16000 });

	gateway_await(gateway.tasks > 0);
	gateway_wait(50);
	return s;
}

START_TEST(a_socket_that_only_hears_says_all_before_it_is_closed)
{
	int64_t until_us = monotonic_us() + AWAIT_US;
	struct websocket *s;

	gateway_engines(SLOW);
	s = connect_plain();
	send_stt_sound(s, 600, true);
	await_seen(s, "\"is_eos\":true", "slow-mt", 1);
	stt_ops.tick(s->connection->session, monotonic_us() + 11 * S_US);
	ck_assert_int_eq(s->code, 0); /* its translation is still being made */
	while (s->code == 0 && monotonic_us() < until_us) {
		gateway_tick();
		stt_ops.tick(s->connection->session, monotonic_us() + 11 * S_US);
	}
	ck_assert_int_eq(s->code, 1001);
	ck_assert_str_eq(s->reason, "no audio");
	ck_assert_int_eq(count_seen(s, "translated_transcription", "[es] slow-mt"), 1);
}
END_TEST

START_TEST(a_gateway_that_stops_lets_it_say_the_rest)
{
	struct websocket *s = connect_plain();

	send_stt_sound(s, 600, true); /* and no silence */
	gateway_tick();
	gateway.stopping = true;
	await_end(s, 1001);
	ck_assert_str_eq(s->reason, "stopping");
	ck_assert_int_eq(count_seen(s, "\"is_eos\":true", "hello world"), 2);
	gateway.stopping = false;
}
END_TEST

START_TEST(one_that_was_sent_nothing_is_closed_in_time)
{
	struct websocket *s = connect_plain();

	stt_ops.tick(s->connection->session, monotonic_us() + 5 * S_US);
	ck_assert_int_eq(s->code, 0);
	stt_ops.tick(s->connection->session, monotonic_us() + 11 * S_US);
	ck_assert_int_eq(s->code, 1001);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("gateway: what was heard last");
	TCase *t = tcase_create("last");

	tcase_add_checked_fixture(t, gateway_open, gateway_close);
	tcase_set_timeout(t, 60);
	tcase_add_test(t, a_second_without_sound_ends_the_phrase);
	tcase_add_test(t, sound_that_came_before_the_task_ran_ends_likewise);
	tcase_add_test(t, chunks_that_come_in_time_are_one_phrase);
	tcase_add_test(t, what_was_heard_is_said_before_the_service_gives_up);
	tcase_add_test(t, the_end_waits_for_a_drain_that_was_asked_for_before);
	tcase_add_test(t, a_drain_that_comes_back_too_late_asks_for_no_other);
	tcase_add_test(t, a_socket_that_only_hears_says_all_before_it_is_closed);
	tcase_add_test(t, a_gateway_that_stops_lets_it_say_the_rest);
	tcase_add_test(t, one_that_was_sent_nothing_is_closed_in_time);
	suite_add_tcase(s, t);
	return unit_run(s);
}
