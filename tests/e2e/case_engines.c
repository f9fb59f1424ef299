/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Voices that a server clones and speaks with, from the recording to the translation:
 * speech.clone is "gpu", speech.external "eleven", see engines.sh. Also the answers of
 * the servers "ears" (recognition) and "mind" (translation).
 */
#include <stdlib.h>
#include <string.h>

#include "cases.h"
#include "db/db.h"
#include "stream.h"

static struct account me;
static const char *engines;

static void
before(void)
{
	engines = getenv("E2E_ENGINES");
	ck_assert_msg(engines != NULL, "there is no server, see tests/e2e/run");
	me = account_new("engines");
	account_plan(&me, "--voices", "0");
	account_plan(&me, "--parallel_sessions", "0");
}

static json_t *
engines_count(void)
{
	struct answer a = ASK(.path = text("%s/count", engines));

	EXPECT(a, 200);
	return a.json;
}

static bool
are_voices(const void *n)
{
	return int_at(engines_count(), "voices") == *(const int *)n;
}

static struct ws *
speaker(const char *speech)
{
	struct ws *ws = stream_begin(&me, NULL);

	start_task(
	    ws, text("{" SOURCE(16000) "," SINK ",\"pipeline\":{"
				       "\"transcription\":{\"source_language\":\"en\"},"
				       "\"translations\":[{\"target_language\":\"es\","
				       "\"speech_generation\":{%s}}]}}",
		    speech));
	return ws;
}

/* Expects that the server speaks the next sentence with this voice. */
static void
expect_voice(struct ws *ws, const char *voice)
{
	speak(ws, 0.6, 1.0);
	ck_assert_uint_gt(hear_speech(ws, "es", 10).bytes, 0);
	ck_assert_str_eq(text_at(engines_count(), "streamed"), voice);
}

/* ---- a voice of the account ---- */

static const struct sql external_of = { "e2e.external",
	"SELECT CAST(substr(external_voice, 2) AS INTEGER) FROM voices WHERE id = $1",
	NULL };

START_TEST(a_voice_cloned_at_servers_speaks_a_translation_and_is_deleted_there)
{
	int no = int_at(engines_count(), "voices"), two = no + 2;
	const char *id =
	    clone_with(&(struct clone){ .as = &me }, recording("speech.wav"));
	json_t *voice = voice_await(&me, id, "ready");
	const char *at_gpu = text("dragoman-%s", id), *at_eleven;
	struct answer a;

	ck_assert(json_is_true(at(voice, "has_external_voice")));
	ck_assert_int_eq(count_at(voice, "processing_result.warnings"), 0);
	ck_assert(are_voices(&two));
	at_eleven = text("v%d", (int)count_in_db(&external_of, id));
	expect_voice(speaker(text("\"voice_id\":\"%s\"", id)), at_eleven);
	expect_voice(
	    speaker(text("\"voice_id\":\"%s\",\"tts_model\":\"gpu\"", id)), at_gpu);
	a = ASK(.method = "DELETE", .path = text("/saas/voice/m/%s", id), .as = &me);
	EXPECT(a, 200);
	ck_assert(becomes(are_voices, &no, 30));
}
END_TEST

/* ---- the voice of a speaker ---- */

static bool
is_other_streamed(const void *voice)
{
	return strcmp(text_at(engines_count(), "streamed"), voice) != 0;
}

/* No answer may contain the name that the server gave the voice. */
START_TEST(a_speakers_voice_is_cloned_at_a_server_for_its_session_only)
{
	int no = int_at(engines_count(), "voices"), one = no + 1;
	struct ws *ws = speaker("\"voice_cloning\":true,\"tts_model\":\"eleven\"");
	const char *low = "JBFqnCBsd6RMkjVDRZzb", *own;

	expect_voice(ws, low);
	for (int i = 0; i < 11; i++)
		speak(ws, 0.96, 0.04);
	speak(ws, 0, 1.0);
	ck_assert(becomes(are_voices, &one, 20));
	do
		speak(ws, 0.6, 1.0);
	while (!becomes(is_other_streamed, low, 0.5));
	own = text_at(engines_count(), "streamed");
	ck_assert_int_eq(own[0], 'v');
	ws_drop(ws);
	ck_assert(becomes(are_voices, &no, 30));
}
END_TEST

/* ---- what servers answer that is no speech or no translation ---- */

/* Sets the text that "ears" recognizes, or the translation of "mind". */
static void
script(const char *what, const char *says)
{
	struct answer a = ASK(.path = text("%s/script/%s", engines, what),
	    .type = "text/plain", .body = { says, strlen(says) });

	EXPECT(a, 200);
}

static struct ws *
scripted_speaker(const char *more)
{
	return stream_begin(&me,
	    text("{" SOURCE(
		     16000) "," SINK ",\"pipeline\":{\"transcription\":{\"source_"
			    "language\":\"en\","
			    "\"asr_model\":\"ears\"},\"translations\":[{\"target_"
			    "language\":\"es\"%s}],"
			    "\"allowed_message_types\":[\"validated_transcription\","
			    "\"translated_transcription\"]}}",
		more));
}

/* clang-format off */
static const struct {
	const char *heard, *right; /* NULL: nothing */
} heard[] = {
	{ "[BLANK_AUDIO]",                     NULL },
	{ " [BLANK_AUDIO]\n",                  NULL },
	{ "(applause)",                        NULL },
	{ "\u266a",                            NULL },
	{ "\u266a \u266a \u266a",              NULL },
	{ "*coughs*",                          NULL },
	{ "[Music]",                           NULL },
	{ "[Music] It is late. [Applause]",    "It is late." },
	{ "\u266a It is late. \u266a",         "It is late." },
	{ "It is late (all of you).",          "It is late (all of you)." },
};
/* clang-format on */

/* Noise must not be shown, translated or spoken, and the next phrase must work. */
START_TEST(markers_of_noises_are_no_speech)
{
	struct ws *ws;
	json_t *j;

	script("hear", heard[_i].heard);
	ws = scripted_speaker("");
	speak(ws, 0.6, 1.0);
	if (heard[_i].right == NULL) {
		hear_nothing(ws, 1);
		script("hear", "We begin now.");
		speak(ws, 0.6, 1.0);
	}
	j = hear(ws, "validated_transcription", 10);
	ck_assert_str_eq(text_at(j, "transcription.text"),
	    heard[_i].right != NULL ? heard[_i].right : "We begin now.");
	j = hear(ws, "translated_transcription", 10);
	ck_assert_str_eq(text_at(j, "transcription.text"),
	    text("[es] %s",
		heard[_i].right != NULL ? heard[_i].right : "We begin now."));
	ck_assert_uint_gt(hear_speech(ws, "es", 10).bytes, 0);
	ws_drop(ws);
}
END_TEST

/* clang-format off */
static const char *const packed[] = {
	"El barco sale a las cinco.",
	"```\nEl barco sale a las cinco.\n```",
	"Here is the translation:\n\nEl barco sale a las cinco.",
	"Here's the translation: El barco sale a las cinco.",
	"**El barco sale a las cinco.**",
	"\"El barco sale a las cinco.\"",
	"El barco sale a las cinco.\n\n(Note: \"barco\" can also be \"buque\".)",
	"<think>\nA boat.\n</think>\nEl barco sale a las cinco.",
};
/* clang-format on */

START_TEST(the_packaging_of_chat_models_is_not_translated)
{
	struct ws *ws;
	json_t *j;

	script("hear", "The boat leaves at five.");
	script("chat", packed[_i]);
	ws = scripted_speaker(",\"translation_model\":\"mind\"");
	speak(ws, 0.6, 1.0);
	j = hear(ws, "translated_transcription", 10);
	ck_assert_str_eq(
	    text_at(j, "transcription.text"), "El barco sale a las cinco.");
	ck_assert_uint_gt(hear_speech(ws, "es", 10).bytes, 0);
	ws_drop(ws);
}
END_TEST

Suite *
engines_suite(void)
{
	TCase *t;
	Suite *s = suite_of("engines", before, &t);

	tcase_add_test(
	    t, a_voice_cloned_at_servers_speaks_a_translation_and_is_deleted_there);
	tcase_add_test(t, a_speakers_voice_is_cloned_at_a_server_for_its_session_only);
	tcase_add_loop_test(t, markers_of_noises_are_no_speech, 0, ROWS(heard));
	tcase_add_loop_test(
	    t, the_packaging_of_chat_models_is_not_translated, 0, ROWS(packed));
	return s;
}
