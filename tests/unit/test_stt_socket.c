/* Texts of an STT socket, from the first partial to the final that ends it. */
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

/* Speech at the pace of speech, so that a partial text is told. */
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

/* The marker is seen only when it is whole, so a part of it was shown. */
START_TEST(a_segment_that_is_disbelieved_ends)
{
	struct websocket *s;
	const char *partial, *end;
	int at = 0;

	start(&s, CLAPS, &plain);
	say_phrase(s, 800);
	await_seen(s, SHOWN, "(Applause", 1);
	send_stt_sound(s, 1000, false);
	await_seen(s, END, "", 1);
	partial = seen_from(s, &at, SHOWN, "");
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
	const char *partial, *end;
	int at = 0;

	start(&s, CLAPS, &plain);
	say_phrase(s, 800);
	await_seen(s, SHOWN, "(Applause", 1);
	finalize(s);
	await_seen(s, END, "", 1);
	partial = seen_from(s, &at, SHOWN, "");
	end = seen_from(s, &at, END, "");
	ck_assert_str_eq(text_in(end), STT_FIN);
	ck_assert_str_eq(id_of(end), id_of(partial));
	gateway_wait(100);
	ck_assert_int_eq(count_seen(s, END, ""), 1);
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
	suite_add_tcase(s, t);
	return unit_run(s);
}
