/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Messages of clients: the examples of the document, and every rule at its boundary. */
#include "protocol/message.h"

#include "base/text.h"
#include "protocol/output.h"
#include "tests/unit/stream_texts.h"

static struct message m;
static struct validation_errors errors;

static bool
reads(enum message_socket socket, const char *text)
{
	const char *s = quoted(text);

	return message_read(mem, socket, s, strlen(s), &m, &errors);
}

static const char *
many(const char *s, int n)
{
	struct buf b = { .mem = mem };

	while (n-- > 0)
		buf_str(&b, s);
	return buf_text(&b);
}

/* ---- lines of the document ---- */

START_TEST(every_kind_has_a_row)
{
	for (enum message_kind i = MESSAGE_UNKNOWN + 1; i < MESSAGE_KINDS; i++) {
		ck_assert_msg(
		    message_types[i].name != NULL, "message_types[%d] is no row", i);
		ck_assert_ptr_nonnull(message_types[i].help);
		ck_assert_int_ge(message_types[i].socket, MESSAGE_S2S);
	}
}
END_TEST

START_TEST(tasks_are_handed_on_and_asked_for)
{
	ck_assert(reads(MESSAGE_S2S,
	    "{`message_type`:`set_task`,`data`:{`input_stream`:{`n`:1.0}}}"));
	ck_assert_int_eq(m.kind, MESSAGE_SET_TASK);
	ck_assert_str_eq(json_text(mem, m.u.task), "{\"input_stream\":{\"n\":1.0}}");
	ck_assert(reads(MESSAGE_S2S,
	    "{`message_type`:`get_task`,`data`:{`exclude_hidden`:false}}"));
	ck_assert_int_eq(m.kind, MESSAGE_GET_TASK);
	ck_assert(!m.u.exclude_hidden);
	ck_assert(reads(
	    MESSAGE_S2S, "{`message_type`:`get_task`,`data`:{`exclude_hidden`:true}}"));
	ck_assert(m.u.exclude_hidden);
	ck_assert(reads(MESSAGE_S2S, "{`message_type`:`pause_task`,`data`:{}}"));
	ck_assert_int_eq(m.kind, MESSAGE_PAUSE_TASK);
}
END_TEST

START_TEST(flush_tts_and_end_are_read)
{
	ck_assert(reads(MESSAGE_S2S,
	    "{`message_type`:`flush_task`,`data`:{`languages`:[`es`,`PT_br`],"
	    "`pause_task`:true}}"));
	ck_assert_int_eq(m.kind, MESSAGE_FLUSH_TASK);
	ck_assert(!m.u.flush.global && m.u.flush.pause);
	ck_assert_uint_eq(m.u.flush.languages.n, 2);
	ck_assert_str_eq(((const char **)m.u.flush.languages.items)[1], "pt-br");
	ck_assert(reads(MESSAGE_S2S,
	    "{`message_type`:`tts_task`,`data`:{`text`:`The session starts in five "
	    "minutes.`,`language`:`EN_us`,`translate_text`:true}}"));
	ck_assert_int_eq(m.kind, MESSAGE_TTS_TASK);
	ck_assert_str_eq(m.u.tts.text, "The session starts in five minutes.");
	ck_assert_str_eq(m.u.tts.language.code, "en-us");
	ck_assert_str_eq(m.u.tts.language.said, "EN_us");
	ck_assert(m.u.tts.translate);
	ck_assert(reads(MESSAGE_S2S,
	    "{`message_type`:`end_task`,`data`:{`force`:false,`eos_timeout`:5}}"));
	ck_assert_int_eq(m.kind, MESSAGE_END_TASK);
	ck_assert(!m.u.end.force);
	ck_assert_int_eq(m.u.end.eos_s, 5);
}
END_TEST

START_TEST(audio_is_decoded)
{
	static const unsigned char bytes[] = { 0, 0, 1, 0, 2, 0, 3, 0 };
	const char *const texts[] = { "AAABAAIAAwA=", "AAABAAIAAwA" };

	for (int i = 0; i < COUNT(texts); i++) {
		ck_assert(reads(MESSAGE_S2S,
		    arena_printf(mem,
			"{`message_type`:`input_audio_data`,`data`:{`data`:`%s`}}",
			texts[i])));
		ck_assert_int_eq(m.kind, MESSAGE_AUDIO);
		ck_assert_uint_eq(m.u.audio.n, sizeof(bytes));
		ck_assert_mem_eq(m.u.audio.bytes, bytes, sizeof(bytes));
	}
}
END_TEST

START_TEST(audio_has_at_most_512_kib)
{
	char *zeros = arena_alloc(mem, MESSAGE_AUDIO_BYTES + 1);

	for (size_t more = 0; more < 2; more++)
		ck_assert_int_eq(more == 0,
		    reads(MESSAGE_S2S,
			arena_printf(mem,
			    "{`message_type`:`input_audio_data`,`data`:{`data`:`%s`}}",
			    base64(mem, zeros, MESSAGE_AUDIO_BYTES + more))));
	ck_assert_int_eq(m.kind, MESSAGE_AUDIO);
	ck_assert_str_eq(errors.of[0].type, VALIDATION_LENGTH);
	ck_assert_str_eq(errors.of[0].path, "data");
}
END_TEST

START_TEST(listeners_choose_a_language)
{
	const char *const codes[] = { "es", "original", "ALL" };

	for (int i = 0; i < COUNT(codes); i++) {
		ck_assert(reads(MESSAGE_S2S,
		    arena_printf(mem,
			"{`message_type`:`set_language`,`data`:{`language`:`%s`}}",
			codes[i])));
		ck_assert_str_eq(m.u.language.code, text_lower(mem, codes[i]));
	}
}
END_TEST

START_TEST(a_tts_socket_has_its_own_messages)
{
	ck_assert(reads(MESSAGE_TTS,
	    "{`type`:`init`,`language`:`en`,`model`:`auto`,`voice_options`:{`voice_id`:"
	    "`default_high`,`deaccent_strength`:1.0,`speed`:2},`output`:{`format`:`pcm`"
	    ","
	    "`sample_rate`:8000}}"));
	ck_assert_int_eq(m.kind, MESSAGE_INIT);
	ck_assert_str_eq(m.u.init.language.code, "en");
	ck_assert_str_eq(m.u.init.voice.id, "default_high");
	ck_assert(m.u.init.voice.speed == 2);
	ck_assert_int_eq(m.u.init.format, MESSAGE_PCM);
	ck_assert_int_eq(m.u.init.sample_rate, 8000);
	ck_assert(reads(MESSAGE_TTS,
	    "{`type`:`text`,`text`:`Curious minds think alike.`,`is_eos`:true,"
	    "`generation_id`:`5f1d0c3a`}"));
	ck_assert_int_eq(m.kind, MESSAGE_TEXT);
	ck_assert_str_eq(m.u.text.text, "Curious minds think alike.");
	ck_assert_str_eq(m.u.text.generation, "5f1d0c3a");
	ck_assert(m.u.text.is_eos && m.u.text.voice.id == NULL);
	ck_assert(m.u.text.voice.speed < 0);
	ck_assert(reads(MESSAGE_TTS, "{`type`:`cancel`}"));
	ck_assert_int_eq(m.kind, MESSAGE_CANCEL);
}
END_TEST

START_TEST(what_is_not_said_has_its_default)
{
	ck_assert(reads(MESSAGE_S2S, "{`message_type`:`end_task`}"));
	ck_assert(m.u.end.eos_s == 0 && !m.u.end.force);
	ck_assert(reads(MESSAGE_S2S, "{`message_type`:`flush_task`}"));
	ck_assert(m.u.flush.global && !m.u.flush.pause);
	ck_assert(reads(MESSAGE_S2S,
	    "{`message_type`:`flush_task`,`data`:{`languages`:[`es`,`global`]}}"));
	ck_assert(m.u.flush.global);
	ck_assert(reads(MESSAGE_TTS, "{`type`:`init`,`language`:`en`}"));
	ck_assert_str_eq(m.u.init.model, "auto");
	ck_assert_str_eq(m.u.init.voice.id, "default_low");
	ck_assert(m.u.init.voice.speed == 0.5);
	ck_assert_int_eq(m.u.init.format, MESSAGE_MP3);
	ck_assert_int_eq(m.u.init.sample_rate, 24000);
	ck_assert(reads(MESSAGE_TTS, "{`type`:`text`,`is_eos`:true}"));
	ck_assert_str_eq(m.u.text.text, "");
	ck_assert_ptr_null(m.u.text.generation);
}
END_TEST

/* ---- envelopes ---- */

START_TEST(data_may_be_text_or_null_or_absent)
{
	ck_assert(reads(
	    MESSAGE_S2S, "{`message_type`:`end_task`,`data`:`{\\`eos_timeout\\`:7}`}"));
	ck_assert_int_eq(m.u.end.eos_s, 7);
	ck_assert(reads(MESSAGE_S2S, "{`message_type`:`set_task`,`data`:null}"));
	ck_assert_str_eq(json_text(mem, m.u.task), "{}");
	ck_assert(reads(MESSAGE_S2S, "{`message_type`:`set_task`}"));
	ck_assert_str_eq(json_text(mem, m.u.task), "{}");
}
END_TEST

START_TEST(of_twins_the_last_wins)
{
	ck_assert(reads(MESSAGE_S2S,
	    "{`message_type`:`get_task`,`data`:{`eos_timeout`:1,`x`:5,`eos_timeout`:9},"
	    "`message_type`:`end_task`}"));
	ck_assert_int_eq(m.kind, MESSAGE_END_TASK);
	ck_assert_int_eq(m.u.end.eos_s, 9);
	ck_assert(reads(MESSAGE_S2S,
	    "{`message_type`:`set_task`,`data`:{`a`:1,`a`:2,`b`:3.5,`c`:4.0,`d`:1e300,"
	    "`e`:99999999999999999999,`f`:-9223372036854775808}}"));
	ck_assert_str_eq(json_text(mem, m.u.task),
	    "{\"a\":2,\"b\":3.5,\"c\":4,\"d\":1e+300,\"e\":1e+20,"
	    "\"f\":-9.223372036854776e+18}");
	ck_assert(reads(
	    MESSAGE_S2S, "{`message_type`:`set_task`,`data`:`{\\`a\\`:1,\\`a\\`:2}`}"));
	ck_assert_str_eq(json_text(mem, m.u.task), "{\"a\":2}");
}
END_TEST

START_TEST(sixteen_levels_are_read)
{
	const char *form = "{`message_type`:`set_task`,`data`:{`x`:%s1%s}}";

	ck_assert(
	    reads(MESSAGE_S2S, arena_printf(mem, form, many("[", 14), many("]", 14))));
	ck_assert(
	    !reads(MESSAGE_S2S, arena_printf(mem, form, many("[", 15), many("]", 15))));
	ck_assert_int_eq(m.kind, MESSAGE_UNKNOWN);
	form = "{`message_type`:`set_task`,`data`:`{\\`x\\`:%s1%s}`}";
	ck_assert(
	    reads(MESSAGE_S2S, arena_printf(mem, form, many("[", 14), many("]", 14))));
	ck_assert(
	    !reads(MESSAGE_S2S, arena_printf(mem, form, many("[", 15), many("]", 15))));
}
END_TEST

/* clang-format off */
static const struct {
	enum message_socket socket;
	const char *text;
	enum message_kind kind;
	const char *desc, *type;
} wrong[] = {
#define NO_OBJECT "must be a JSON object of at most 16 levels", VALIDATION_TYPE
#define NO_JSON(what) \
	"must be a JSON object of at most 16 levels; this is not valid JSON" what, VALIDATION_TYPE
	{ MESSAGE_S2S, "", MESSAGE_UNKNOWN, NO_JSON(", as it ends too early: line 1, column 1") },
	{ MESSAGE_S2S, "hello", MESSAGE_UNKNOWN, NO_JSON(": line 1, column 5") },
	{ MESSAGE_S2S, "[1]", MESSAGE_UNKNOWN, NO_OBJECT },
	{ MESSAGE_S2S, "{} {}", MESSAGE_UNKNOWN, NO_JSON(": line 1, column 4") },
	{ MESSAGE_S2S, "{`message_type`:`get_task\xff`}", MESSAGE_UNKNOWN,
	    NO_JSON(": line 1, column 25") },
	{ MESSAGE_S2S, "{}", MESSAGE_UNKNOWN, "message_type: is required", VALIDATION_MISSING },
	{ MESSAGE_S2S, "{`type`:`get_task`}", MESSAGE_UNKNOWN,
	    "message_type: is required", VALIDATION_MISSING },
	{ MESSAGE_S2S, "{`message_type`:5}", MESSAGE_UNKNOWN,
	    "message_type: must be a string", VALIDATION_TYPE },
	{ MESSAGE_S2S, "{`message_type`:`nothing`}", MESSAGE_UNKNOWN,
	    "message_type: is no message of this socket", VALIDATION_ENUM },
	{ MESSAGE_S2S, "{`message_type`:`finalize`}", MESSAGE_UNKNOWN,
	    "message_type: is no message of this socket", VALIDATION_ENUM },
	{ MESSAGE_STT, "{`message_type`:`get_task`}", MESSAGE_UNKNOWN,
	    "message_type: is no message of this socket", VALIDATION_ENUM },
	{ MESSAGE_TTS, "{`message_type`:`cancel`}", MESSAGE_UNKNOWN,
	    "type: is required", VALIDATION_MISSING },
	{ MESSAGE_TTS, "{`type`:`message`}", MESSAGE_UNKNOWN,
	    "type: is no message of this socket", VALIDATION_ENUM },
	{ MESSAGE_S2S, "{`message_type`:`set_task`,`data`:`x`}", MESSAGE_SET_TASK,
	    "data: " NO_JSON(": line 1, column 1") },
	{ MESSAGE_S2S, "{`message_type`:`set_task`,`data`:[]}", MESSAGE_SET_TASK,
	    "data: must be an object", VALIDATION_TYPE },
	{ MESSAGE_S2S, "{`message_type`:`get_task`,`data`:{`exclude_hidden`:1}}",
	    MESSAGE_GET_TASK, "exclude_hidden: must be true or false", VALIDATION_TYPE },
	{ MESSAGE_S2S, "{`message_type`:`flush_task`,`data`:{`languages`:`es`}}",
	    MESSAGE_FLUSH_TASK, "languages: must be an array", VALIDATION_TYPE },
	{ MESSAGE_S2S, "{`message_type`:`flush_task`,`data`:{`languages`:[`es`,5]}}",
	    MESSAGE_FLUSH_TASK, "languages.1: must be a string", VALIDATION_TYPE },
	{ MESSAGE_S2S, "{`message_type`:`tts_task`,`data`:{`text`:``,`language`:`en`}}",
	    MESSAGE_TTS_TASK, "text: must have 1 to 2048 characters", VALIDATION_LENGTH },
	{ MESSAGE_S2S, "{`message_type`:`tts_task`,`data`:{`text`:`a\\u0000b`,`language`:`en`}}",
	    MESSAGE_TTS_TASK, "text: must be a string", VALIDATION_TYPE },
	{ MESSAGE_S2S, "{`message_type`:`tts_task`,`data`:{`language`:`xx`}}",
	    MESSAGE_TTS_TASK, "text: is required; language: must be a language code",
	    VALIDATION_MISSING },
	{ MESSAGE_S2S, "{`message_type`:`tts_task`,`data`:{`text`:`a`,`language`:`auto`}}",
	    MESSAGE_TTS_TASK, "language: must be a language code", VALIDATION_ENUM },
	{ MESSAGE_S2S, "{`message_type`:`end_task`,`data`:{`eos_timeout`:0}}",
	    MESSAGE_END_TASK, "eos_timeout: must be between 1 and 30", VALIDATION_RANGE },
	{ MESSAGE_S2S, "{`message_type`:`end_task`,`data`:{`eos_timeout`:31}}",
	    MESSAGE_END_TASK, "eos_timeout: must be between 1 and 30", VALIDATION_RANGE },
	{ MESSAGE_S2S, "{`message_type`:`end_task`,`data`:{`eos_timeout`:1.5}}",
	    MESSAGE_END_TASK, "eos_timeout: must be an integer", VALIDATION_TYPE },
	{ MESSAGE_S2S, "{`message_type`:`input_audio_data`}",
	    MESSAGE_AUDIO, "data: is required", VALIDATION_MISSING },
	{ MESSAGE_S2S, "{`message_type`:`input_audio_data`,`data`:{`data`:`A`}}",
	    MESSAGE_AUDIO, "data: must be base64", VALIDATION_TYPE },
	{ MESSAGE_S2S, "{`message_type`:`input_audio_data`,`data`:{`data`:`AA A`}}",
	    MESSAGE_AUDIO, "data: must be base64", VALIDATION_TYPE },
	{ MESSAGE_S2S, "{`message_type`:`set_language`,`data`:{`language`:`some`}}",
	    MESSAGE_SET_LANGUAGE,
	    "language: must be a language code or one of original, all", VALIDATION_ENUM },
	{ MESSAGE_TTS, "{`type`:`init`,`language`:`xx`,`voice_options`:5}", MESSAGE_INIT,
	    "language: must be a language code; voice_options: must be an object",
	    VALIDATION_ENUM },
	{ MESSAGE_TTS, "{`type`:`init`}", MESSAGE_INIT, "language: is required",
	    VALIDATION_MISSING },
	{ MESSAGE_TTS, "{`type`:`init`,`language`:`en`,`voice_options`:{`speed`:2.1,"
	    "`deaccent_strength`:-0.1}}", MESSAGE_INIT,
	    "voice_options.speed: must be between 0.0 and 2.0; "
	    "voice_options.deaccent_strength: must be between 0.0 and 1.0", VALIDATION_RANGE },
	{ MESSAGE_TTS, "{`type`:`init`,`language`:`en`,`output`:{`format`:`aac`,"
	    "`sample_rate`:7999}}", MESSAGE_INIT,
	    "output.format: must be one of pcm, wav, mp3; "
	    "output.sample_rate: must be between 8000 and 48000", VALIDATION_ENUM },
	{ MESSAGE_TTS, "{`type`:`init`,`language`:`en`,`output`:{`sample_rate`:48001}}",
	    MESSAGE_INIT, "output.sample_rate: must be between 8000 and 48000", VALIDATION_RANGE },
	{ MESSAGE_TTS, "{`type`:`text`}", MESSAGE_TEXT, "text: is required", VALIDATION_MISSING },
	{ MESSAGE_TTS, "{`type`:`text`,`text`:``}", MESSAGE_TEXT,
	    "text: must have 1 to 1024 characters", VALIDATION_LENGTH },
	{ MESSAGE_TTS, "{`type`:`text`,`text`:`a`,`generation_id`:``}", MESSAGE_TEXT,
	    "generation_id: must have 1 to 64 characters", VALIDATION_LENGTH },
};
/* clang-format on */

START_TEST(what_is_wrong_is_said_with_its_place)
{
	ck_assert(!reads(wrong[_i].socket, wrong[_i].text));
	ck_assert_int_eq(m.kind, wrong[_i].kind);
	ck_assert_str_eq(validation_errors_text(mem, &errors), wrong[_i].desc);
	ck_assert_str_eq(errors.of[0].type, wrong[_i].type);
}
END_TEST

static const struct {
	enum message_socket socket;
	const char *form;
	int most; /* ñ */
} lengths[] = {
	{ MESSAGE_S2S,
	    "{`message_type`:`tts_task`,`data`:{`text`:`%s`,`language`:`en`}}", 2048 },
	{ MESSAGE_TTS, "{`type`:`text`,`text`:`%s`}", 1024 },
	{ MESSAGE_TTS, "{`type`:`text`,`text`:`a`,`generation_id`:`%s`}", 64 },
	{ MESSAGE_TTS,
	    "{`type`:`init`,`language`:`en`,`voice_options`:{`voice_id`:`%s`}}", 64 },
};

START_TEST(lengths_are_counted_in_characters)
{
	const char *form = lengths[_i].form;

	ck_assert(reads(
	    lengths[_i].socket, arena_printf(mem, form, many("ñ", lengths[_i].most))));
	ck_assert(!reads(lengths[_i].socket,
	    arena_printf(mem, form, many("ñ", lengths[_i].most + 1))));
	ck_assert_str_eq(errors.of[0].type, VALIDATION_LENGTH);
}
END_TEST

START_TEST(an_error_tells_all_that_is_wrong)
{
#define BROKEN                                                                         \
	"must be a JSON object of at most 16 levels; this is not valid JSON: line 1, " \
	"column 8"
	struct buf out = { .mem = mem };

	ck_assert(!reads(MESSAGE_S2S, "nonsense"));
	ck_assert(output_validation_errors(&out, &errors));
	ck_assert_str_eq(buf_text(&out),
	    quoted("{`message_type`:`error`,`data`:{`code`:`VALIDATION_ERROR`,`desc`:"
		   "`" BROKEN "`,`param`:null,`description`:`" BROKEN "`,`errors`:"
		   "[{`loc`:[],`msg`:`" BROKEN "`,`type`:`type`}]}}"));
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("stream_message");
	TCase *t = tcase_create("all");

	(void)engines, (void)tree_of;
	tcase_add_checked_fixture(t, setup, teardown);
	tcase_add_test(t, every_kind_has_a_row);
	tcase_add_test(t, tasks_are_handed_on_and_asked_for);
	tcase_add_test(t, flush_tts_and_end_are_read);
	tcase_add_test(t, audio_is_decoded);
	tcase_add_test(t, audio_has_at_most_512_kib);
	tcase_add_test(t, listeners_choose_a_language);
	tcase_add_test(t, a_tts_socket_has_its_own_messages);
	tcase_add_test(t, what_is_not_said_has_its_default);
	tcase_add_test(t, data_may_be_text_or_null_or_absent);
	tcase_add_test(t, of_twins_the_last_wins);
	tcase_add_test(t, sixteen_levels_are_read);
	tcase_add_loop_test(t, what_is_wrong_is_said_with_its_place, 0, COUNT(wrong));
	tcase_add_loop_test(t, lengths_are_counted_in_characters, 0, COUNT(lengths));
	tcase_add_test(t, an_error_tells_all_that_is_wrong);
	suite_add_tcase(s, t);
	return unit_run(s);
}
