/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The life of a task: paused, flushed, replaced, ended. */
#include <math.h>
#include <string.h>

#include "cases.h"
#include "stream.h"

static struct account me;

static void
before(void)
{
	me = account_new("stream tasks");
	account_plan(&me, "--parallel_sessions", "0");
}

#define TWO                                                                            \
	"{" SOURCE(                                                                    \
	    16000) "," SINK ",\"pipeline\":{\"transcription\":"                        \
		   "{\"source_language\":\"en\"},\"translations\":["                   \
		   "{\"target_language\":\"es\"},{\"target_language\":\"fr\"}]}}"

static void
expect_status(struct ws *ws, const char *status)
{
	say(ws, "get_task", "{}");
	ck_assert_str_eq(text_at(hear(ws, "current_task", 2), "task_status"), status);
}

/* ---- pausing ---- */

START_TEST(a_pause_is_at_once_and_a_new_task_ends_it)
{
	struct ws *ws = stream_begin(&me, TASK);

	say(ws, "pause_task", "{}");
	expect_status(ws, "paused");
	speak(ws, 0.6, 1.0); /* without listeners */
	hear_nothing(ws, 0.5);
	say(ws, "pause_task", "{}");
	say(ws, "set_task", TASK);
	expect_status(ws, "running");
	hear_nothing(ws, 0.3);
	speak(ws, 0.6, 1.0);
	hear_next(ws, "validated_transcription", 5);
}
END_TEST

START_TEST(a_pause_finishes_the_phrase_in_work)
{
	struct ws *ws = stream_begin(&me, TASK);

	speak(ws, 0.6, 0);
	say(ws, "pause_task", "{}");
	hear(ws, "validated_transcription", 5);
	hear(ws, "translated_transcription", 5);
	ck_assert_uint_gt(hear_speech(ws, "es", 5).bytes, 0);
	expect_status(ws, "paused");
}
END_TEST

START_TEST(two_questions_at_once_have_two_answers)
{
	struct ws *ws = stream_begin(&me, TASK);

	say(ws, "get_task", "{}");
	say(ws, "get_task", "{}");
	hear_next(ws, "current_task", 1);
	hear_next(ws, "current_task", 1);
	hear_nothing(ws, 0.2);
}
END_TEST

START_TEST(a_task_is_replaced_as_a_whole)
{
	struct ws *ws = stream_begin(&me, TWO);
	const json_t *told;

	say(ws, "set_task", TASK);
	nap(0.5);
	say(ws, "get_task", "{}");
	told = hear_next(ws, "current_task", 2);
	ck_assert_uint_eq(count_at(told, "pipeline.translations"), 1);
	speak(ws, 0.6, 1.0);
	ck_assert_str_eq(
	    text_at(hear(ws, "translated_transcription", 5), "transcription.language"),
	    "es");
	ck_assert_str_eq(
	    text_at(hear_next(ws, "output_audio_data", 5), "language"), "es");
}
END_TEST

/* ---- speaking and flushing ---- */

START_TEST(a_text_is_spoken_as_it_is_or_to_every_target)
{
	struct ws *ws = stream_begin(&me, TWO);
	const json_t *t;
	const char *id;

	say(ws, "tts_task", "{\"text\":\"Hola a todos.\",\"language\":\"es\"}");
	t = hear_next(ws, "translated_transcription", 5);
	ck_assert_str_eq(text_at(t, "transcription.text"), "Hola a todos.");
	id = text_at(t, "transcription.transcription_id");
	ck_assert_str_eq(hear_speech(ws, "es", 5).id, id);
	say(ws, "tts_task",
	    "{\"text\":\"Good night.\",\"language\":\"en\",\"translate_text\":true}");
	for (int i = 0; i < 2; i++) {
		t = hear(ws, "translated_transcription", 5);
		ck_assert_str_eq(text_at(t, "transcription.text"),
		    text("[%s] Good night.", text_at(t, "transcription.language")));
		ck_assert_str_ne(text_at(t, "transcription.transcription_id"), id);
	}
	say(ws, "tts_task", "{\"text\":\"Hallo.\",\"language\":\"de\"}");
	hear_error(ws, "VALIDATION_ERROR", 5);
	say(ws, "tts_task", "{\"text\":\"\",\"language\":\"es\"}");
	hear_error(ws, "VALIDATION_ERROR", 5);
}
END_TEST

/* 24 s of speech when synthesized. */
#define LONG_TEXT                                                                      \
	"One two three four five six seven eight nine ten, one two three four five "   \
	"six seven eight nine ten, one two three four five six seven eight nine ten, " \
	"one two three four five six seven eight nine ten, one two three four five "   \
	"six seven eight nine ten, one two three four five six seven eight nine ten. "
#define LONG "{\"text\":\"" LONG_TEXT "\",\"language\":\"es\"}"

START_TEST(speech_leaves_three_seconds_ahead_at_most)
{
	struct ws *ws = stream_begin(&me, TASK);
	double said = seconds(), first = 0, length, most = 0;
	size_t bytes = 0;

	say(ws, "tts_task", LONG);
	do {
		const json_t *c = hear(ws, "output_audio_data", 5);

		first = bytes == 0 ? seconds() : first;
		bytes += strlen(text_at(c, "data")) / 4 * 3;
		length = (double)bytes / 48000;
		ck_assert_msg(length < seconds() - said + 3.3, "%g s of it", length);
		most = fmax(most, length - (seconds() - first));
	} while (seconds() < first + 1.2 || most < 2.5);
}
END_TEST

static const char *const flushes[] = { "{}", "{\"languages\":[]}",
	"{\"languages\":[\"es\"]}", "{\"languages\":[\"global\"]}",
	"{\"languages\":[\"es\"],\"pause_task\":true}" };

START_TEST(a_flush_ends_what_is_being_spoken)
{
	struct ws *ws = stream_begin(&me, TASK);
	const json_t *c;

	say(ws, "tts_task", LONG);
	c = hear(ws, "output_audio_data", 5);
	ck_assert(!json_is_true(at(c, "last_chunk")));
	nap(0.3);
	say(ws, "flush_task", flushes[_i]);
	do
		c = hear_next(ws, "output_audio_data", 1);
	while (!json_is_true(at(c, "last_chunk")));
	ck_assert_str_eq(text_at(c, "data"), "");
	hear_nothing(ws, 0.5);
	expect_status(ws, strstr(flushes[_i], "pause") != NULL ? "paused" : "running");
}
END_TEST

START_TEST(a_global_flush_forgets_the_phrase_that_is_heard)
{
	struct ws *ws = stream_begin(&me, TASK);

	speak(ws, 0.6, 0);
	nap(0.2);
	say(ws, "flush_task", "{}");
	nap(0.1);
	speak(ws, 0, 1.2);
	for (const json_t *j; (j = hear_any(ws, 0.8)) != NULL;)
		if (strcmp(text_at(j, "message_type"), "task_status") != 0)
			ck_assert_str_eq(
			    text_at(j, "message_type"), "partial_transcription");
	speak(ws, 0.6, 1.0);
	hear(ws, "translated_transcription", 5);
}
END_TEST

/* ---- engines that fail ---- */

static const struct {
	const char *text, *warning;
	bool translated;
} faults[] = {
	{ "fault-mt", "TRANSLATION_FAILED", false },
	{ "fault-tts", "TTS_UNAVAILABLE", true },
};

START_TEST(an_engine_that_fails_is_a_warning_and_the_stream_goes_on)
{
	struct ws *ws = stream_begin(&me, TASK);
	const json_t *j;

	say(ws, "tts_task",
	    text("{\"text\":\"%s\",\"language\":\"en\",\"translate_text\":true}",
		faults[_i].text));
	if (faults[_i].translated)
		hear_next(ws, "translated_transcription", 5);
	do {
		j = hear_any(ws, 5);
		ck_assert_ptr_nonnull(j);
		if (strcmp(text_at(j, "message_type"), "output_audio_data") == 0)
			ck_assert_str_eq(text_at(j, "data.data"), "");
	} while (strcmp(text_at(j, "message_type"), "warning") != 0);
	ck_assert_str_eq(text_at(j, "data.code"), faults[_i].warning);
	speak(ws, 0.6, 1.0);
	hear(ws, "translated_transcription", 5);
	ck_assert_uint_gt(hear_speech(ws, "es", 5).bytes, 0);
}
END_TEST

#define QUEUES                                                                         \
	",\"translation_queue_configs\":{\"es\":{\"desired_queue_level_ms\":500,"      \
	"\"max_queue_level_ms\":1000,\"auto_tempo\":false}}"

START_TEST(a_queue_too_long_loses_speech_and_never_text)
{
	struct ws *ws =
	    stream_begin(&me, "{" SOURCE(16000) "," SINK "," PIPELINE(QUEUES) "}");
	int texts = 0, ends = 0;
	bool warned = false;

	for (int i = 0; i < 5; i++)
		say(ws, "tts_task",
		    "{\"text\":\"One two three four five six seven eight nine ten, one "
		    "two three four five.\",\"language\":\"es\"}");
	while (texts < 5 || ends < 3 || !warned) {
		const json_t *j = hear_any(ws, 5);
		const char *type;

		ck_assert_msg(j != NULL, "%d texts, %d ends", texts, ends);
		type = text_at(j, "message_type");
		texts += strcmp(type, "translated_transcription") == 0;
		if (strcmp(type, "output_audio_data") == 0)
			ends += json_is_true(at(j, "data.last_chunk"));
		if (strcmp(type, "warning") == 0) {
			ck_assert_str_eq(text_at(j, "data.code"), "QUEUE_OVERFLOW");
			warned = true;
		}
	}
}
END_TEST

#define SENTENCE "A sentence of some forty characters is it. "
#define THREE SENTENCE SENTENCE SENTENCE

START_TEST(a_long_phrase_is_translated_in_parts)
{
	struct ws *ws = stream_begin(&me, TASK);
	const json_t *t;

	say(ws, "tts_task", "{\"text\":\"" THREE THREE THREE "\",\"language\":\"es\"}");
	t = hear_next(ws, "translated_transcription", 5);
	ck_assert_int_eq(int_at(t, "transcription.translation_part_id"), 0);
	ck_assert_uint_le(strlen(text_at(t, "transcription.text")), 300);
	t = hear(ws, "translated_transcription", 5);
	ck_assert_int_eq(int_at(t, "transcription.translation_part_id"), 1);
}
END_TEST

#define PARTIALS                                                                       \
	"{" SOURCE(16000) "," SINK ",\"pipeline\":{\"transcription\":"                 \
			  "{\"source_language\":\"en\"},\"translations\":["            \
			  "{\"target_language\":\"es\",\"translate_partial_"           \
			  "transcriptions\":true}],\"allowed_message_types\":"         \
			  "[\"partial_translated_transcription\"]}}"

START_TEST(partial_texts_are_translated_when_that_is_wished)
{
	struct ws *ws = stream_begin(&me, PARTIALS);
	const json_t *t;

	send_sound(ws, &(const struct sound_of_task){ 16000, 0, 0.32 },
	    tone_then_silence(16000, 1.3, 1.0));
	t = hear_next(ws, "partial_translated_transcription", 5);
	ck_assert_str_eq(text_at(t, "transcription.language"), "es");
	ck_assert_int_eq(
	    strncmp(text_at(t, "transcription.text"), "[es] hello", 10), 0);
	hear_next(ws, "output_audio_data", 5);
}
END_TEST

/* ---- the end ---- */

START_TEST(an_end_with_a_timeout_gives_the_tail_and_then_eos)
{
	struct ws *ws = stream_begin(&me, TASK);
	double asked;
	bool eos;

	speak(ws, 0.6, 0);
	say(ws, "end_task", "{\"eos_timeout\":2}");
	asked = seconds();
	hear(ws, "validated_transcription", 2);
	ck_assert_uint_gt(hear_speech(ws, "es", 2).bytes, 0);
	ck_assert_str_eq(hear_close(ws, 1000, 5, &eos), "");
	ck_assert(eos);
	ck_assert_msg(seconds() - asked > 1.9 && seconds() - asked < 20,
	    "eos after %g s", seconds() - asked);
}
END_TEST

START_TEST(what_is_heard_after_the_end_is_translated_and_moves_eos)
{
	struct ws *ws = stream_begin(&me, TASK);
	double spoken;
	bool eos;

	say(ws, "end_task", "{\"eos_timeout\":4}");
	nap(1);
	speak(ws, 0.6, 1.0);
	spoken = seconds();
	hear(ws, "translated_transcription", 2);
	hear_close(ws, 1000, 5, &eos);
	ck_assert(eos);
	ck_assert_msg(seconds() - spoken > 3.7, "eos %g s behind the last voice",
	    seconds() - spoken);
}
END_TEST

static const struct {
	const char *data;
	double most_s;
	bool tail;
} ends[] = {
	{ "{}", 10, true },
	{ "{\"force\":false}", 10, true },
	{ "{\"eos_timeout\":null}", 10, true },
	{ "{\"force\":false,\"eos_timeout\":null}", 10, true },
	{ "{\"force\":true}", 4, false },
	{ "{\"force\":true,\"eos_timeout\":5}", 4, false },
};

START_TEST(other_ends_close_soon_and_lose_nothing)
{
	struct ws *ws = stream_begin(&me, TASK);
	double asked;
	bool eos;

	speak(ws, 0.6, 1.0);
	say(ws, "end_task", ends[_i].data);
	asked = seconds();
	if (ends[_i].tail) {
		hear(ws, "translated_transcription", 1);
		ck_assert_uint_gt(hear_speech(ws, "es", 5).bytes, 0);
	}
	hear(ws, "end_of_stream", ends[_i].most_s);
	hear_close(ws, 1000, ends[_i].most_s, &eos);
	ck_assert(eos);
	ck_assert(seconds() - asked < ends[_i].most_s);
}
END_TEST

START_TEST(without_a_task_an_end_is_an_end_too)
{
	struct ws *ws = stream_begin(&me, NULL);
	bool eos;

	say(ws, "end_task", "{\"eos_timeout\":1}");
	hear_close(ws, 1000, 2, &eos);
	ck_assert(eos);
	ws = stream_begin(&me, NULL);
	say(ws, "end_task", "{}");
	hear(ws, "end_of_stream", 1);
	hear_close(ws, 1000, 1.5, &eos);
	ck_assert(eos);
}
END_TEST

static const char *const bad_ends[] = { "{\"eos_timeout\":0}", "{\"eos_timeout\":31}",
	"{\"eos_timeout\":\"4\"}", "{\"force\":1}" };

START_TEST(a_task_that_has_not_begun_can_be_ended_and_paused)
{
	struct ws *ws = stream_begin(&me, NULL);
	bool eos;

	say(ws, "set_task", TASK);
	say(ws, "end_task", "{\"eos_timeout\":1}");
	hear_close(ws, 1000, 2, &eos);
	ck_assert(eos);
	ws = stream_begin(&me, NULL);
	say(ws, "set_task", TASK);
	say(ws, "pause_task", "{}");
	ck_assert_str_eq(text_at(started(ws), "task_status"), "paused");
}
END_TEST

START_TEST(a_wrong_end_ends_nothing)
{
	struct ws *ws = stream_begin(&me, TASK);

	for (int i = 0; i < ROWS(bad_ends); i++) {
		say(ws, "end_task", bad_ends[i]);
		hear_error(ws, "VALIDATION_ERROR", 2);
	}
	expect_status(ws, "running");
}
END_TEST

START_TEST(an_ending_task_begins_nothing_more)
{
	struct ws *ws = stream_begin(&me, TASK);

	say(ws, "end_task", "{\"eos_timeout\":2}");
	say(ws, "set_task", TASK);
	hear_error(ws, "CONFLICT", 1);
	say(ws, "tts_task", "{\"text\":\"x\",\"language\":\"es\"}");
	hear_error(ws, "CONFLICT", 1);
	expect_status(ws, "running");
	say(ws, "end_task", "{\"force\":true}");
	hear_close(ws, 1000, 0.5, NULL);
}
END_TEST

Suite *
stream_tasks_suite(void)
{
	TCase *t;
	Suite *s = suite_of("stream-tasks", before, &t);

	tcase_add_test(t, a_pause_is_at_once_and_a_new_task_ends_it);
	tcase_add_test(t, a_pause_finishes_the_phrase_in_work);
	tcase_add_test(t, two_questions_at_once_have_two_answers);
	tcase_add_test(t, a_task_is_replaced_as_a_whole);
	tcase_add_test(t, a_text_is_spoken_as_it_is_or_to_every_target);
	tcase_add_test(t, speech_leaves_three_seconds_ahead_at_most);
	tcase_add_loop_test(t, a_flush_ends_what_is_being_spoken, 0, ROWS(flushes));
	tcase_add_test(t, a_global_flush_forgets_the_phrase_that_is_heard);
	tcase_add_loop_test(t, an_engine_that_fails_is_a_warning_and_the_stream_goes_on,
	    0, ROWS(faults));
	tcase_add_test(t, a_queue_too_long_loses_speech_and_never_text);
	tcase_add_test(t, a_long_phrase_is_translated_in_parts);
	tcase_add_test(t, partial_texts_are_translated_when_that_is_wished);
	tcase_add_test(t, an_end_with_a_timeout_gives_the_tail_and_then_eos);
	tcase_add_test(t, what_is_heard_after_the_end_is_translated_and_moves_eos);
	tcase_add_loop_test(t, other_ends_close_soon_and_lose_nothing, 0, ROWS(ends));
	tcase_add_test(t, without_a_task_an_end_is_an_end_too);
	tcase_add_test(t, a_task_that_has_not_begun_can_be_ended_and_paused);
	tcase_add_test(t, a_wrong_end_ends_nothing);
	tcase_add_test(t, an_ending_task_begins_nothing_more);
	return s;
}
