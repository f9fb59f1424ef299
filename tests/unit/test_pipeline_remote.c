/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Requests of a running task to remote engines. */
#include "tests/unit/pipeline_engines_fixture.h"

/* ---- hints ---- */

static void
add_hot_terms(const char *terms)
{
	const char *id = id_new(fixture.mem);

	sql(arena_printf(fixture.mem,
	    "INSERT INTO glossaries (id, account, created_us, updated_us, name,"
	    " enabled, type, source_lang, status) VALUES ('%s', '%s', 1, 1, 'Names',"
	    " 1, 'asr_hot', 'en', 'ready');"
	    "INSERT INTO glossary_terms (glossary, terms) VALUES ('%s', '%s')",
	    id, fixture.account, id, terms));
}

START_TEST(hot_terms_go_to_the_recogniser_as_hints)
{
	struct websocket *s;

	add_hot_terms("Kubernetes" TERMS_END "Dragoman" TERMS_END);
	gateway_engines(arena_printf(fixture.mem,
	    "[speech]\nasr = whisper\nmt = script\ntts = script\n"
	    "[engine.whisper]\nkind = openai\nurl = http://127.0.0.1:%d\n"
	    "key = test-key\n",
	    server.port));
	s = start_task(TASK("", ""));
	send_phrase(s);
	await_seen(s, "validated_transcription", "prompt 'Kubernetes, Dragoman'", 1);
	tell(s, "set_task",
	    "{\"input_stream\":{\"source\":{\"sample_rate\":16000}},\"pipeline\":{"
	    "\"transcription\":{\"source_language\":\"en\","
	    "\"allow_hotwords_glossaries\":false},\"translations\":[]}}");
	await_shift(s, 2);
	send_phrase(s);
	await_seen(s, "validated_transcription", "prompt ''", 1);
}
END_TEST

/* ---- partial texts ---- */

#define UNSPLIT(types)                                                                 \
	"{\"input_stream\":{\"source\":{\"sample_rate\":16000}},\"pipeline\":{"        \
	"\"transcription\":{\"source_language\":\"en\",\"sentence_splitter\":{"        \
	"\"enabled\":false}},\"translations\":[],\"allowed_message_types\":[" types    \
	"\"validated_transcription\"]}}"

/* Counts the requests for this many phrases of four seconds. */
static int
heard_of_phrases(const char *task, int phrases)
{
	int before = engine_server_count(&server, fixture.mem, "heard");
	struct websocket *s;

	gateway_engines(arena_printf(fixture.mem, WHISPER, server.port));
	s = start_task(task);
	for (int i = 0; i < phrases; i++) {
		for (int k = 0; k < 8; k++) {
			send_sound(s, 500, true);
			gateway_wait(100);
		}
		send_sound(s, 1000, false);
		await_seen(s, "validated_transcription", "samples", i + 1);
	}
	ck_assert_int_eq(count_seen(s, "validated_transcription", ""), phrases);
	return engine_server_count(&server, fixture.mem, "heard") - before;
}

START_TEST(a_phrase_whose_partial_texts_are_not_read_is_one_request)
{
	ck_assert_int_eq(heard_of_phrases(UNSPLIT(""), 10), 10);
}
END_TEST

START_TEST(talk_without_a_pause_is_as_many_requests_as_phrases)
{
	int before = engine_server_count(&server, fixture.mem, "heard"), phrases;
	struct websocket *s;

	gateway_engines(arena_printf(fixture.mem, WHISPER, server.port));
	s = start_task(UNSPLIT(""));
	for (int k = 0; k < 25; k++) {
		send_talk(s);
		gateway_wait(40);
	}
	send_sound(s, 1000, false);
	tell(s, "end_task", "{\"eos_timeout\":1}");
	await_seen(s, "\"eos\"", "", 1);
	phrases = count_seen(s, "validated_transcription", "");
	ck_assert_int_ge(phrases, 2);
	ck_assert_int_eq(
	    engine_server_count(&server, fixture.mem, "heard") - before, phrases);
}
END_TEST

START_TEST(partial_texts_are_asked_for_where_they_are_read)
{
	ck_assert_int_gt(heard_of_phrases(UNSPLIT("\"partial_transcription\","), 3), 3);
}
END_TEST

START_TEST(a_server_behind_a_websocket_is_heard_while_it_is_said)
{
	struct websocket *s;

	gateway_engines(arena_printf(fixture.mem,
	    "[speech]\nasr = vosk\nmt = script\ntts = script\n"
	    "[engine.vosk]\nkind = websocket\nurl = ws://127.0.0.1:%d/vosk\n",
	    server.port));
	s = start_task(UNSPLIT("\"partial_transcription\","));
	for (int k = 0; k < 8; k++) {
		send_sound(s, 500, true);
		gateway_wait(100);
	}
	await_seen(s, "partial_transcription", "so far", 1);
	send_sound(s, 1000, false);
	await_seen(s, "validated_transcription", "samples of sum", 1);
}
END_TEST

/* ---- translation ---- */

START_TEST(a_model_is_told_what_was_said_before_and_replaced_when_it_refuses)
{
	struct websocket *s;

	gateway_engines(arena_printf(fixture.mem,
	    "[speech]\nasr = script\nmt = chat script\ntts = script\n"
	    "[engine.script]\nlines = goes before|it follows|please be-sorry\n"
	    "[engine.chat]\nkind = openai_chat\nurl = http://127.0.0.1:%d\n"
	    "key = test-key\n",
	    server.port));
	s = start_task(TASK(TO("es"), ""));
	for (int i = 0; i < 3; i++) {
		send_phrase(s);
		await_seen(s, "validated_transcription", "", i + 1);
	}
	await_seen(s, "\"translated_transcription", "<es> goes before", 1);
	await_seen(s, "\"translated_transcription", "<es> it follows", 1);
	await_seen(s, "\"translated_transcription", "[es] please be-sorry", 1);
}
END_TEST

/* ---- voices ---- */

/* Returns the pitch that engine-server gives this voice. */
static int
hz_of(const char *voice)
{
	unsigned hash = 0;

	for (; *voice != '\0'; voice++)
		hash = hash * 31 + (unsigned char)*voice;
	return 110 + (int)(hash % 330);
}

/* Returns the provider's name of a voice of the account that was cloned there. */
static const char *
clone_voice(const char *id)
{
	float sound[16000] = { 0 };
	const struct engine_at at = { .id = "eleven",
		.url = arena_printf(fixture.mem, "http://127.0.0.1:%d", server.port),
		.key = "test-key",
		.timeout_ms = 10000,
		.allow_private = true };
	const struct clone_sample sample = { .name = "Anna",
		.ref = id,
		.lang = "en",
		.pcm = { .s = sound, .n = 16000, .rate_hz = 16000 } };
	const char *voice;

	ck_assert_int_eq(
	    engine_find("elevenlabs")->clone->clone(&at, fixture.mem, &sample, &voice),
	    OK);
	return voice;
}

START_TEST(a_voice_cloned_at_a_provider_speaks_a_translation)
{
	const char *id = put_voice(fixture.account, "Anna", 1);
	const char *voice = clone_voice(id);
	struct websocket *s;

	sql(arena_printf(fixture.mem,
	    "UPDATE voices SET external_voice = '%s' WHERE id = '%s'", voice, id));
	gateway_engines(arena_printf(fixture.mem,
	    "[speech]\nasr = script\nmt = script\ntts = eleven\nexternal = eleven\n"
	    "[engine.eleven]\nkind = elevenlabs\nurl = http://127.0.0.1:%d\n"
	    "key = test-key\n",
	    server.port));
	s = start_task(
	    arena_printf(fixture.mem, TASK(SPOKEN("\"voice_id\":\"%s\""), ""), id));
	send_phrase(s);
	await_seen(s, "output_audio_data", "\"last_chunk\":true", 1);
	ck_assert_int_le(abs(count_crossings(s) - hz_of(voice) * 2 / 5), 3);
	ck_assert_int_gt(abs(hz_of("JBFqnCBsd6RMkjVDRZzb") - hz_of(voice)), 20);
	ck_assert_int_eq(count_seen(s, "VOICE_NOT_FOUND", ""), 0);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("gateway_remote");
	TCase *t = tcase_create("engines");

	tcase_add_checked_fixture(t, open_fixture, close_fixture);
	tcase_set_timeout(t, 120);
	tcase_add_test(t, hot_terms_go_to_the_recogniser_as_hints);
	tcase_add_test(t, a_phrase_whose_partial_texts_are_not_read_is_one_request);
	tcase_add_test(t, talk_without_a_pause_is_as_many_requests_as_phrases);
	tcase_add_test(t, partial_texts_are_asked_for_where_they_are_read);
	tcase_add_test(t, a_server_behind_a_websocket_is_heard_while_it_is_said);
	tcase_add_test(
	    t, a_model_is_told_what_was_said_before_and_replaced_when_it_refuses);
	tcase_add_test(t, a_voice_cloned_at_a_provider_speaks_a_translation);
	suite_add_tcase(s, t);
	return unit_run(s);
}
