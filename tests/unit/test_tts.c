/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How the texts of a TTS socket are joined and cut into pieces. */
#include "base/text.h"
#include "session/tts_internal.h"
#include "tests/unit/stream_texts.h"

#define TEN "nine sign "
#define EIGHTY TEN TEN TEN TEN TEN TEN TEN "eighty one."

static struct tts_input *text;

static void
setup_text(void)
{
	setup();
	text = tts_input_new("5f1d0c3a", "default_low", 1);
}

static void
teardown_text(void)
{
	arena_free(text->mem);
	teardown();
}

static const char *
next(void)
{
	return tts_input_next(mem, text);
}

START_TEST(nothing_is_spoken_before_a_sentence_ends_past_80_characters)
{
	tts_input_join(text, "Curious minds think alike. ");
	ck_assert_str_eq(next(), "");
	tts_input_join(text, TEN TEN TEN TEN TEN "and");
	ck_assert_str_eq(next(), "");
	tts_input_join(text, " so do I.");
	ck_assert_str_eq(
	    next(), "Curious minds think alike. " TEN TEN TEN TEN TEN "and so do I.");
	ck_assert_str_eq(next(), "");
	ck_assert(!tts_input_over(text));
}
END_TEST

START_TEST(the_end_is_spoken_whatever_it_is)
{
	tts_input_join(text, "Yes");
	ck_assert_str_eq(next(), "");
	text->closed = true;
	ck_assert(!tts_input_over(text));
	ck_assert_str_eq(next(), "Yes");
	ck_assert_str_eq(next(), "");
	ck_assert(tts_input_over(text));
}
END_TEST

START_TEST(nothing_but_blanks_is_not_spoken)
{
	tts_input_join(text, " \n ");
	text->closed = true;
	ck_assert_str_eq(next(), "");
	ck_assert(tts_input_over(text));
}
END_TEST

START_TEST(a_number_may_go_on)
{
	tts_input_join(text, EIGHTY " It is 3.");
	ck_assert_str_eq(next(), EIGHTY);
	ck_assert_str_eq(next(), "");
	tts_input_join(text, "5 metres.");
	text->closed = true;
	ck_assert_str_eq(next(), "It is 3.5 metres.");
}
END_TEST

START_TEST(a_number_at_the_end_waits)
{
	tts_input_join(text, TEN TEN TEN TEN TEN TEN TEN TEN "It is 3.");
	ck_assert_str_eq(next(), "");
	tts_input_join(text, " ");
	ck_assert_str_eq(next(), TEN TEN TEN TEN TEN TEN TEN TEN "It is 3.");
}
END_TEST

static const char *const marks[] = { ".", "!", "?", "…", "。", "?\"", ".)" };

START_TEST(marks_end_sentences)
{
	const char *s =
	    arena_printf(mem, "%sreally%s", TEN TEN TEN TEN TEN TEN TEN TEN, marks[_i]);

	tts_input_join(text, s);
	ck_assert_str_eq(next(), s);
}
END_TEST

START_TEST(a_long_text_is_spoken_in_pieces_that_lose_nothing)
{
	struct buf all = { .mem = mem }, was = { .mem = mem };
	const char *s;

	for (int i = 0; i < 500; i++)
		buf_printf(&all, "%sword%d", i > 0 ? " " : "", i);
	tts_input_join(text, buf_text(&all));
	text->closed = true;
	while (*(s = next()) != '\0') {
		ck_assert_uint_le(text_length(s), 300);
		buf_printf(&was, "%s%s", was.len > 0 ? " " : "", s);
	}
	ck_assert_str_eq(buf_text(&was), buf_text(&all));
	ck_assert(tts_input_over(text));
}
END_TEST

START_TEST(what_has_no_blanks_is_cut_all_the_same)
{
	struct buf all = { .mem = mem };

	for (int i = 0; i < 301; i++)
		buf_str(&all, "語");
	tts_input_join(text, buf_text(&all));
	text->closed = true;
	ck_assert_uint_eq(text_length(next()), 300);
	ck_assert_str_eq(next(), "語");
}
END_TEST

START_TEST(text_without_an_end_does_not_wait_for_ever)
{
	for (int i = 0; i < 500; i++)
		tts_input_join(text, TEN);
	ck_assert_str_ne(next(), "");
}
END_TEST

START_TEST(only_long_pieces_have_a_blank_after_them)
{
	char piece[257];

	memset(piece, 'x', 256);
	piece[256] = '\0';
	tts_input_join(text, piece);
	ck_assert_uint_eq(text->text.len, 257);
	tts_input_join(text, piece + 1);
	ck_assert_uint_eq(text->text.len, 257 + 255);
}
END_TEST

/* MP3: a tag of 3 bytes, a frame of 8 kbit/s at 16 kHz (MPEG 2), and its sound. */
static const char file[] = "ID3\4\0\0\0\0\0\3abc"
			   "\xff\xf3\x18\xc0 Xing of thirty-six bytes in all"
			   "\xff\xf3\x18\xc0 sound";

/* Speed 0.5 is normal, and each step up to 2 is faster. */
START_TEST(each_step_of_speed_is_faster)
{
	static const double rates[][2] = { { 0, 0.5 }, { 0.5, 1 }, { 0.75, 1.25 },
		{ 1, 1.5 }, { 1.5, 1.75 }, { 2, 2 } };

	for (int i = 0; i < COUNT(rates); i++)
		ck_assert_double_eq_tol(tts_rate(rates[i][0]), rates[i][1], 1e-9);
}
END_TEST

static void
append(struct tts *t, const char *generation)
{
	struct tts_input *x = tts_input_new(generation, "default_low", 1);
	struct tts_event *out = THREAD_CALL(struct tts_event);

	if (t->last == NULL)
		t->first = x;
	else
		t->last->next = x;
	t->last = x;
	out->generation = arena_str(out->call.message.mem, generation);
	if (t->out == NULL)
		t->out = &out->call.message;
	else
		t->out_last->next = &out->call.message;
	t->out_last = &out->call.message;
}

/* Several streams share a socket, and each cancels only its own generations. */
START_TEST(a_cancel_drops_its_generation_alone)
{
	struct tts t = { .begun = true };

	append(&t, "a");
	append(&t, "b");
	append(&t, "a");
	append(&t, "c");
	tts_drop_generation(&t, "unknown");
	ck_assert_int_eq(t.epoch, 0);
	ck_assert_str_eq(t.first->generation, "a");
	tts_drop_generation(&t, "c");
	ck_assert(t.epoch == 0 && t.begun); /* the worker continues with "a" */
	ck_assert_str_eq(t.last->generation, "a");
	tts_drop_generation(&t, "a");
	ck_assert(t.epoch == 1 && !t.begun);
	ck_assert_ptr_eq(t.first, t.last);
	ck_assert_str_eq(t.first->generation, "b");
	ck_assert_ptr_eq(t.out, t.out_last);
	ck_assert_str_eq(((struct tts_event *)t.out)->generation, "b");
	tts_drop(&t);
	ck_assert_ptr_null(t.first);
	ck_assert_ptr_null(t.out);
}
END_TEST

START_TEST(only_the_sound_of_a_file_follows_another)
{
	size_t n = sizeof(file) - 1;

	ck_assert_str_eq(tts_mp3_audio(file, &n), "\xff\xf3\x18\xc0 sound");
	ck_assert_uint_eq(n, 10);
}
END_TEST

START_TEST(a_truncated_file_is_not_read_beyond_its_end)
{
	for (size_t all = 0; all < sizeof(file); all++) {
		char *copy = arena_dup(mem, file, all);
		size_t n = all;
		const char *sound = tts_mp3_audio(copy, &n);

		ck_assert(sound >= copy && sound + n == copy + all);
	}
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("gateway_tts");
	TCase *t = tcase_create("texts");

	tcase_add_checked_fixture(t, setup_text, teardown_text);
	tcase_add_test(t, nothing_is_spoken_before_a_sentence_ends_past_80_characters);
	tcase_add_test(t, the_end_is_spoken_whatever_it_is);
	tcase_add_test(t, nothing_but_blanks_is_not_spoken);
	tcase_add_test(t, a_number_may_go_on);
	tcase_add_test(t, a_number_at_the_end_waits);
	tcase_add_loop_test(t, marks_end_sentences, 0, COUNT(marks));
	tcase_add_test(t, a_long_text_is_spoken_in_pieces_that_lose_nothing);
	tcase_add_test(t, what_has_no_blanks_is_cut_all_the_same);
	tcase_add_test(t, text_without_an_end_does_not_wait_for_ever);
	tcase_add_test(t, only_long_pieces_have_a_blank_after_them);
	tcase_add_test(t, each_step_of_speed_is_faster);
	tcase_add_test(t, a_cancel_drops_its_generation_alone);
	tcase_add_test(t, only_the_sound_of_a_file_follows_another);
	tcase_add_test(t, a_truncated_file_is_not_read_beyond_its_end);
	suite_add_tcase(s, t);
	return unit_run(s);
}
