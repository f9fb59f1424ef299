/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Refusals of set_task: their paths and their texts. */
#include "protocol/output.h"
#include "tests/unit/stream_texts.h"

static struct task task;
static struct validation_errors errors;

static bool
takes(const char *text)
{
	return task_read(mem, tree_of(text), &engines, &task, &errors);
}

#define WS "`input_stream`:{`source`:{`sample_rate`:16000}}"
#define EN "`transcription`:{`source_language`:`en`}"
#define EN_ES EN ",`translations`:[{`target_language`:`es`}]"

START_TEST(the_documented_error_comes_out)
{
	struct buf out = { .mem = mem };

	ck_assert(!takes("{" WS ",`pipeline`:{`transcription`:{`source_language`:`en`,"
			 "`segment_confirmation_silence_threshold`:0.2},`translations`:"
			 "[{`target_language`:`ja`}]}}"));
	ck_assert(output_validation_errors(&out, &errors));
	ck_assert_str_eq(buf_text(&out),
	    quoted(
		"{`message_type`:`error`,`data`:{`code`:`VALIDATION_ERROR`,`desc`:"
		"`pipeline.transcription.segment_confirmation_silence_threshold: must "
		"be between 0.3 and 2.0; pipeline.translations.0.target_language: "
		"unsupported language pair en-ja`,`param`:"
		"`pipeline.transcription.segment_confirmation_silence_threshold`,"
		"`description`:"
		"`pipeline.transcription.segment_confirmation_silence_threshold: must "
		"be between 0.3 and 2.0; pipeline.translations.0.target_language: "
		"unsupported language pair en-ja`,`errors`:[{`loc`:[`pipeline`,"
		"`transcription`,`segment_confirmation_silence_threshold`],`msg`:"
		"`must be between 0.3 and 2.0`,`type`:`range`},{`loc`:[`pipeline`,"
		"`translations`,0,`target_language`],`msg`:`unsupported language pair "
		"en-ja`,`type`:`unsupported`}]}}"));
}
END_TEST

/* ---- each rule at its bounds ---- */

#define SOURCE(s) "{`input_stream`:{`source`:" s "},`pipeline`:{" EN_ES "}}"
#define OUTPUT(s) "{" WS ",`output_stream`:{`target`:" s "},`pipeline`:{" EN_ES "}}"
#define ASR(s)                                                                         \
	"{" WS ",`pipeline`:{`transcription`:{`source_language`:`en`," s "},"          \
	"`translations`:[]}}"
#define PRE(s) "{" WS ",`pipeline`:{" EN_ES ",`preprocessing`:" s "}}"
#define TO(s)                                                                          \
	"{" WS ",`pipeline`:{" EN ",`translations`:[{`target_language`:`es`," s "}]}}"
#define ON_TOP(s) "{" WS ",`pipeline`:{" EN_ES "}," s "}"
#define QUEUE(s) ON_TOP("`translation_queue_configs`:{`global`:{" s "}}")
#define SAYS(s) "{" WS ",`pipeline`:{" EN_ES ",`allowed_message_types`:" s "}}"

/* clang-format off */
static const char *const taken[] = {
	SOURCE("{`sample_rate`:16000}"), SOURCE("{`sample_rate`:48000,`channels`:2}"),
	SOURCE("{`sample_rate`:24000.0}"), SOURCE("{`format`:`opus`}"),
	OUTPUT("{`sample_rate`:24000,`channels`:1}"), OUTPUT("{`type`:`ws`}"), OUTPUT("null"),
	ASR("`segment_confirmation_silence_threshold`:0.3"),
	ASR("`segment_confirmation_silence_threshold`:2"),
	ASR("`sentence_splitter`:{`advanced`:{`min_sentence_characters`:1,`min_sentence_seconds`:0}}"),
	ASR("`sentence_splitter`:{`advanced`:{`min_sentence_characters`:1000,`min_sentence_seconds`:60}}"),
	ASR("`sentence_splitter`:{},`verification`:{}"),
	ASR("`detectable_languages`:[`no such`]"), ASR("`asr_model`:`no such`"),
	PRE("{`vad_threshold`:0}"), PRE("{`vad_threshold`:1,`enable_vad`:false}"), PRE("{}"),
	TO("`speech_generation`:{`voice_id`:`x`}"), TO("`translation_model`:``"),
	QUEUE("`desired_queue_level_ms`:500,`max_queue_level_ms`:1000"),
	QUEUE("`desired_queue_level_ms`:60000,`max_queue_level_ms`:120000"),
	QUEUE("`desired_queue_level_ms`:5000,`max_queue_level_ms`:5001"),
	QUEUE("`min_tempo`:0.5,`max_tempo`:0.5"), QUEUE("`min_tempo`:2.0,`max_tempo`:2.0"),
	SAYS("[]"), SAYS("[`unheard_of`]"),
};

static const struct {
	const char *text, *desc, *type;
} refused[] = {
	{ "[]", "must be an object", VALIDATION_TYPE },
	{ "{}", "input_stream: is required; "
	    "pipeline.transcription.source_language: is required; "
	    "pipeline.translations: is required", VALIDATION_MISSING },
	{ "{`input_stream`:{}}", "input_stream.source.sample_rate: is required; "
	    "pipeline.transcription.source_language: is required; "
	    "pipeline.translations: is required", VALIDATION_MISSING },
	{ "{`input_stream`:5,`pipeline`:[],`output_stream`:``}",
	    "input_stream: must be an object; output_stream: must be an object; "
	    "pipeline: must be an object", VALIDATION_TYPE },
	{ "{`input_stream`:{`content_type`:`video`,`source`:[]},`pipeline`:{" EN_ES "}}",
	    "input_stream.content_type: must be audio; "
	    "input_stream.source: must be an object", VALIDATION_ENUM },
	{ SOURCE("{`type`:`rtmp`,`sample_rate`:16000}"),
	    "input_stream.source.type: must be one of ws, webrtc, livekit", VALIDATION_ENUM },
	{ SOURCE("{`type`:`webrtc`}"), "input_stream.source.type: WebRTC is not configured "
	    "on this server, use ws", VALIDATION_UNSUPPORTED },
	{ SOURCE("{`format`:`mp3`,`sample_rate`:16000}"),
	    "input_stream.source.format: must be one of pcm_s16le, opus, wav", VALIDATION_ENUM },
	{ SOURCE("{`sample_rate`:15999}"),
	    "input_stream.source.sample_rate: must be between 16000 and 48000", VALIDATION_RANGE },
	{ SOURCE("{`sample_rate`:48001,`channels`:0}"),
	    "input_stream.source.sample_rate: must be between 16000 and 48000; "
	    "input_stream.source.channels: must be between 1 and 2", VALIDATION_RANGE },
	{ SOURCE("{`sample_rate`:1e300,`channels`:3}"),
	    "input_stream.source.sample_rate: must be between 16000 and 48000; "
	    "input_stream.source.channels: must be between 1 and 2", VALIDATION_RANGE },
	{ SOURCE("{`sample_rate`:`16000`}"),
	    "input_stream.source.sample_rate: must be an integer", VALIDATION_TYPE },
	{ OUTPUT("{`type`:`webrtc`}"),
	    "output_stream.target.type: must be ws like the source", VALIDATION_ENUM },
	{ OUTPUT("{`format`:`opus`}"), "output_stream.target.format: must be one of "
	    "pcm_s16le, zlib_pcm_s16le", VALIDATION_ENUM },
	{ OUTPUT("{`sample_rate`:16000,`channels`:2}"),
	    "output_stream.target.sample_rate: must be 24000; "
	    "output_stream.target.channels: must be 1", VALIDATION_RANGE },
	{ ASR("`segment_confirmation_silence_threshold`:2.01"),
	    "pipeline.transcription.segment_confirmation_silence_threshold: "
	    "must be between 0.3 and 2.0", VALIDATION_RANGE },
	{ ASR("`segment_confirmation_silence_threshold`:0.29"),
	    "pipeline.transcription.segment_confirmation_silence_threshold: "
	    "must be between 0.3 and 2.0", VALIDATION_RANGE },
	{ ASR("`segment_confirmation_silence_threshold`:`1`"),
	    "pipeline.transcription.segment_confirmation_silence_threshold: "
	    "must be a number", VALIDATION_TYPE },
	{ ASR("`sentence_splitter`:{`enabled`:1,`only_confirm_by_silence`:0,`advanced`:"
	    "{`min_sentence_characters`:0,`min_sentence_seconds`:-0.1}}"),
	    "pipeline.transcription.sentence_splitter.enabled: must be true or false; "
	    "pipeline.transcription.sentence_splitter.only_confirm_by_silence: "
	    "must be true or false; pipeline.transcription.sentence_splitter.advanced."
	    "min_sentence_characters: must be between 1 and 1000; "
	    "pipeline.transcription.sentence_splitter.advanced.min_sentence_seconds: "
	    "must be between 0.0 and 60.0", VALIDATION_TYPE },
	{ ASR("`sentence_splitter`:{`advanced`:{`min_sentence_characters`:1001,"
	    "`min_sentence_seconds`:60.1}}"), "pipeline.transcription.sentence_splitter."
	    "advanced.min_sentence_characters: must be between 1 and 1000; "
	    "pipeline.transcription.sentence_splitter.advanced.min_sentence_seconds: "
	    "must be between 0.0 and 60.0", VALIDATION_RANGE },
	{ ASR("`asr_model`:5,`detectable_languages`:[`en`,null]"),
	    "pipeline.transcription.detectable_languages.1: must be a string; "
	    "pipeline.transcription.asr_model: must be a string", VALIDATION_TYPE },
	{ ASR("`allow_hotwords_glossaries`:``,`allowed_hotwords_glossary_ids`:[`x`]"),
	    "pipeline.transcription.allow_hotwords_glossaries: must be true or false; "
	    "pipeline.transcription.allowed_hotwords_glossary_ids.0: must be a uuid",
	    VALIDATION_TYPE },
	{ ASR("`verification`:{`allow_verification_glossaries`:``,"
	    "`allowed_verification_glossary_ids`:{}}"),
	    "pipeline.transcription.verification.allow_verification_glossaries: "
	    "must be true or false; pipeline.transcription.verification."
	    "allowed_verification_glossary_ids: must be an array", VALIDATION_TYPE },
	{ PRE("{`enable_vad`:0,`vad_threshold`:1.01}"),
	    "pipeline.preprocessing.enable_vad: must be true or false; "
	    "pipeline.preprocessing.vad_threshold: must be between 0.0 and 1.0", VALIDATION_TYPE },
	{ PRE("{`vad_threshold`:-0.01}"),
	    "pipeline.preprocessing.vad_threshold: must be between 0.0 and 1.0", VALIDATION_RANGE },
	{ "{" WS ",`pipeline`:{" EN ",`translations`:[5,{}]}}",
	    "pipeline.translations.0: must be an object; "
	    "pipeline.translations.1.target_language: is required", VALIDATION_TYPE },
	{ "{" WS ",`pipeline`:{" EN ",`translations`:{}}}",
	    "pipeline.translations: must be an array", VALIDATION_TYPE },
	{ "{" WS ",`pipeline`:{" EN ",`translations`:[{`target_language`:`es_MX`},"
	    "{`target_language`:`es`},{`target_language`:`ES-mx`}]}}",
	    "pipeline.translations.2.target_language: ES-mx is a target already",
	    VALIDATION_DUPLICATE },
	{ "{" WS ",`pipeline`:{" EN ",`translations`:[{`target_language`:`auto`},"
	    "{`target_language`:`xx`}]}}",
	    "pipeline.translations.0.target_language: must be a language code; "
	    "pipeline.translations.1.target_language: must be a language code", VALIDATION_ENUM },
	{ "{" WS ",`pipeline`:{`transcription`:{`source_language`:`xx`},"
	    "`translations`:[]}}", "pipeline.transcription.source_language: "
	    "must be a language code or one of auto", VALIDATION_ENUM },
	{ TO("`allowed_source_languages`:`en`,`translate_partial_transcriptions`:1,"
	    "`translation_model`:1,`allow_translation_glossaries`:1,"
	    "`allowed_translation_glossary_ids`:[5],`speech_generation`:[]"),
	    "pipeline.translations.0.allowed_source_languages: must be an array; "
	    "pipeline.translations.0.translation_model: must be a string; "
	    "pipeline.translations.0.allow_translation_glossaries: must be true or false; "
	    "pipeline.translations.0.allowed_translation_glossary_ids.0: must be a string; "
	    "pipeline.translations.0.translate_partial_transcriptions: "
	    "must be true or false; "
	    "pipeline.translations.0.speech_generation: must be an object", VALIDATION_TYPE },
	{ TO("`speech_generation`:{`voice_id`:``,`voice_cloning`:1,`tts_model`:1,"
	    "`voice_timbre_detection`:true}"),
	    "pipeline.translations.0.speech_generation.voice_id: "
	    "must have 1 to 64 characters; "
	    "pipeline.translations.0.speech_generation.tts_model: must be a string; "
	    "pipeline.translations.0.speech_generation.voice_cloning: must be true or false; "
	    "pipeline.translations.0.speech_generation.voice_timbre_detection: "
	    "must be an object", VALIDATION_LENGTH },
	{ TO("`speech_generation`:{`voice_timbre_detection`:{`enabled`:1,"
	    "`high_timbre_voices`:5,`low_timbre_voices`:[``]}}"),
	    "pipeline.translations.0.speech_generation.voice_timbre_detection.enabled: "
	    "must be true or false; pipeline.translations.0.speech_generation."
	    "voice_timbre_detection.high_timbre_voices: must be an array; "
	    "pipeline.translations.0.speech_generation.voice_timbre_detection."
	    "low_timbre_voices.0: must have 1 to 64 characters", VALIDATION_TYPE },
	{ QUEUE("`desired_queue_level_ms`:499,`max_queue_level_ms`:999,`auto_tempo`:1"),
	    "translation_queue_configs.global.desired_queue_level_ms: "
	    "must be between 500 and 60000; "
	    "translation_queue_configs.global.max_queue_level_ms: "
	    "must be between 1000 and 120000; "
	    "translation_queue_configs.global.auto_tempo: must be true or false",
	    VALIDATION_RANGE },
	{ QUEUE("`desired_queue_level_ms`:60001,`max_queue_level_ms`:120001"),
	    "translation_queue_configs.global.desired_queue_level_ms: "
	    "must be between 500 and 60000; "
	    "translation_queue_configs.global.max_queue_level_ms: "
	    "must be between 1000 and 120000", VALIDATION_RANGE },
	{ QUEUE("`max_queue_level_ms`:5000"),
	    "translation_queue_configs.global.max_queue_level_ms: "
	    "must be greater than desired_queue_level_ms", VALIDATION_RANGE },
	{ QUEUE("`desired_queue_level_ms`:20000"),
	    "translation_queue_configs.global.desired_queue_level_ms: "
	    "must be less than max_queue_level_ms", VALIDATION_RANGE },
	{ QUEUE("`min_tempo`:1.46"), "translation_queue_configs.global.min_tempo: "
	    "must be at most max_tempo", VALIDATION_RANGE },
	{ QUEUE("`max_tempo`:1.14"), "translation_queue_configs.global.max_tempo: "
	    "must be at least min_tempo", VALIDATION_RANGE },
	{ QUEUE("`min_tempo`:0.49,`max_tempo`:2.01"),
	    "translation_queue_configs.global.min_tempo: must be between 0.5 and 2.0; "
	    "translation_queue_configs.global.max_tempo: must be between 0.5 and 2.0",
	    VALIDATION_RANGE },
	{ "{" WS ",`pipeline`:{" EN_ES ",`translation_queue_configs`:{`ES`:"
	    "{`max_queue_level_ms`:4000}}}}",
	    "pipeline.translation_queue_configs.ES.max_queue_level_ms: "
	    "must be greater than desired_queue_level_ms", VALIDATION_RANGE },
	{ "{" WS ",`pipeline`:{" EN_ES ",`translation_queue_configs`:{`global`:5,`es`:[]}}}",
	    "pipeline.translation_queue_configs.global: must be an object; "
	    "pipeline.translation_queue_configs.es: must be an object", VALIDATION_TYPE },
	{ "{" WS ",`pipeline`:{" EN_ES "},`translation_queue_configs`:[],"
	    "`allowed_message_types`:``}", "translation_queue_configs: must be an object; "
	    "allowed_message_types: must be an array", VALIDATION_TYPE },
	{ SAYS("[`tts_text`,5]"),
	    "pipeline.allowed_message_types.1: must be a string", VALIDATION_TYPE },
	/* requests that the engines cannot fulfil */
	{ "{" WS ",`pipeline`:{`transcription`:{`source_language`:`ja`},"
	    "`translations`:[]}}", "pipeline.transcription.source_language: "
	    "unsupported language ja", VALIDATION_UNSUPPORTED },
	{ "{" WS ",`pipeline`:{`transcription`:{`source_language`:`ja`},"
	    "`translations`:[{`target_language`:`ja`}]}}",
	    "pipeline.transcription.source_language: "
	    "unsupported language ja",
	    VALIDATION_UNSUPPORTED },
	{ "{" WS ",`pipeline`:{`transcription`:{`source_language`:`EN_us`},"
	    "`translations`:[{`target_language`:`es`},{`target_language`:`zh_Hant`}]}}",
	    "pipeline.translations.1.target_language: unsupported language pair "
	    "EN_us-zh_Hant", VALIDATION_UNSUPPORTED },
	{ "{" WS ",`pipeline`:{`transcription`:{`source_language`:`auto`},"
	    "`translations`:[{`target_language`:`es`},{`target_language`:`de`},"
	    "{`target_language`:`ca`}]}}",
	    "pipeline.translations.2.target_language: unsupported language pair auto-ca",
	    VALIDATION_UNSUPPORTED },
	{ "{" WS ",`pipeline`:{`transcription`:{`source_language`:`auto`,"
	    "`detectable_languages`:[`de`]},`translations`:[{`target_language`:`es`}]}}",
	    "pipeline.translations.0.target_language: unsupported language pair auto-es",
	    VALIDATION_UNSUPPORTED },
};
/* clang-format on */

START_TEST(the_bounds_are_taken)
{
	ck_assert_msg(takes(taken[_i]), "%s", validation_errors_text(mem, &errors));
}
END_TEST

START_TEST(beyond_them_it_is_refused)
{
	ck_assert(!takes(refused[_i].text));
	ck_assert_str_eq(validation_errors_text(mem, &errors), refused[_i].desc);
	ck_assert_str_eq(errors.of[0].type, refused[_i].type);
}
END_TEST

/* ---- numbers of things ---- */

static const char *
with_targets(int n)
{
	static const char *const codes[] = { "es", "es-mx", "es-co", "es-ar", "es-ch",
		"es-la", "de", "en", "en-gb", "en-us", "en-au" };
	struct buf b = { .mem = mem };

	buf_str(&b, "{" WS ",`pipeline`:{" EN ",`translations`:[");
	for (int i = 0; i < n; i++)
		buf_printf(
		    &b, "%s{`target_language`:`%s`}", i > 0 ? "," : "", codes[i]);
	buf_str(&b, "]}}");
	return buf_text(&b);
}

START_TEST(there_are_up_to_ten_targets)
{
	ck_assert(takes(with_targets(0)));
	ck_assert(takes(with_targets(10)));
	ck_assert(!takes(with_targets(11)));
	ck_assert_str_eq(validation_errors_text(mem, &errors),
	    "pipeline.translations: must have at most 10 entries");
	ck_assert_str_eq(errors.of[0].type, VALIDATION_LENGTH);
}
END_TEST

START_TEST(up_to_twenty_faults_are_told)
{
	struct buf b = { .mem = mem };

	buf_str(&b, "[");
	for (int i = 0; i < 30; i++)
		buf_str(&b, i > 0 ? ",5" : "5");
	buf_str(&b, "]");
	ck_assert(
	    !takes(arena_printf(mem, ASR("`detectable_languages`:%s"), buf_text(&b))));
	ck_assert_uint_eq(errors.n, VALIDATION_ERRORS_MAX);
	ck_assert_str_eq(
	    errors.of[19].path, "pipeline.transcription.detectable_languages.19");
}
END_TEST

static const char *
with_extra(size_t bytes)
{
	char *x = arena_alloc(mem, bytes + 1);

	memset(x, 'x', bytes);
	return arena_printf(mem, "{" WS ",`pipeline`:{" EN_ES "},`x`:`%s`}", x);
}

START_TEST(a_task_that_could_not_be_told_is_refused)
{
	struct buf out = { .mem = mem };
	size_t frame;

	ck_assert(takes(with_extra(0)));
	ck_assert(output_current_task(&out, &task, "running", false, NULL, NULL));
	frame = out.len - strlen(",\"task_status\":\"running\"") -
		strlen("{\"message_type\":\"current_task\",\"data\":}");
	ck_assert(takes(with_extra(TASK_BYTES - frame)));
	ck_assert(output_current_task(&out, &task, "running", false, NULL, NULL));
	ck_assert(!takes(with_extra(TASK_BYTES - frame + 1)));
	ck_assert_str_eq(errors.of[0].type, VALIDATION_LENGTH);
	ck_assert(!takes(with_extra(TASK_BYTES)));
	ck_assert_uint_eq(errors.n, 1);
}
END_TEST

START_TEST(a_voice_has_up_to_64_characters)
{
	char id[66];

	memset(id, 'x', sizeof(id));
	id[64] = '\0';
	ck_assert(
	    takes(arena_printf(mem, TO("`speech_generation`:{`voice_id`:`%s`}"), id)));
	id[64] = 'x';
	id[65] = '\0';
	ck_assert(
	    !takes(arena_printf(mem, TO("`speech_generation`:{`voice_id`:`%s`}"), id)));
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("stream_task_faults");
	TCase *t = tcase_create("all");

	tcase_add_checked_fixture(t, setup, teardown);
	tcase_add_test(t, the_documented_error_comes_out);
	tcase_add_loop_test(t, the_bounds_are_taken, 0, COUNT(taken));
	tcase_add_loop_test(t, beyond_them_it_is_refused, 0, COUNT(refused));
	tcase_add_test(t, there_are_up_to_ten_targets);
	tcase_add_test(t, up_to_twenty_faults_are_told);
	tcase_add_test(t, a_task_that_could_not_be_told_is_refused);
	tcase_add_test(t, a_voice_has_up_to_64_characters);
	suite_add_tcase(s, t);
	return unit_run(s);
}
