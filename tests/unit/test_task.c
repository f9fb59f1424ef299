/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The task object of set_task: accepted objects, the resulting tasks, and their output.
 * Refusals are in test_task_faults.c.
 */
#include "protocol/output.h"
#include "tests/unit/stream_texts.h"

static struct task task;
static struct validation_errors errors;

static void
take(const char *text)
{
	bool taken = task_read(mem, tree_of(text), &engines, &task, &errors);

	ck_assert_msg(taken, "%s", validation_errors_text(mem, &errors));
}

#define WS "`input_stream`:{`source`:{`sample_rate`:16000}}"
#define EN_ES                                                                          \
	"`transcription`:{`source_language`:`en`},"                                    \
	"`translations`:[{`target_language`:`es`}]"

static const char *
told(bool exclude_hidden)
{
	struct buf b = { .mem = mem };

	ck_assert(
	    output_current_task(&b, &task, "running", exclude_hidden, NULL, NULL));
	return buf_text(&b);
}

#define DOCUMENTED                                                                     \
	"`input_stream`:{`content_type`:`audio`,`source`:{`type`:`ws`,`format`:"       \
	"`pcm_s16le`,`sample_rate`:24000,`channels`:1}},`output_stream`:"              \
	"{`content_type`:`audio`,`target`:{`type`:`ws`,`format`:`pcm_s16le`}},"        \
	"`pipeline`:{`transcription`:{`source_language`:`en`},`translations`:"         \
	"[{`target_language`:`es`}]}"

START_TEST(members_that_were_sent_are_told_as_documented)
{
	take("{" DOCUMENTED "}");
	ck_assert_str_eq(
	    told(true), quoted("{`message_type`:`current_task`,`data`:{" DOCUMENTED
			       ",`task_status`:`running`}}"));
}
END_TEST

START_TEST(the_documented_task_is_taken)
{
	take(
	    "{`input_stream`:{`content_type`:`audio`,`source`:{`type`:`ws`,`format`:"
	    "`pcm_s16le`,`sample_rate`:24000,`channels`:1}},`output_stream`:"
	    "{`content_type`:`audio`,`target`:{`type`:`ws`,`format`:`pcm_s16le`}},"
	    "`pipeline`:{`transcription`:{`source_language`:`en`},`translations`:"
	    "[{`target_language`:`es`,`speech_generation`:{`voice_id`:`default_low`}}],"
	    "`allowed_message_types`:[`translated_transcription`,"
	    "`partial_transcription`,`validated_transcription`]}}");
	ck_assert_int_eq(task.source, TASK_WS);
	ck_assert_int_eq(task.in, TASK_PCM);
	ck_assert_int_eq(task.sample_rate, 24000);
	ck_assert_str_eq(task.language.code, "en");
	ck_assert_uint_eq(task.n_targets, 1);
	ck_assert_str_eq(task.targets[0].language.code, "es");
	ck_assert_str_eq(task.targets[0].voice.id, "default_low");
	ck_assert(!task.text_only && task.targets[0].speech);
}
END_TEST

#define ALL_DEFAULTS                                                                   \
	"{`input_stream`:{`source`:{`sample_rate`:16000,`type`:`ws`,`format`:"         \
	"`pcm_s16le`,`channels`:1},`content_type`:`audio`},`pipeline`:"                \
	"{`transcription`:{`source_language`:`en`,`detectable_languages`:[],"          \
	"`asr_model`:`auto`,`segment_confirmation_silence_threshold`:0.7,"             \
	"`sentence_splitter`:{`enabled`:true,`only_confirm_by_silence`:false,"         \
	"`advanced`:{`min_sentence_characters`:80,`min_sentence_seconds`:4}},"         \
	"`allow_hotwords_glossaries`:true,`allowed_hotwords_glossary_ids`:[],"         \
	"`verification`:{`allow_verification_glossaries`:true,"                        \
	"`allowed_verification_glossary_ids`:[]}},`translations`:[{"                   \
	"`target_language`:`es`,`allowed_source_languages`:[],`translation_model`:"    \
	"`auto`,`allow_translation_glossaries`:true,"                                  \
	"`allowed_translation_glossary_ids`:[],`translate_partial_transcriptions`:"    \
	"false,`speech_generation`:{`voice_id`:`default_low`,`tts_model`:`auto`,"      \
	"`voice_cloning`:false,`voice_timbre_detection`:{`enabled`:false,"             \
	"`high_timbre_voices`:[`default_high`],`low_timbre_voices`:[`default_low`]}}}" \
	"],`preprocessing`:{`enable_vad`:true,`vad_threshold`:0.5},"                   \
	"`translation_queue_configs`:{`global`:{`desired_queue_level_ms`:5000,"        \
	"`max_queue_level_ms`:20000,`auto_tempo`:true,`min_tempo`:1.15,`max_tempo`:"   \
	"1.45}},`allowed_message_types`:[`translated_transcription`,"                  \
	"`partial_transcription`,`validated_transcription`]},`output_stream`:"         \
	"{`content_type`:`audio`,`target`:{`type`:`ws`,`format`:`pcm_s16le`,"          \
	"`sample_rate`:24000,`channels`:1}},`task_status`:`running`}"

START_TEST(absent_members_are_told_with_their_default)
{
	const char *first;

	take("{" WS ",`pipeline`:{" EN_ES "}}");
	ck_assert_str_eq(told(false),
	    quoted("{`message_type`:`current_task`,`data`:" ALL_DEFAULTS "}"));
	ck_assert_str_eq(
	    told(true), quoted("{`message_type`:`current_task`,`data`:{" WS
			       ",`pipeline`:{" EN_ES "},`task_status`:`running`}}"));
	first = told(false);
	take(ALL_DEFAULTS); /* the reported task can be sent again */
	ck_assert_uint_eq(strlen(told(true)), strlen(first));
	ck_assert_str_eq(told(false), told(true));
}
END_TEST

START_TEST(null_is_absent_but_where_it_means_nothing_comes_out)
{
	take("{`input_stream`:{`content_type`:null,`source`:{`type`:null,`format`:null,"
	     "`sample_rate`:16000,`channels`:null}},`output_stream`:null,`pipeline`:{"
	     "`preprocessing`:null,`transcription`:{`source_language`:`en`,"
	     "`asr_model`:null,`priority`:null},`translations`:[{`target_language`:"
	     "`es`,`speech_generation`:null}],`translation_queue_configs`:null,"
	     "`allowed_message_types`:null}}");
	ck_assert(task.text_only && !task.targets[0].speech && task.vad);
	ck_assert_str_eq(task.asr_model, "auto");
	ck_assert(task_sends(&task, OUTPUT_PARTIAL));
	ck_assert_str_eq(told(true),
	    quoted(
		"{`message_type`:`current_task`,`data`:{`input_stream`:{`source`:"
		"{`sample_rate`:16000}},`output_stream`:null,`pipeline`:"
		"{`transcription`:{`source_language`:`en`,`priority`:null},"
		"`translations`:[{`target_language`:`es`,`speech_generation`:null}]},"
		"`task_status`:`running`}}"));
	ck_assert_ptr_nonnull(
	    strstr(told(false), "\"translate_partial_transcriptions\":false}]"));
}
END_TEST

START_TEST(members_without_effect_are_kept_as_sent)
{
	const char *sent =
	    "{`input_stream`:{`source`:{`sample_rate`:16000,`x`:1}},`pipeline`:{"
	    "`preprocessing`:{`auto_tempo`:[],`record_tracks`:{}},`transcription`:"
	    "{`source_language`:`en`,`diarize_speakers`:`no`,`min_alignment_score`:1.0,"
	    "`denoise`:`alpha`,`priority`:-0,`sentence_splitter`:{`splitter_model`:"
	    "`auto`},`verification`:{`verification_model`:[1,2.50]}},`translations`:["
	    "{`target_language`:`es`,`style`:null,`advanced`:{},`speech_generation`:"
	    "{`voice_timbre_detection`:{`y`:1},`speech_tempo_auto`:true}}]},`z`:{}%s}";

	take(arena_printf(mem, sent, ",`task_status`:5,`webrtc`:{}"));
	ck_assert_str_eq(told(true),
	    quoted(arena_printf(mem, "{`message_type`:`current_task`,`data`:%s}",
		arena_printf(mem, sent, ",`task_status`:`running`"))));
	ck_assert_ptr_nonnull(
	    strstr(told(false), quoted("`min_alignment_score`:1.0,")));
}
END_TEST

START_TEST(nothing_is_borrowed_from_the_tree)
{
	struct arena *other = arena_new(), *kept = mem;
	const struct json *tree;
	const char *before;

	mem = other;
	tree = tree_of("{" WS ",`pipeline`:{" EN_ES "},`extra`:[`text`,1.50]}");
	mem = kept;
	ck_assert(task_read(mem, tree, &engines, &task, &errors));
	before = told(false);
	arena_free(other);
	ck_assert_str_eq(told(false), before);
	ck_assert_str_eq(task.targets[0].language.said, "es");
}
END_TEST

/* ---- languages ---- */

START_TEST(targets_are_found_by_code_then_by_base)
{
	take("{" WS ",`pipeline`:{`transcription`:{`source_language`:`EN_gb`},"
	     "`translations`:[{`target_language`:`es-mx`},{`target_language`:`ES`},"
	     "{`target_language`:`zh_Hans`}]}}");
	ck_assert_str_eq(task.language.code, "en-gb");
	ck_assert_str_eq(task.targets[2].language.code, "zh-hans");
	ck_assert_str_eq(task.targets[2].language.said, "zh_Hans");
	ck_assert_ptr_eq(task_target(mem, &task, "es"), &task.targets[1]);
	ck_assert_ptr_eq(task_target(mem, &task, "es_MX"), &task.targets[0]);
	ck_assert_ptr_eq(task_target(mem, &task, "es-co"), &task.targets[0]);
	ck_assert_ptr_eq(task_target(mem, &task, "zh"), &task.targets[2]);
	ck_assert_ptr_null(task_target(mem, &task, "fr"));
}
END_TEST

static const char *const pairs[] = { "en>es", "en-us>es-mx", "de>pt-br", "es>ca",
	"en>en-gb", "en>zh-hans", "auto>es,de", "auto>ca", "auto>en,es" };

/* Returns a task with these languages: "en>es,de". */
static const char *
with_pair(const char *pair)
{
	struct buf b = { .mem = mem };
	const char *to = strchr(pair, '>') + 1;
	size_t n;

	buf_printf(&b,
	    "{" WS ",`pipeline`:{`transcription`:{`source_language`:`%.*s`},"
	    "`translations`:[",
	    (int)(to - pair - 1), pair);
	for (; *to != '\0'; to += n + (to[n] == ',')) {
		n = strcspn(to, ",");
		buf_printf(&b, "{`target_language`:`%.*s`}%s", (int)n, to,
		    to[n] == ',' ? "," : "");
	}
	buf_str(&b, "]}}");
	return buf_text(&b);
}

START_TEST(pairs_are_found_by_code_and_base)
{
	take(with_pair(pairs[_i]));
}
END_TEST

START_TEST(undetectable_languages_are_skipped)
{
	const char *const *codes;

	take("{" WS ",`pipeline`:{`transcription`:{`source_language`:`auto`,"
	     "`detectable_languages`:[`xx`,`ja`,`EN`,`en`,`es_mx`]},`translations`:"
	     "[{`target_language`:`es`,`allowed_source_languages`:[`EN_us`]}]}}");
	codes = task.detectable.items;
	ck_assert_uint_eq(task.detectable.n, 2);
	ck_assert_str_eq(codes[0], "en");
	ck_assert_str_eq(codes[1], "es-mx");
	ck_assert(task_translates(&task, &task.targets[0], "en"));
	ck_assert(!task_translates(&task, &task.targets[0], "es"));
	take("{" WS ",`pipeline`:{`transcription`:{`source_language`:`auto`,"
	     "`detectable_languages`:[`ja`]},`translations`:[{`target_language`:`es`}]"
	     "}}");
	ck_assert_uint_eq(task.detectable.n, 0);
	ck_assert(task_translates(&task, &task.targets[0], "de"));
	take("{" WS ",`pipeline`:{`transcription`:{`source_language`:`en`},"
	     "`translations`:[{`target_language`:`es`,`allowed_source_languages`:"
	     "[`de`]}]}}");
	ck_assert(task_translates(&task, &task.targets[0], "en"));
}
END_TEST

/* ---- in two places ---- */

START_TEST(queues_may_stand_on_top_and_the_pipeline_wins)
{
	take("{" WS ",`pipeline`:{" EN_ES "},`translation_queue_configs`:{`global`:"
	     "{`desired_queue_level_ms`:600,`max_queue_level_ms`:9000},`ES`:"
	     "{`max_queue_level_ms`:1000,`auto_tempo`:false},`fr`:5}}");
	ck_assert_int_eq(task.targets[0].queue.desired_ms, 600);
	ck_assert_int_eq(task.targets[0].queue.max_ms, 1000);
	ck_assert(!task.targets[0].queue.auto_tempo);
	ck_assert(task.targets[0].queue.max_tempo == 1.45);
	ck_assert_ptr_nonnull(strstr(told(false),
	    quoted(
		"`translation_queue_configs`:{`global`:{`desired_queue_level_ms`:600,"
		"`max_queue_level_ms`:9000,`auto_tempo`:true,`min_tempo`:1.15,"
		"`max_tempo`:1.45},`ES`:{`max_queue_level_ms`:1000,`auto_tempo`:false,"
		"`desired_queue_level_ms`:600,`min_tempo`:1.15,`max_tempo`:1.45},`fr`:"
		"5}")));
	ck_assert_ptr_null(
	    strstr(strstr(told(false), "_configs") + 1, "translation_queue_configs"));
	take("{" WS ",`pipeline`:{" EN_ES ",`translation_queue_configs`:{`global`:"
	     "{`max_queue_level_ms`:7000}}},`translation_queue_configs`:{`global`:"
	     "{`max_queue_level_ms`:`ignored`}}}");
	ck_assert_int_eq(task.targets[0].queue.max_ms, 7000);
}
END_TEST

START_TEST(types_may_stand_on_top_and_the_pipeline_wins)
{
	take("{" WS ",`pipeline`:{" EN_ES "},`allowed_message_types`:[`tts_text`,"
	     "`unheard_of`]}");
	ck_assert_uint_eq(task.starred, 1u << OUTPUT_TTS_TEXT);
	ck_assert_ptr_null(strstr(
	    strstr(told(false), "allowed_message_types") + 1, "allowed_message_types"));
	take("{" WS ",`pipeline`:{" EN_ES ",`allowed_message_types`:[]},"
	     "`allowed_message_types`:[`tts_text`]}");
	ck_assert_uint_eq(task.starred, 0);
	take("{" WS ",`pipeline`:{" EN_ES "}}");
	ck_assert(task_sends(&task, OUTPUT_PARTIAL) &&
		  task_sends(&task, OUTPUT_VALIDATED) &&
		  task_sends(&task, OUTPUT_TRANSLATED));
	ck_assert(!task_sends(&task, OUTPUT_PARTIAL_TRANSLATED) &&
		  !task_sends(&task, OUTPUT_TIMINGS) &&
		  !task_sends(&task, OUTPUT_TTS_TEXT) &&
		  !task_sends(&task, OUTPUT_BUFFER_STATS));
}
END_TEST

/* ---- other kinds ---- */

START_TEST(a_media_server_makes_webrtc_possible)
{
	struct task_engines with = engines;
	const char *text = "{`input_stream`:{`source`:{`type`:`livekit`,`format`:5}},"
			   "`output_stream`:{`target`:{`type`:`webrtc`}},`pipeline`:"
			   "{" EN_ES "}}";
	struct buf b = { .mem = mem };

	with.webrtc = true;
	ck_assert(task_read(mem, tree_of(text), &with, &task, &errors));
	ck_assert_int_eq(task.source, TASK_WEBRTC);
	ck_assert(output_current_task(&b, &task, "paused", true, "{}", NULL));
	ck_assert_str_eq(buf_text(&b),
	    quoted(arena_printf(mem,
		"{`message_type`:`current_task`,`data`:%.*s,`webrtc`:{},`task_status`:"
		"`paused`}}",
		(int)strlen(text) - 1, text)));
}
END_TEST

START_TEST(opus_and_wav_need_no_rate)
{
	take("{`input_stream`:{`source`:{`format`:`opus`}},`pipeline`:{" EN_ES "}}");
	ck_assert_int_eq(task.in, TASK_OPUS);
	ck_assert_int_eq(task.sample_rate, 0);
	ck_assert_ptr_nonnull(strstr(told(false),
	    quoted("`source`:{`format`:`opus`,`type`:`ws`,`channels`:1}")));
	take("{`input_stream`:{`source`:{`format`:`wav`,`sample_rate`:48000,"
	     "`channels`:2}},`output_stream`:{`target`:{`format`:`zlib_pcm_s16le`}},"
	     "`pipeline`:{" EN_ES "}}");
	ck_assert_int_eq(task.in, TASK_WAV);
	ck_assert_int_eq(task.out, TASK_OUT_ZLIB);
	ck_assert_int_eq(task.channels, 2);
}
END_TEST

START_TEST(a_channel_sets_only_its_input)
{
	const struct json *pipeline = tree_of("{" EN_ES "}");

	ck_assert(task_read_channel(mem,
	    tree_of("{" WS ",`pipeline`:5,`output_stream`:null}"), pipeline, &engines,
	    &task, &errors));
	ck_assert(!task.text_only);
	ck_assert_str_eq(
	    told(true), quoted("{`message_type`:`current_task`,`data`:{" WS
			       ",`pipeline`:{" EN_ES "},`task_status`:`running`}}"));
	ck_assert(
	    !task_read_channel(mem, tree_of("{}"), pipeline, &engines, &task, &errors));
	ck_assert_str_eq(
	    validation_errors_text(mem, &errors), "input_stream: is required");
}
END_TEST

START_TEST(listeners_are_told_languages_only)
{
	struct buf b = { .mem = mem };

	take("{" WS ",`pipeline`:{`transcription`:{`source_language`:`en`},"
	     "`translations`:[{`target_language`:`es_MX`},{`target_language`:`de`}]}}");
	ck_assert(output_languages(&b, &task, "paused", NULL));
	ck_assert_str_eq(buf_text(&b),
	    quoted("{`message_type`:`current_task`,`data`:{`languages`:[`es_MX`,`de`],"
		   "`task_status`:`paused`}}"));
}
END_TEST

START_TEST(ids_and_voices_are_lists)
{
	take("{" WS ",`pipeline`:{`transcription`:{`source_language`:`en`,"
	     "`allow_hotwords_glossaries`:false,`allowed_hotwords_glossary_ids`:"
	     "[`1A0E9048-84E6-4CEB-95BD-447E7184D454`]},`translations`:["
	     "{`target_language`:`es`,`speech_generation`:{`voice_timbre_detection`:"
	     "{`enabled`:true,`high_timbre_voices`:[],`low_timbre_voices`:[`a`,`b`]}}}]"
	     "}}");
	ck_assert(!task.hotwords.allowed && task.verification.allowed);
	ck_assert_str_eq(*(const char **)task.hotwords.ids.items,
	    "1a0e9048-84e6-4ceb-95bd-447e7184d454");
	ck_assert(task.targets[0].voice.timbre);
	ck_assert_str_eq(
	    *(const char **)task.targets[0].voice.high.items, "default_high");
	ck_assert_uint_eq(task.targets[0].voice.low.n, 2);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("stream_task");
	TCase *t = tcase_create("all");

	tcase_add_checked_fixture(t, setup, teardown);
	tcase_add_test(t, members_that_were_sent_are_told_as_documented);
	tcase_add_test(t, the_documented_task_is_taken);
	tcase_add_test(t, absent_members_are_told_with_their_default);
	tcase_add_test(t, null_is_absent_but_where_it_means_nothing_comes_out);
	tcase_add_test(t, members_without_effect_are_kept_as_sent);
	tcase_add_test(t, nothing_is_borrowed_from_the_tree);
	tcase_add_test(t, targets_are_found_by_code_then_by_base);
	tcase_add_loop_test(t, pairs_are_found_by_code_and_base, 0, COUNT(pairs));
	tcase_add_test(t, undetectable_languages_are_skipped);
	tcase_add_test(t, queues_may_stand_on_top_and_the_pipeline_wins);
	tcase_add_test(t, types_may_stand_on_top_and_the_pipeline_wins);
	tcase_add_test(t, a_media_server_makes_webrtc_possible);
	tcase_add_test(t, opus_and_wav_need_no_rate);
	tcase_add_test(t, a_channel_sets_only_its_input);
	tcase_add_test(t, listeners_are_told_languages_only);
	tcase_add_test(t, ids_and_voices_are_lists);
	suite_add_tcase(s, t);
	return unit_run(s);
}
