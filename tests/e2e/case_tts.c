/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Text to speech by its socket. The script engine speaks 60 ms of a sine for each
 * character.
 */
#include <math.h>
#include <string.h>

#include "base/base64.h"
#include "base/buf.h"
#include "cases.h"
#include "stream.h"

#define HEAR_S 10
#define MS_A_LETTER 60

static struct account me;

static void
before(void)
{
	me = account_new("tts");
	account_plan(&me, "--parallel_sessions", "0");
}

/* ---- a socket ---- */

static const char *
tts_url(const char *token)
{
	return text("ws%s/tts-api/v1/text-to-speech/stream?token=%s",
	    strstr(instance()->base_url, "://"), token);
}

static struct ws *
tts_open(const char *output)
{
	struct ws *s = stream_call(tts_url(me.api_key), NULL);

	say_text(
	    s, text("{\"type\":\"init\",\"language\":\"es\",\"output\":%s}", output));
	return s;
}

#define PCM "{\"format\":\"pcm\",\"sample_rate\":16000}"

static void
tell_text(struct ws *s, const char *id, const char *words, bool last)
{
	say_text(s, text("{\"type\":\"text\",\"text\":\"%s\",\"is_eos\":%s,"
			 "\"generation_id\":\"%s\"}",
			words, last ? "true" : "false", id));
}

/* ---- what comes ---- */

struct generation {
	const char *id;
	struct buf sound;
	int chunks;
	double length_s; /* as reported by the chunks */
	bool delta;      /* chunk_generation_delta, in the first chunk only */
};

/* Adds a chunk; false: the generation has ended. */
static bool
take_chunk(struct generation *g, const json_t *c)
{
	const char *audio = text_at(c, "audio");
	size_t n;
	unsigned char *bytes = base64_read(memory(), audio, strlen(audio), &n);

	ck_assert_ptr_nonnull(bytes);
	ck_assert_uint_eq(n, (size_t)int_at(c, "size"));
	if (g->id == NULL)
		g->id = text_at(c, "generation_id");
	ck_assert_str_eq(text_at(c, "generation_id"), g->id);
	if (json_is_true(at(c, "last_chunk"))) {
		ck_assert_uint_eq(n, 0);
		ck_assert(json_is_null(at(c, "chunk_generation_delta")));
		ck_assert(json_is_null(at(c, "audio_len")));
		return false;
	}
	ck_assert_uint_gt(n, 0);
	ck_assert_int_eq(json_is_null(at(c, "chunk_generation_delta")), g->chunks > 0);
	g->chunks++;
	g->length_s += json_number_value(at(c, "audio_len"));
	buf_put(&g->sound, bytes, n);
	return true;
}

/* Receives the next generation to its end. */
static struct generation
hear_generation(struct ws *s)
{
	struct generation g = { .sound.mem = memory() };

	while (take_chunk(&g, hear_next(s, "audio_chunk", HEAR_S)))
		continue;
	return g;
}

static void
expect_letters(const struct generation *g, size_t letters)
{
	ck_assert_double_lt(
	    fabs(g->length_s - (double)letters * MS_A_LETTER / 1000), 0.2);
}

/* Returns the crossings of zero per second: twice the pitch. */
static double
pitch_of(const struct generation *g, int hz)
{
	const int16_t *pcm = (const int16_t *)(const void *)g->sound.p;
	size_t n = g->sound.len / 2, crossings = 0;

	for (size_t i = 1; i < n; i++)
		crossings += (pcm[i - 1] < 0) != (pcm[i] < 0);
	return (double)crossings / 2 / ((double)n / hz);
}

/* ---- cases ---- */

START_TEST(a_text_sent_behind_the_init_is_spoken)
{
	struct ws *s = tts_open(PCM);
	struct generation g;

	tell_text(s, "5f1d0c3a", "Curious minds think alike.", true);
	g = hear_generation(s);
	ck_assert_str_eq(g.id, "5f1d0c3a");
	expect_letters(&g, 26);
	ck_assert_int_ge(g.chunks, 7);
	ck_assert_uint_eq(g.sound.len, (size_t)round(g.length_s * 32000));
	ck_assert_double_lt(fabs(pitch_of(&g, 16000) - 220), 10);
	hear_nothing(s, 0.3);
}
END_TEST

START_TEST(pieces_of_a_generation_are_joined_and_generations_follow)
{
	struct ws *s = tts_open(PCM);
	struct generation g;

	tell_text(s, "one", "Good ", false);
	tell_text(s, "one", "morning.", false);
	tell_text(s, "two", "Hello.", false);
	tell_text(s, "two", "", true);
	say_text(s, "{\"type\":\"text\",\"text\":\"Bye.\",\"is_eos\":true}");
	g = hear_generation(s);
	ck_assert_str_eq(g.id, "one");
	expect_letters(&g, 13);
	g = hear_generation(s);
	ck_assert_str_eq(g.id, "two");
	expect_letters(&g, 6);
	g = hear_generation(s);
	ck_assert_uint_eq(strlen(g.id), 8); /* made here */
	expect_letters(&g, 4);
}
END_TEST

static const char long_text[] =
    "This sentence is long enough to be spoken for several seconds, and so there is "
    "time to stop it.";

/* When two generations were requested and one is cancelled, the other is spoken. */
START_TEST(a_cancel_ends_its_generation_alone)
{
	struct ws *s = tts_open(PCM);
	struct generation g = { .sound.mem = memory() };
	const json_t *c;

	tell_text(s, "first", long_text, true);
	tell_text(s, "second", "Hello.", true);
	say_text(s, "{\"type\":\"cancel\",\"generation_id\":\"first\"}");
	do /* audio that was sent before the cancel arrived */
		c = hear_next(s, "audio_chunk", HEAR_S);
	while (strcmp(text_at(c, "generation_id"), "first") == 0);
	ck_assert_str_eq(text_at(c, "generation_id"), "second");
	ck_assert(take_chunk(&g, c));
	say_text(s, "{\"type\":\"cancel\",\"generation_id\":\"nobody\"}");
	while (take_chunk(&g, hear_next(s, "audio_chunk", HEAR_S)))
		continue;
	expect_letters(&g, 6);
	say_text(s, "{\"type\":\"cancel\"}");
	hear_nothing(s, 0.3);
	tell_text(s, "third", "Again.", true);
	g = hear_generation(s);
	ck_assert_str_eq(g.id, "third");
}
END_TEST

/* clang-format off */
static const struct {
	const char *output, *magic;
	size_t at;
} outputs[] = {
	{ "{\"format\":\"wav\",\"sample_rate\":8000}",  "RIFF", 0 },
	{ "{\"format\":\"wav\",\"sample_rate\":48000}", "WAVE", 8 },
	{ "{\"format\":\"mp3\"}",                       NULL,   0 },
	{ "{}",                                         NULL,   0 },
};
/* clang-format on */

START_TEST(a_file_is_one_from_its_first_chunk_to_its_last)
{
	struct ws *s = tts_open(outputs[_i].output);
	struct generation g;
	struct sound is;

	for (int i = 0; i < 2; i++) {
		tell_text(s, text("%d", i), "Curious minds think alike.", true);
		g = hear_generation(s);
		expect_letters(&g, 26);
		if (outputs[_i].magic != NULL)
			ck_assert_mem_eq(
			    g.sound.p + outputs[_i].at, outputs[_i].magic, 4);
		is = sound_of((struct bytes){ g.sound.p, g.sound.len });
		ck_assert_double_lt(fabs(is.seconds - g.length_s), 0.3);
		ck_assert_double_gt(is.rms, 0.05);
	}
}
END_TEST

START_TEST(voices_and_speeds_are_of_the_text)
{
	struct ws *s = tts_open(PCM);
	struct generation g;
	json_t *w;

	say_text(s, "{\"type\":\"text\",\"text\":\"Hello there.\",\"is_eos\":true,"
		    "\"voice_options\":{\"voice_id\":\"default_high\",\"speed\":0.5}}");
	g = hear_generation(s);
	ck_assert_double_lt(fabs(pitch_of(&g, 16000) - 440), 20);
	say_text(s, "{\"type\":\"text\",\"text\":\"Hello there.\",\"is_eos\":true,"
		    "\"voice_options\":{\"voice_id\":\"anna\"}}");
	w = hear_any(s, HEAR_S);
	ck_assert_str_eq(text_at(w, "message_type"), "warning");
	ck_assert_str_eq(text_at(w, "data.code"), "VOICE_NOT_FOUND");
	g = hear_generation(s);
	ck_assert_double_lt(fabs(pitch_of(&g, 16000) - 220), 10);
}
END_TEST

/* clang-format off */
static const struct {
	const char *message, *code;
} wrong[] = {
	{ "{\"type\":\"text\",\"text\":\"Hello.\",\"is_eos\":true}",        "VALIDATION_ERROR" },
	{ "{\"type\":\"init\"}",                                            "VALIDATION_ERROR" },
	{ "{\"type\":\"init\",\"language\":\"xx\"}",                        "VALIDATION_ERROR" },
	{ "{\"type\":\"init\",\"language\":\"es\",\"output\":{\"format\":\"ogg\"}}", "VALIDATION_ERROR" },
	{ "{\"type\":\"other\"}",                                           "VALIDATION_ERROR" },
	{ "nonsense",                                                       "VALIDATION_ERROR" },
};
/* clang-format on */

START_TEST(what_is_wrong_is_said_and_the_socket_goes_on)
{
	struct ws *s = stream_call(tts_url(me.api_key), NULL);
	struct generation g;

	say_text(s, wrong[_i].message);
	hear_error(s, wrong[_i].code, HEAR_S);
	say_text(s, "{\"type\":\"init\",\"language\":\"es\",\"output\":" PCM "}");
	say_text(s, "{\"type\":\"init\",\"language\":\"es\"}");
	hear_error(s, "CONFLICT", HEAR_S);
	tell_text(s, "good", "Hello.", true);
	g = hear_generation(s);
	ck_assert_str_eq(g.id, "good");
}
END_TEST

START_TEST(a_session_has_one_such_socket_and_listeners_have_none)
{
	struct session session =
	    session_new(&me, "{\"data\":{\"subscriber_count\":1}}");
	struct ws *s = stream_call(tts_url(session.publisher), NULL);
	struct answer a = stream_refused(tts_url(session.publisher), NULL, NULL);

	expect_problem(&a, 409, "socket-in-use");
	a = stream_refused(tts_url(text_at(session.json, "subscriber.0")), NULL, NULL);
	expect_problem(&a, 403, "insufficient-scope");
	a = stream_refused(tts_url("a.b.c"), NULL, NULL);
	expect_problem(&a, 401, "unauthorized");
	say_text(s, "{\"type\":\"init\",\"language\":\"es\",\"output\":" PCM "}");
	tell_text(s, "mine", "Hello.", true);
	ck_assert_str_eq(hear_generation(s).id, "mine");
}
END_TEST

START_TEST(texts_are_paid_for_by_their_characters)
{
	struct account payer = account_new("tts payer");
	double had = balance_of(&payer);
	struct ws *s;

	s = stream_call(tts_url(payer.api_key), NULL);
	say_text(s, "{\"type\":\"init\",\"language\":\"es\",\"output\":" PCM "}");
	tell_text(s, "paid", long_text, true);
	hear_generation(s);
	ws_drop(s);
	for (int i = 0; i < 100 && balance_of(&payer) >= had; i++)
		nap(0.2);
	ck_assert_double_lt(
	    fabs(had - balance_of(&payer) - (double)strlen(long_text) / 1000), 0.01);
}
END_TEST

Suite *
tts_suite(void)
{
	TCase *t;
	Suite *s = suite_of("tts", NULL, &t);

	tcase_add_checked_fixture(t, before, NULL);
	tcase_add_test(t, a_text_sent_behind_the_init_is_spoken);
	tcase_add_test(t, pieces_of_a_generation_are_joined_and_generations_follow);
	tcase_add_test(t, a_cancel_ends_its_generation_alone);
	tcase_add_loop_test(
	    t, a_file_is_one_from_its_first_chunk_to_its_last, 0, ROWS(outputs));
	tcase_add_test(t, voices_and_speeds_are_of_the_text);
	tcase_add_loop_test(
	    t, what_is_wrong_is_said_and_the_socket_goes_on, 0, ROWS(wrong));
	tcase_add_test(t, a_session_has_one_such_socket_and_listeners_have_none);
	tcase_add_test(t, texts_are_paid_for_by_their_characters);
	return s;
}
