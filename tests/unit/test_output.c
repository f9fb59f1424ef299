/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Messages of the server, compared byte for byte with the document. */
#include "protocol/output.h"
#include "tests/unit/stream_texts.h"

#define ID "1a0e9048dfeed5a3"
#define EPOCH INT64_C(1795170000000000)

static struct buf out;

static void
setup_buffer(void)
{
	setup();
	out = (struct buf){ .mem = mem };
}

static void
came_out(const char *expected)
{
	ck_assert_str_eq(buf_text(&out), quoted(expected));
	out.len = 0;
}

START_TEST(transcripts_are_as_documented)
{
	struct output_word word = { "good", 320000, 600000 };
	struct output_segment seg = { "good morning every", 320000, 1280000 };
	struct output_transcript t = { ID, -1, "en", "good morning every", &seg, 1,
		EPOCH };

	ck_assert(output_text(&out, OUTPUT_PARTIAL, &t));
	came_out(
	    "{`message_type`:`partial_transcription`,`data`:{`transcription`:"
	    "{`transcription_id`:`1a0e9048dfeed5a3`,`language`:`en`,`text`:`good "
	    "morning every`,`segments`:[{`text`:`good morning every`,`start`:0.32,"
	    "`end`:1.28,`start_timestamp`:1795170000.32,`end_timestamp`:1795170001.28}]"
	    "}}}");
	seg = (struct output_segment){ "Good morning, everyone.", 320000, 1600000,
		&word, 1 };
	t.text = seg.text;
	ck_assert(output_text(&out, OUTPUT_VALIDATED, &t));
	came_out(
	    "{`message_type`:`validated_transcription`,`data`:{`transcription`:"
	    "{`transcription_id`:`1a0e9048dfeed5a3`,`language`:`en`,`text`:`Good "
	    "morning, everyone.`,`segments`:[{`text`:`Good morning, everyone.`,"
	    "`start`:0.32,`end`:1.6,`start_timestamp`:1795170000.32,`end_timestamp`:"
	    "1795170001.6,`words`:[{`word`:`good`,`start`:0.32,`end`:0.6}]}]}}}");
}
END_TEST

START_TEST(translations_are_as_documented)
{
	struct output_segment seg = { "buenos días", 320000, 1280000 };
	struct output_transcript t = { ID, 0, "es", "buenos días", &seg, 1, EPOCH };

	ck_assert(output_text(&out, OUTPUT_PARTIAL_TRANSLATED, &t));
	came_out(
	    "{`message_type`:`partial_translated_transcription`,`data`:"
	    "{`transcription`:{`transcription_id`:`1a0e9048dfeed5a3`,"
	    "`translation_part_id`:0,`language`:`es`,`text`:`buenos días`,`segments`:"
	    "[{`text`:`buenos días`,`start`:0.32,`end`:1.28,`start_timestamp`:"
	    "1795170000.32,`end_timestamp`:1795170001.28}]}}}");
	seg = (struct output_segment){ "Buenos días a todos.", 320000, 1600000 };
	t.text = seg.text;
	ck_assert(output_text(&out, OUTPUT_TRANSLATED, &t));
	came_out("{`message_type`:`translated_transcription`,`data`:{`transcription`:"
		 "{`transcription_id`:`1a0e9048dfeed5a3`,`translation_part_id`:0,"
		 "`language`:`es`,`text`:`Buenos días a todos.`,`segments`:[{`text`:"
		 "`Buenos días a todos.`,`start`:0.32,`end`:1.6,`start_timestamp`:"
		 "1795170000.32,`end_timestamp`:1795170001.6}]}}}");
	ck_assert(output_text(&out, OUTPUT_TTS_TEXT, &t));
	came_out(
	    "{`message_type`:`tts_text`,`data`:{`transcription`:{`transcription_id`:"
	    "`1a0e9048dfeed5a3`,`translation_part_id`:0,`language`:`es`,`text`:"
	    "`Buenos días a todos.`}}}");
}
END_TEST

START_TEST(audio_is_as_documented)
{
	struct output_audio a = { ID, 0, "es", false, "\0\0\0", 3, 62 };

	ck_assert(output_audio(&out, &a));
	came_out("{`message_type`:`output_audio_data`,`data`:{`transcription_id`:"
		 "`1a0e9048dfeed5a3`,`translation_part_id`:`0`,`language`:`es`,"
		 "`last_chunk`:false,`data`:`AAAA`,`chunk_generation_delta`:62}}");
	a = (struct output_audio){ ID, 0, "es", true, NULL, 0, NULL_INT };
	ck_assert(output_audio(&out, &a));
	came_out("{`message_type`:`output_audio_data`,`data`:{`transcription_id`:"
		 "`1a0e9048dfeed5a3`,`translation_part_id`:`0`,`language`:`es`,"
		 "`last_chunk`:true,`data`:``,`chunk_generation_delta`:null}}");
	a = (struct output_audio){ ID, 0, "es", true, "\0\1x", 3, NULL_INT, true };
	ck_assert(output_audio(&out, &a));
	came_out("{`message_type`:`output_audio_data`,`data`:{`transcription_id`:"
		 "`1a0e9048dfeed5a3`,`translation_part_id`:`0`,`language`:`es`,"
		 "`last_chunk`:true,`format`:`opus`,`data`:`AAF4`,"
		 "`chunk_generation_delta`:null}}");
}
END_TEST

START_TEST(the_small_ones_are_as_documented)
{
	struct output_timings t = { 1070000, 1100000, 1160000, 1160000, 2500000 };
	struct output_queue q = { "es", 1400, 20000 };

	ck_assert(output_eos(&out));
	came_out("{`message_type`:`eos`,`data`:{}}");
	ck_assert(output_channel_state(&out, OUTPUT_BREAK));
	came_out("{`message_type`:`channel_state`,`data`:{`state`:`break`}}");
	ck_assert(output_channel_state(&out, OUTPUT_LIVE));
	came_out("{`message_type`:`channel_state`,`data`:{`state`:`live`}}");
	ck_assert(output_timings(&out, ID, &t));
	came_out(
	    "{`message_type`:`pipeline_timings`,`data`:{`transcription_id`:"
	    "`1a0e9048dfeed5a3`,`timings`:{`validated_transcription`:1.07,"
	    "`translated_transcription`:1.1,`tts`:1.16,`sent`:1.16,`total`:2.5}}}");
	ck_assert(output_buffer_stats(&out, EPOCH + 2500000, &q, 1));
	came_out(
	    "{`message_type`:`tts_buffer_stats`,`data`:{`stats`:{`timestamp`:"
	    "1795170002.5,`es`:{`current_queue_level_ms`:1400,`max_queue_level_ms`:"
	    "20000}}}}");
	ck_assert(output_warning(&out, "VOICE_NOT_FOUND",
	    "Voice ID 'anna' is not available, using default voice"));
	came_out("{`message_type`:`warning`,`data`:{`code`:`VOICE_NOT_FOUND`,`message`:"
		 "`Voice ID 'anna' is not available, using default voice`}}");
	ck_assert(output_error(&out, "NOT_FOUND", "No active task found", NULL));
	came_out(
	    "{`message_type`:`error`,`data`:{`code`:`NOT_FOUND`,`desc`:`No active task "
	    "found`,`param`:null,`description`:`No active task found`}}");
}
END_TEST

START_TEST(stt_is_flat_and_tells_what_is_new)
{
	struct output_stt before = { "77aa01c2d3e4f506", "en", "good", 320000, 640000 };
	struct output_stt t = { "77aa01c2d3e4f506", "en", "good morning", 320000,
		960000 };

	ck_assert(output_stt_partial(&out, &t, &before));
	came_out(
	    "{`message_type`:`transcription`,`transcription_id`:`77aa01c2d3e4f506`,"
	    "`language`:`en`,`is_eos`:false,`segment`:{`text`:`good morning`,"
	    "`start_time`:0.32,`end_time`:0.96},`delta`:{`text`:` morning`,"
	    "`start_time`:0.64,`end_time`:0.96}}");
	t = (struct output_stt){ t.id, "en", "Good morning.", 320000, 1020000 };
	ck_assert(output_stt_final(&out, &t));
	came_out(
	    "{`message_type`:`transcription`,`transcription_id`:`77aa01c2d3e4f506`,"
	    "`language`:`en`,`is_eos`:true,`segment`:{`text`:`Good morning.`,"
	    "`start_time`:0.32,`end_time`:1.02}}");
	t = (struct output_stt){ t.id, "es", "Buenos días.", 320000, 1020000 };
	ck_assert(output_stt_translated(&out, &t));
	came_out("{`message_type`:`translated_transcription`,`transcription_id`:"
		 "`77aa01c2d3e4f506`,`language`:`es`,`is_eos`:true,`segment`:{`text`:"
		 "`Buenos días.`,`start_time`:0.32,`end_time`:1.02}}");
}
END_TEST

static const struct {
	const char *before, *text, *delta;
} deltas[] = {
	{ NULL, "good", "good" },
	{ "good", "good", "" },
	{ "good", "gold", "ld" },
	{ "good", "bad", "bad" },
	{ "good morning", "good", "" },
	/* two characters that begin with the same byte */
	{ "d\xc3\xad", "d\xc3\xa1s", "\xc3\xa1s" },
	{ "\xe2\x82\xac", "\xe2\x82\xad", "\xe2\x82\xad" },
};

START_TEST(the_delta_begins_at_a_whole_character)
{
	struct output_stt before = { "x", "en", deltas[_i].before, 0, 500000 };
	struct output_stt t = { "x", "en", deltas[_i].text, 0, 1000000 };
	const char *text;

	ck_assert(
	    output_stt_partial(&out, &t, deltas[_i].before != NULL ? &before : NULL));
	text = json_get_text(json_get(tree_of(buf_text(&out)), "delta"), "text");
	ck_assert_str_eq(text, deltas[_i].delta);
}
END_TEST

START_TEST(tts_chunks_are_as_documented)
{
	static const char silence[9600];
	struct output_chunk c = { silence, sizeof(silence), "5f1d0c3a", 42, 200000 };
	char *begin;

	ck_assert(output_chunk(&out, &c));
	begin = arena_str(mem, buf_text(&out));
	memmove(strchr(begin, 'A') + 4, strchr(begin, 'A') + 12800,
	    strlen(strchr(begin, 'A') + 12800) + 1);
	ck_assert_str_eq(begin,
	    quoted("{`message_type`:`audio_chunk`,`data`:{`audio`:`AAAA`,`size`:9600,"
		   "`generation_id`:`5f1d0c3a`,`last_chunk`:false,"
		   "`chunk_generation_delta`:42,`audio_len`:0.2}}"));
	out.len = 0;
	c = (struct output_chunk){ NULL, 0, "5f1d0c3a", 42, 0 };
	ck_assert(output_chunk(&out, &c));
	came_out("{`message_type`:`audio_chunk`,`data`:{`audio`:``,`size`:0,"
		 "`generation_id`:`5f1d0c3a`,`last_chunk`:true,"
		 "`chunk_generation_delta`:null,`audio_len`:null}}");
}
END_TEST

static const struct {
	int64_t us;
	const char *seconds;
} times[] = {
	{ 0, "0.0" },
	{ 1000000, "1.0" },
	{ 1, "0.000001" },
	{ 10100000, "10.1" },
	{ -1500000, "-1.5" },
	{ INT64_C(1795170000000000), "1795170000.0" },
};

START_TEST(seconds_always_have_a_point)
{
	ck_assert(output_buffer_stats(&out, times[_i].us, NULL, 0));
	came_out(arena_printf(mem,
	    "{`message_type`:`tts_buffer_stats`,`data`:{`stats`:{`timestamp`:%s}}}",
	    times[_i].seconds));
}
END_TEST

START_TEST(a_message_that_is_too_long_is_not_put)
{
	char *long_text = arena_alloc(mem, OUTPUT_BYTES + 1);
	size_t frame;

	ck_assert(output_warning(&out, "OVERLOADED", ""));
	frame = out.len;
	memset(long_text, 'x', OUTPUT_BYTES - frame);
	ck_assert(output_warning(&out, "OVERLOADED", long_text));
	ck_assert_uint_eq(out.len, frame + OUTPUT_BYTES);
	memset(long_text, 'x', OUTPUT_BYTES - frame + 1);
	ck_assert(!output_warning(&out, "OVERLOADED", long_text));
	ck_assert_uint_eq(out.len, frame + OUTPUT_BYTES);
}
END_TEST

/* ---- parts ---- */

static const char *
many(const char *s, int n)
{
	struct buf b = { .mem = mem };

	while (n-- > 0)
		buf_str(&b, s);
	return buf_text(&b);
}

START_TEST(up_to_300_characters_are_one_part)
{
	struct list parts = output_parts(mem, many("ñ. ", 100));

	ck_assert_uint_eq(parts.n, 1);
	parts = output_parts(mem, arena_printf(mem, "%s.", many("ñ. ", 100)));
	ck_assert_uint_eq(parts.n, 2);
}
END_TEST

START_TEST(a_longer_text_is_cut_at_ends_of_sentences)
{
	const char *hundred = arena_printf(mem, "%s.", many("x", 99));
	const char *const *part;
	struct list parts = output_parts(
	    mem, arena_printf(mem, "%s %s %s %s", hundred, hundred, hundred, hundred));

	part = parts.items;
	ck_assert_uint_eq(parts.n, 2);
	ck_assert_str_eq(part[0], arena_printf(mem, "%s %s", hundred, hundred));
	ck_assert_str_eq(part[1], part[0]);
	parts = output_parts(mem, arena_printf(mem, "Yes. %s! No.", many("x ", 200)));
	part = parts.items;
	ck_assert_uint_eq(parts.n, 3);
	ck_assert_str_eq(part[0], "Yes.");
	ck_assert_str_eq(part[2], "No.");
}
END_TEST

static const struct {
	const char *text, *rest;
} sentences[] = {
	{ "One. Two.", "Two." },
	{ "One", "" },
	{ "", "" },
	{ "3.5 metres. Yes", "Yes" },
	{ "Really?! \"Yes.\" No.", "\"Yes.\" No." },
	{ "\"Yes.\" No.", "No." },
	{ "Wait\u2026 now", "now" },
	{ "\u4f60\u597d\u3002\u4e16\u754c", "\u4e16\u754c" },
	{ "\u0939\u0964 \u0939", "\u0939" },
};

START_TEST(a_sentence_ends_where_people_end_it)
{
	ck_assert_str_eq(output_sentence(sentences[_i].text), sentences[_i].rest);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("stream_say");
	TCase *t = tcase_create("all");

	(void)engines;
	tcase_add_checked_fixture(t, setup_buffer, teardown);
	tcase_add_test(t, transcripts_are_as_documented);
	tcase_add_test(t, translations_are_as_documented);
	tcase_add_test(t, audio_is_as_documented);
	tcase_add_test(t, the_small_ones_are_as_documented);
	tcase_add_test(t, stt_is_flat_and_tells_what_is_new);
	tcase_add_loop_test(t, the_delta_begins_at_a_whole_character, 0, COUNT(deltas));
	tcase_add_test(t, tts_chunks_are_as_documented);
	tcase_add_loop_test(t, seconds_always_have_a_point, 0, COUNT(times));
	tcase_add_test(t, a_message_that_is_too_long_is_not_put);
	tcase_add_test(t, up_to_300_characters_are_one_part);
	tcase_add_test(t, a_longer_text_is_cut_at_ends_of_sentences);
	tcase_add_loop_test(
	    t, a_sentence_ends_where_people_end_it, 0, COUNT(sentences));
	suite_add_tcase(s, t);
	return unit_run(s);
}
