/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Texts of an STT socket, from the first partial text to the final text that ends it.
 */
#include "channel/channel_drain.h"
#include "tests/unit/stt_fixture.h"

#define SHOWN "\"is_eos\":false"
#define END "\"is_eos\":true"
#define CLAPS LINES("(Applause and cheering and laughter and music)\n  hello world")

static const struct stt_in plain = { .language = "en", .sample_rate = NULL_INT };

static void
start(struct websocket **s, const char *settings, const struct stt_in *in)
{
	gateway_engines(settings);
	*s = connect_stt(in);
	gateway_await(gateway.tasks > 0);
}

/* Sends speech in real time, so that a partial text is sent. */
static void
say_phrase(struct websocket *s, int ms)
{
	for (; ms > 0; ms -= 100) {
		send_stt_sound(s, 100, true);
		gateway_wait(100);
	}
}

static const char *
id_of(const char *message)
{
	const char *why;

	return json_get_text(
	    json_read(fixture.mem, message, strlen(message), &why), "transcription_id");
}

static const char *
text_in(const char *message)
{
	const char *why;
	const struct json *all = json_read(fixture.mem, message, strlen(message), &why);

	return json_get_text(json_get(all, "segment"), "text");
}

static double
time_in(const char *message, const char *name)
{
	const char *why;
	const struct json *all = json_read(fixture.mem, message, strlen(message), &why);
	const struct json *v = json_get(json_get(all, "segment"), name);

	return v->type == JSON_INT ? (double)v->u.i : v->u.r;
}

/*
 * Starts a task whose first partial text is the beginning of CLAPS; returns that text.
 */
static const char *
start_with_claps(struct websocket **s, int *at)
{
	start(s, CLAPS, &plain);
	say_phrase(*s, 800);
	await_seen(*s, SHOWN, "(Applause", 1);
	return seen_from(*s, at, SHOWN, "");
}

/* The marker is recognized only when it is complete, so a part of it was shown. */
START_TEST(a_segment_that_is_disbelieved_ends)
{
	struct websocket *s;
	int at = 0;
	const char *partial = start_with_claps(&s, &at), *end;

	send_stt_sound(s, 1000, false);
	await_seen(s, END, "", 1);
	end = seen_from(s, &at, END, "");
	ck_assert_str_eq(text_in(end), "");
	ck_assert_str_eq(id_of(end), id_of(partial));
	say_phrase(s, 800);
	send_stt_sound(s, 1000, false);
	await_seen(s, END, "hello world", 1);
	ck_assert_str_ne(id_of(seen_from(s, &at, END, "hello")), id_of(partial));
	ck_assert_int_eq(count_seen(s, END, ""), 2);
}
END_TEST

START_TEST(a_disbelieved_segment_that_was_not_shown_says_nothing)
{
	struct websocket *s;

	start(&s, CLAPS, &plain);
	send_stt_sound(s, 400, true);
	send_stt_sound(s, 1000, false);
	say_phrase(s, 800);
	send_stt_sound(s, 1000, false);
	await_seen(s, END, "hello world", 1);
	ck_assert_int_eq(count_seen(s, "transcription_id", "pplause"), 0);
	ck_assert_int_eq(count_seen(s, END, ""), 1);
}
END_TEST

START_TEST(a_disbelieved_segment_answers_the_finalize)
{
	struct websocket *s;
	int at = 0;
	const char *partial = start_with_claps(&s, &at), *end;

	finalize(s);
	await_seen(s, END, "", 1);
	end = seen_from(s, &at, END, "");
	ck_assert_str_eq(text_in(end), STT_FIN);
	ck_assert_str_eq(id_of(end), id_of(partial));
	gateway_wait(100);
	ck_assert_int_eq(count_seen(s, END, ""), 1);
}
END_TEST

/* ---- finalization_mode=manual ---- */

static const struct stt_in manual = { .language = "en",
	.targets = "es",
	.sample_rate = NULL_INT,
	.finalization = "manual" };

#define THREE LINES("one two three\n  four five six\n  seven eight nine")

/* Sends three phrases, each with its silence. */
static void
say_three(struct websocket *s)
{
	static const char *const texts[] = { "one two three",
		"one two three four five six",
		"one two three four five six seven eight nine" };

	for (size_t i = 0; i < COUNT(texts); i++) {
		say_phrase(s, 600);
		send_stt_sound(s, 1000, false);
		await_seen(s, SHOWN,
		    arena_printf(fixture.mem, "\"text\":\"%s\"", texts[i]), 1);
	}
}

START_TEST(without_a_finalize_nothing_is_final)
{
	struct websocket *s;
	const char *id, *end;
	int at = 0;

	start(&s, THREE, &manual);
	say_three(s);
	gateway_wait(100);
	ck_assert_int_eq(count_seen(s, END, ""), 0);
	ck_assert_int_eq(count_seen(s, "translated_transcription", ""), 0);
	finalize(s);
	await_seen(s, "translated_transcription", "[es] one two three four", 1);
	id = id_of(seen_from(s, &at, SHOWN, ""));
	while ((end = seen_from(s, &at, SHOWN, "")) != NULL)
		ck_assert_str_eq(id_of(end), id);
	at = 0;
	end = seen_from(s, &at, "\"transcription\"", END);
	ck_assert_str_eq(id_of(end), id);
	ck_assert_str_eq(
	    text_in(end), "one two three four five six seven eight nine" STT_FIN);
	ck_assert_double_lt(time_in(end, "start_time"), 0.1);
	ck_assert_double_gt(time_in(end, "end_time"), 3.5);
	ck_assert_int_eq(count_seen(s, "\"transcription\"", END), 1);
	ck_assert_int_eq(count_seen(s, "translated_transcription", END), 1);
}
END_TEST

START_TEST(what_follows_a_finalize_is_another_text)
{
	struct websocket *s;
	const char *first, *second, *partial;
	int at = 0;

	start(&s, THREE, &manual);
	say_phrase(s, 600);
	finalize(s); /* in the middle of a segment */
	say_phrase(s, 600);
	send_stt_sound(s, 1000, false);
	finalize(s);
	finalize(s);
	await_seen(s, "\"transcription\"", STT_FIN, 3);
	first = seen_from(s, &at, "\"transcription\"", STT_FIN);
	partial = seen_from(s, &at, SHOWN, "four");
	second = seen_from(s, &at, "\"transcription\"", STT_FIN);
	ck_assert_str_eq(text_in(first), "one two three" STT_FIN);
	ck_assert_str_eq(text_in(second), "four five six" STT_FIN);
	ck_assert_str_ne(id_of(first), id_of(second));
	ck_assert_str_eq(id_of(partial), id_of(second));
	ck_assert_double_gt(time_in(second, "start_time"), 0.5);
	ck_assert_str_eq(
	    text_in(seen_from(s, &at, "\"transcription\"", STT_FIN)), STT_FIN);
	await_seen(s, "translated_transcription", END, 2);
}
END_TEST

START_TEST(at_the_end_all_is_final)
{
	struct websocket *s;
	const char *end;
	int at = 0;

	start(&s, THREE, &manual);
	say_three(s);
	while (s->code == 0) {
		gateway_tick();
		stt_ops.tick(s->connection->session, monotonic_us() + 11 * S_US);
	}
	ck_assert_int_eq(s->code, 1001);
	end = seen_from(s, &at, "\"transcription\"", END);
	ck_assert_ptr_nonnull(end);
	ck_assert_str_eq(text_in(end), "one two three four five six seven eight nine");
	ck_assert_int_eq(count_seen(s, "translated_transcription", END), 1);
}
END_TEST

/* A shown partial text gets an end, and noise does not stay in the text. */
START_TEST(noise_between_is_not_in_the_text)
{
	struct websocket *s;
	int at = 0;

	start(&s,
	    LINES("one two three\n  (Applause and cheering and laughter and music)\n  "
		  "seven"),
	    &manual);
	say_phrase(s, 600);
	send_stt_sound(s, 1000, false);
	await_seen(s, SHOWN, "\"one two three\"", 1);
	say_phrase(s, 800);
	send_stt_sound(s, 1000, false);
	await_seen(s, SHOWN, "one two three (Applause", 1);
	finalize(s);
	await_seen(s, END, STT_FIN, 1);
	ck_assert_str_eq(text_in(seen_from(s, &at, END, "")), "one two three" STT_FIN);
}
END_TEST

/* The end brings a final text even if the client never requests one. */
START_TEST(a_very_long_text_is_final_by_itself)
{
	struct websocket *s;
	struct buf line = { .mem = fixture.mem };

	for (int i = 0; i < 250; i++)
		buf_str(&line, "abcdefghi ");
	start(&s, arena_printf(fixture.mem, LINES("%s"), buf_text(&line)), &manual);
	for (int i = 0; i < 4; i++) {
		ck_assert_int_eq(count_seen(s, END, ""), 0);
		send_stt_sound(s, 600, true);
		send_stt_sound(s, 1000, false);
		gateway_wait(100);
	}
	await_seen(s, "\"transcription\"", END, 1);
	ck_assert_int_eq(s->code, 0);
}
END_TEST

/* A transcription goes on as long as it may. */
START_TEST(it_is_the_last_to_leave_a_drained_node)
{
	int64_t now = monotonic_us();
	struct websocket *s;

	start(&s, "", &plain);
	gateway.draining = true;
	channel_drain_turn(&gateway, now);
	channel_drain_turn(&gateway, now + gateway.conf->cluster_drain_s * S_US / 2);
	gateway_wait(50);
	ck_assert_int_eq(s->code, 0);
	channel_drain_turn(&gateway, now + gateway.conf->cluster_drain_s * S_US);
	await_end(s, 1001);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("gateway: STT");
	TCase *t = tcase_create("all");

	tcase_add_checked_fixture(t, gateway_open, gateway_close);
	tcase_set_timeout(t, 60);
	tcase_add_test(t, a_segment_that_is_disbelieved_ends);
	tcase_add_test(t, a_disbelieved_segment_that_was_not_shown_says_nothing);
	tcase_add_test(t, a_disbelieved_segment_answers_the_finalize);
	tcase_add_test(t, without_a_finalize_nothing_is_final);
	tcase_add_test(t, what_follows_a_finalize_is_another_text);
	tcase_add_test(t, at_the_end_all_is_final);
	tcase_add_test(t, noise_between_is_not_in_the_text);
	tcase_add_test(t, a_very_long_text_is_final_by_itself);
	tcase_add_test(t, it_is_the_last_to_leave_a_drained_node);
	suite_add_tcase(s, t);
	return unit_run(s);
}
