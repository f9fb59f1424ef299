/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sound sent on a stream, and the texts and speech that the service returns. */
#include <string.h>
#include <zlib.h>

#include "base/base64.h"
#include "cases.h"
#include "stream.h"

static struct account me;

static void
before(void)
{
	me = account_new("streams");
	account_plan(&me, "--parallel_sessions", "0");
}

static const json_t *
transcription(const json_t *data)
{
	return at(data, "transcription");
}

/* Checks a transcript, `T` of section 5; parts: it has translation_part_id. */
static void
check_transcript(const json_t *data, const char *language, bool translated)
{
	const json_t *t = transcription(data), *s = at(t, "segments.0");
	const char *id = text_at(t, "transcription_id");

	ck_assert_uint_eq(strlen(id), 16);
	ck_assert_uint_eq(strspn(id, "0123456789abcdef"), 16);
	ck_assert_str_eq(text_at(t, "language"), language);
	ck_assert_str_ne(text_at(t, "text"), "");
	ck_assert_uint_ge(count_at(t, "segments"), 1);
	ck_assert_int_eq(json_is_integer(at(t, "translation_part_id")), translated);
	ck_assert(json_real_value(at(s, "start")) < json_real_value(at(s, "end")));
	ck_assert(json_real_value(at(s, "start_timestamp")) > 1.7e9);
	ck_assert(json_real_value(at(s, "end_timestamp")) >
		  json_real_value(at(s, "start_timestamp")));
}

/* Speaks a phrase; expects its text and its translation. */
static void
translate_phrase(struct ws *ws)
{
	const char *source;
	json_t *t;

	speak(ws, 0.6, 1.0);
	t = hear(ws, "validated_transcription", 5);
	source = text_at(t, "transcription.text");
	t = hear(ws, "translated_transcription", 5);
	ck_assert_str_eq(text_at(t, "transcription.text"), text("[es] %s", source));
}

/* ---- a phrase ---- */

START_TEST(a_phrase_comes_as_partial_final_translated_and_spoken)
{
	struct ws *ws = stream_begin(&me, NULL);
	const json_t *t;
	const char *id;
	struct speech s;

	start_task(ws, TASK);
	send_sound(ws, &(const struct sound_of_task){ 16000, 0, 0.32 },
	    tone_then_silence(16000, 0.6, 1.0));
	t = hear_next(ws, "partial_transcription", 5);
	check_transcript(t, "en", false);
	id = text_at(t, "transcription.transcription_id");
	t = hear(ws, "validated_transcription", 5);
	check_transcript(t, "en", false);
	ck_assert_str_eq(text_at(t, "transcription.transcription_id"), id);
	t = hear_next(ws, "translated_transcription", 5);
	check_transcript(t, "es", true);
	ck_assert_str_eq(text_at(t, "transcription.transcription_id"), id);
	ck_assert_int_eq(int_at(t, "transcription.translation_part_id"), 0);
	s = hear_speech(ws, "es", 5);
	ck_assert_str_eq(s.id, id);
	ck_assert_str_eq(s.part, "0");
	/* 60 ms for each character, at 24,000 Hz */
	ck_assert_uint_eq(
	    s.bytes, strlen(text_at(t, "transcription.text")) * 24000 * 2 * 60 / 1000);
	ck_assert_uint_eq(s.chunks, (s.bytes + 9599) / 9600);
	hear_nothing(ws, 0.3);
}
END_TEST

START_TEST(phrases_keep_their_order)
{
	struct ws *ws = stream_begin(&me, NULL);
	const char *id[3];
	int texts = 0, spoken = 0;

	start_task(ws, TASK);
	for (int i = 0; i < 3; i++)
		speak(ws, 0.4, 0.9);
	while (spoken < 3) {
		const json_t *j = hear_any(ws, 8), *d = at(j, "data");
		const char *type = text_at(j, "message_type");

		if (strcmp(type, "translated_transcription") == 0)
			id[texts++] = text_at(d, "transcription.transcription_id");
		if (strcmp(type, "output_audio_data") != 0)
			continue;
		ck_assert_int_gt(texts, spoken);
		ck_assert_str_eq(text_at(d, "transcription_id"), id[spoken]);
		spoken += json_is_true(at(d, "last_chunk"));
	}
	ck_assert_str_ne(id[0], id[1]);
	ck_assert_str_ne(id[1], id[2]);
}
END_TEST

/* ---- tasks ---- */

START_TEST(before_a_task_there_is_none_and_that_is_all_that_is_said)
{
	struct ws *ws = stream_begin(&me, NULL);
	double asked = seconds();

	say(ws, "get_task", "{}");
	hear_error(ws, "NOT_FOUND", 2);
	say(ws, "set_task", TASK);
	started(ws);
	ck_assert(seconds() < asked + 30);
	translate_phrase(ws);
}
END_TEST

START_TEST(a_client_that_never_asks_and_sends_at_once_is_translated)
{
	struct ws *ws = stream_begin(&me, NULL);

	say(ws, "set_task", TASK);
	translate_phrase(ws);
}
END_TEST

#define LANGUAGES(pair)                                                                \
	"\"transcription\":{\"source_language\":\"en\"" pair "},"                      \
	"\"translations\":[{\"target_language\":\"es\"}]"

/* clang-format off */
static const char *const tasks[] = {
	"{" SOURCE(24000) "," SINK ",\"pipeline\":{" LANGUAGES("") "}}",
	"{" SOURCE(16000) ",\"pipeline\":{" LANGUAGES("") "},\"unknown\":{\"a\":[1,null]}}",
	"{" SOURCE(48000) "," SINK ",\"pipeline\":{\"preprocessing\":{\"enable_vad\":true,"
	    "\"vad_threshold\":0.5,\"preprocessing_directives\":[],\"denoise\":\"none\"},"
	    "\"transcription\":{\"source_language\":\"en\",\"detectable_languages\":[],"
	    "\"asr_model\":\"auto\",\"denoise\":\"none\",\"allow_hotwords_glossaries\":true,"
	    "\"allowed_hotwords_glossary_ids\":[],\"suppress_numeral_tokens\":false,"
	    "\"diarize_speakers\":false,\"priority\":\"normal\",\"min_alignment_score\":0.2,"
	    "\"max_alignment_cv\":0,\"segment_confirmation_silence_threshold\":0.7,"
	    "\"only_confirm_by_silence\":false,\"batched_inference\":false,"
	    "\"force_detect_language\":false,\"calculate_voice_loudness\":false,"
	    "\"sentence_splitter\":{\"enabled\":true,\"splitter_model\":\"auto\",\"advanced\":"
	    "{\"min_sentence_characters\":80,\"min_sentence_seconds\":4,\"x\":{}}},"
	    "\"verification\":{\"verification_model\":\"auto\","
	    "\"allow_verification_glossaries\":true,\"allowed_verification_glossary_ids\":[],"
	    "\"auto_transcription_correction\":false,\"transcription_correction_style\":null}},"
	    "\"translations\":[{\"target_language\":\"es\",\"allowed_source_languages\":[],"
	    "\"translation_model\":\"auto\",\"allow_translation_glossaries\":true,"
	    "\"allowed_translation_glossary_ids\":[],\"style\":null,"
	    "\"translate_partial_transcriptions\":false,\"speech_generation\":{"
	    "\"tts_model\":\"auto\",\"voice_cloning\":false,\"voice_id\":\"default_low\","
	    "\"voice_timbre_detection\":{\"enabled\":false,\"high_timbre_voices\":"
	    "[\"default_high\"],\"low_timbre_voices\":[\"default_low\"]},\"denoise\":false}}],"
	    "\"translation_queue_configs\":{\"global\":{\"desired_queue_level_ms\":5000,"
	    "\"max_queue_level_ms\":20000,\"auto_tempo\":true,\"min_tempo\":1.15,"
	    "\"max_tempo\":1.45}},\"allowed_message_types\":[\"translated_transcription\","
	    "\"partial_transcription\",\"validated_transcription\",\"never_heard_of\"]}}",
	"{" SOURCE(16000) "," SINK ",\"pipeline\":{\"preprocessing\":{},"
	    "\"transcription\":{\"source_language\":\"EN_us\",\"sentence_splitter\":{},"
	    "\"verification\":{}},\"translations\":[{\"target_language\":\"es\","
	    "\"speech_generation\":{}}],\"translation_queue_configs\":{}}}",
	"{" SOURCE(16000) "," SINK ",\"pipeline\":{\"transcription\":{\"source_language\":"
	    "\"auto\",\"detectable_languages\":[\"en\",\"tlh\",\"zz\"]},"
	    "\"translations\":[{\"target_language\":\"es\"}]}}",
};
/* clang-format on */

START_TEST(every_way_to_write_a_task_is_understood)
{
	static const int hz[] = { 24000, 16000, 48000, 16000, 16000 };
	struct ws *ws = stream_begin(&me, NULL);
	const json_t *told = start_task(ws, tasks[_i]);

	ck_assert_str_eq(text_at(told, "task_status"), "running");
	ck_assert_int_eq(int_at(told, "input_stream.source.sample_rate"), hz[_i]);
	ck_assert_str_eq(
	    text_at(told, "pipeline.translations.0.target_language"), "es");
	send_sound(ws, &(const struct sound_of_task){ .hz = hz[_i] },
	    tone_then_silence(hz[_i], 0.6, 1.0));
	hear(ws, "translated_transcription", 5);
	ck_assert_uint_gt(hear_speech(ws, "es", 5).bytes, 0);
}
END_TEST

#define QUEUES                                                                         \
	"\"translation_queue_configs\":{\"global\":{\"desired_queue_level_ms\":4000,"  \
	"\"max_queue_level_ms\":9000},\"es\":{\"auto_tempo\":false}},"                 \
	"\"allowed_message_types\":[\"validated_transcription\"]"

static const char *const places[] = {
	"{" SOURCE(16000) "," SINK "," PIPELINE("") "," QUEUES "}",
	"{" SOURCE(16000) "," SINK "," PIPELINE("," QUEUES) "}",
	/* number that the pipeline gave the phrase */
	"{" SOURCE(16000) "," SINK "," PIPELINE(
	    "," QUEUES) ",\"translation_queue_configs\":{\"global\":{\"max_queue_level_"
			"ms\":9}},"
			"\"allowed_message_types\":[]}",
};

START_TEST(queues_and_message_types_stand_at_the_top_or_in_the_pipeline)
{
	struct ws *ws = stream_begin(&me, NULL);
	const json_t *told = start_task(ws, places[_i]);
	const char *said = json_dumps(told, JSON_COMPACT);

	ck_assert_ptr_nonnull(strstr(said, "\"desired_queue_level_ms\":4000"));
	speak(ws, 0.6, 1.0);
	hear_next(ws, "validated_transcription", 5);
	hear_next(ws, "output_audio_data", 5);
}
END_TEST

static const struct {
	/* task, and parameter and type of its first fault */
	const char *task, *param, *type;
} wrong_tasks[] = {
	{ "{\"input_stream\":{}}", NULL, "missing" },
	{ "{}", NULL, "missing" },
	{ "{" SOURCE(8000) "," PIPELINE("") "}", "input_stream.source.sample_rate",
	    "range" },
	{ "{" SOURCE(16000) ",\"pipeline\":{\"transcription\":{\"source_language\":"
			    "\"en\"},\"translations\":[{\"target_language\":\"es\"},"
			    "{\"target_language\":\"es\"}]}}",
	    "pipeline.translations.1.target_language", "duplicate" },
	{ "{" SOURCE(16000) ",\"pipeline\":{\"transcription\":{\"source_language\":"
			    "\"en\",\"segment_confirmation_silence_threshold\":9},"
			    "\"translations\":[]}}",
	    "pipeline.transcription.segment_confirmation_silence_threshold", "range" },
};

START_TEST(a_wrong_task_is_refused_and_changes_nothing)
{
	struct ws *ws = stream_begin(&me, NULL);
	const json_t *e;

	say(ws, "set_task", wrong_tasks[_i].task);
	e = hear_next(ws, "error", 5);
	ck_assert_str_eq(text_at(e, "code"), "VALIDATION_ERROR");
	ck_assert_ptr_nonnull(strstr(text_at(e, "desc"), ": "));
	ck_assert_str_eq(text_at(e, "description"), text_at(e, "desc"));
	if (wrong_tasks[_i].param != NULL)
		ck_assert_str_eq(text_at(e, "param"), wrong_tasks[_i].param);
	if (wrong_tasks[_i].type != NULL)
		ck_assert_str_eq(text_at(e, "errors.0.type"), wrong_tasks[_i].type);
	ck_assert_uint_ge(count_at(e, "errors.0.loc"), 1);
	say(ws, "get_task", "{}");
	hear_error(ws, "NOT_FOUND", 2);
	start_task(ws, TASK);
	say(ws, "set_task", wrong_tasks[_i].task);
	hear_error(ws, "VALIDATION_ERROR", 2);
	say(ws, "get_task", "{}");
	ck_assert_str_eq(
	    text_at(hear_next(ws, "current_task", 2), "task_status"), "running");
}
END_TEST

START_TEST(get_task_without_the_hidden_shows_what_was_sent)
{
	struct ws *ws = stream_begin(&me, NULL);
	json_t *sent = json_loads(tasks[1], 0, NULL), *told;

	start_task(ws, tasks[1]);
	say(ws, "get_task", "{\"exclude_hidden\":true}");
	told = hear_next(ws, "current_task", 2);
	ck_assert_str_eq(text_at(told, "task_status"), "running");
	ck_assert_ptr_null(at(told, "output_stream"));
	ck_assert(json_equal(at(told, "pipeline"), at(sent, "pipeline")));
	ck_assert(json_equal(at(told, "input_stream"), at(sent, "input_stream")));
}
END_TEST

/* ---- sound ---- */

static const struct {
	struct sound_of_task how;
	double tone_s, silence_s;
	bool paced; /* no warning may come */
} ways[] = {
	{ { 24000, 0, 0 }, 0.6, 1.0, true }, { { 16000, 0, 0 }, 0.6, 1.0, true },
	{ { 16000, 2048, 0.07 }, 0.6, 1.0, true }, /* slower than real time */
	{ { 16000, 10240, 0 }, 4.5, 1.9, false },  /* 20 of 320 ms */
	{ { 24000, 480000, 0 }, 6, 4, false },     /* a whole file */
	{ { 16000, 1021, 0 }, 0.6, 1.0, true },    /* halves of samples */
};

START_TEST(chunks_of_any_size_and_pace_are_translated)
{
	struct ws *ws = stream_begin(&me, NULL);

	start_task(ws, ways[_i].how.hz == 24000 ? tasks[0] : TASK);
	send_sound(ws, &ways[_i].how,
	    tone_then_silence(ways[_i].how.hz, ways[_i].tone_s, ways[_i].silence_s));
	for (;;) {
		const json_t *j = hear_any(ws, 5);
		const char *type;

		ck_assert_ptr_nonnull(j);
		type = text_at(j, "message_type");
		ck_assert_str_ne(type, "error");
		ck_assert(!ways[_i].paced || strcmp(type, "warning") != 0);
		if (strcmp(type, "translated_transcription") == 0)
			break;
	}
}
END_TEST

START_TEST(a_wav_file_tells_its_own_rate)
{
	struct ws *ws = stream_begin(&me, NULL);
	struct bytes pcm = tone_then_silence(24000, 0.6, 1.0);
	struct bytes wav = wav_of(44 + pcm.n);
	char *p = arena_alloc(memory(), wav.n);

	memcpy(p, wav.p, 44);
	memcpy(p + 24, "\xc0\x5d\0\0\x80\xbb\0\0", 8); /* 24,000 Hz */
	memcpy(p + 44, pcm.p, pcm.n);
	start_task(ws,
	    "{\"input_stream\":{\"content_type\":\"audio\",\"source\":{\"type\":\"ws\","
	    "\"format\":\"wav\"}}," SINK "," PIPELINE("") "}");
	send_sound(ws, &(const struct sound_of_task){ .hz = 24000 },
	    (struct bytes){ p, wav.n });
	hear(ws, "translated_transcription", 5);
}
END_TEST

#define ZLIB                                                                           \
	"{" SOURCE(16000) ",\"output_stream\":{\"target\":{\"type\":\"ws\","           \
			  "\"format\":\"zlib_pcm_s16le\"}}," PIPELINE("") "}"

START_TEST(compressed_speech_is_inflated_message_by_message)
{
	struct ws *ws = stream_begin(&me, NULL);
	bool last = false;
	size_t all = 0;

	start_task(ws, ZLIB);
	speak(ws, 0.6, 1.0);
	while (!last) {
		const json_t *c = hear(ws, "output_audio_data", 5);
		const char *data = text_at(c, "data");
		unsigned char pcm[9600];
		uLongf n = sizeof(pcm);
		size_t zn = 0;
		unsigned char *z = base64_read(memory(), data, strlen(data), &zn);

		last = json_is_true(at(c, "last_chunk"));
		if (last && zn == 0)
			break;
		ck_assert_int_eq(uncompress(pcm, &n, z, zn), Z_OK);
		ck_assert_uint_eq(n % 2, 0);
		all += n;
	}
	ck_assert_uint_eq(all, strlen("[es] hello world") * 2880);
}
END_TEST

#define STARS                                                                          \
	",\"allowed_message_types\":[\"tts_text\",\"pipeline_timings\","               \
	"\"tts_buffer_stats\"]"

static bool
is(const json_t *j, const char *type)
{
	return strcmp(text_at(j, "message_type"), type) == 0;
}

START_TEST(how_it_works_inside_is_told_on_demand)
{
	struct ws *ws = stream_begin(&me, NULL);
	const json_t *j, *said = NULL, *stats = NULL, *timings = NULL;

	start_task(ws, "{" SOURCE(16000) "," SINK "," PIPELINE(STARS) "}");
	speak(ws, 0.6, 1.0);
	while (said == NULL || stats == NULL || timings == NULL) {
		j = hear_any(ws, 5);
		ck_assert_ptr_nonnull(j);
		said = is(j, "tts_text") ? at(j, "data") : said;
		stats = is(j, "tts_buffer_stats") ? at(j, "data.stats") : stats;
		timings = is(j, "pipeline_timings") ? at(j, "data.timings") : timings;
	}
	ck_assert_str_eq(text_at(said, "transcription.language"), "es");
	ck_assert_ptr_null(at(said, "transcription.segments"));
	ck_assert_int_eq(int_at(stats, "es.max_queue_level_ms"), 20000);
	ck_assert(json_real_value(at(timings, "total")) >=
		  json_real_value(at(timings, "tts")));
}
END_TEST

START_TEST(without_an_output_only_text_comes)
{
	struct ws *ws = stream_begin(&me, NULL);

	start_task(ws, "{" SOURCE(16000) ",\"output_stream\":null," PIPELINE("") "}");
	translate_phrase(ws);
	hear_nothing(ws, 0.5);
}
END_TEST

START_TEST(an_unknown_voice_speaks_with_a_warning)
{
	struct ws *ws = stream_begin(&me, NULL);

	say(ws, "set_task",
	    "{" SOURCE(16000) "," SINK ",\"pipeline\":{\"transcription\":"
			      "{\"source_language\":\"en\"},\"translations\":[{"
			      "\"target_language\":\"es\","
			      "\"speech_generation\":{\"voice_id\":\"anna\"}}]}}");
	speak(ws, 0.6, 1.0);
	ck_assert_str_eq(text_at(hear(ws, "warning", 5), "code"), "VOICE_NOT_FOUND");
	ck_assert_uint_gt(hear_speech(ws, "es", 5).bytes, 0);
}
END_TEST

Suite *
streams_suite(void)
{
	TCase *t;
	Suite *s = suite_of("streams", before, &t);

	tcase_add_test(t, a_phrase_comes_as_partial_final_translated_and_spoken);
	tcase_add_test(t, phrases_keep_their_order);
	tcase_add_test(t, before_a_task_there_is_none_and_that_is_all_that_is_said);
	tcase_add_test(t, a_client_that_never_asks_and_sends_at_once_is_translated);
	tcase_add_loop_test(t, every_way_to_write_a_task_is_understood, 0, ROWS(tasks));
	tcase_add_loop_test(t,
	    queues_and_message_types_stand_at_the_top_or_in_the_pipeline, 0,
	    ROWS(places));
	tcase_add_loop_test(
	    t, a_wrong_task_is_refused_and_changes_nothing, 0, ROWS(wrong_tasks));
	tcase_add_test(t, get_task_without_the_hidden_shows_what_was_sent);
	tcase_add_loop_test(
	    t, chunks_of_any_size_and_pace_are_translated, 0, ROWS(ways));
	tcase_add_test(t, a_wav_file_tells_its_own_rate);
	tcase_add_test(t, compressed_speech_is_inflated_message_by_message);
	tcase_add_test(t, how_it_works_inside_is_told_on_demand);
	tcase_add_test(t, without_an_output_only_text_comes);
	tcase_add_test(t, an_unknown_voice_speaks_with_a_warning);
	return s;
}
