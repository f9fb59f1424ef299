/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * voice_cloning: the translation is spoken with the speaker's voice. A gateway gets
 * recordings of people, and the test measures the sound at the listener.
 */
#include "speech/voice_analysis.h"
#include "tests/unit/asr_prompts.h"
#include "tests/unit/listener_sound.h"

#define ENGINES                                                                        \
	"[speech]\nasr = script\nmt = script\ntts = flite espeak\n"                    \
	"[engine.script]\nkind = script\nlines = yes\n"
#define CLONING(code, more)                                                            \
	"{\"target_language\":\"" code "\",\"speech_generation\":{"                    \
	"\"voice_id\":\"default_low\",\"voice_cloning\":true" more "}}"
#define SENTENCE                                                                       \
	"The first talk is about the history of the city, and lunch is served on the " \
	"second floor."
#define AWAIT_VOICE_US (120 * S_US)

static void
setup(void)
{
	char self[1024] = "";

	gateway_open();
	ck_assert_int_gt(readlink("/proc/self/exe", self, sizeof(self) - 1), 0);
	*strrchr(self, '/') = '\0';
	gateway_engines(
	    arena_printf(fixture.mem, "[bin]\ndir = %s/../bin\n" ENGINES, self));
}

/* Returns at least this many seconds of speech, from prompts of that folder. */
static struct sound
speech_of(const char *folder, double s)
{
	struct buf b = { .mem = fixture.mem };

	for (size_t i = 0; i < COUNT(prompts); i++)
		if (strncmp(prompts[i].file, folder, strlen(folder)) == 0 &&
		    b.len < (size_t)(s * 32000)) {
			struct sound p = prompt_sound(fixture.mem, &prompts[i]);

			buf_put(&b, p.s, p.n * sizeof(*p.s));
		}
	return (struct sound){ (int16_t *)(void *)b.p, b.len / sizeof(int16_t) };
}

static void
send_recording(struct websocket *s, struct sound p)
{
	for (size_t some; p.n > 0; p.s += some, p.n -= some) {
		some = p.n < 5120 ? p.n : 5120;
		tell(s, "input_audio_data",
		    arena_printf(fixture.mem, "{\"data\":\"%s\"}",
			base64(fixture.mem, p.s, some * sizeof(*p.s))));
	}
	send_sound(s, 1000, false);
}

static const char *
voice_of(const struct websocket *s)
{
	return speaker_voice_get(s->connection->session->speaker);
}

/* Runs a tick and sends silence now and then, because a session without input ends. */
static void
stay(struct websocket *s)
{
	static int64_t sent_us;

	gateway_tick();
	if (monotonic_us() > sent_us + S_US) {
		sent_us = monotonic_us();
		send_sound(s, 100, false);
	}
}

static void
await_voice(struct websocket *s)
{
	int64_t until_us = monotonic_us() + AWAIT_VOICE_US;

	while (voice_of(s) == NULL && monotonic_us() < until_us)
		stay(s);
	ck_assert_ptr_nonnull(voice_of(s));
}

static void
await_finals(struct websocket *s, int n)
{
	int64_t until_us = monotonic_us() + AWAIT_VOICE_US;

	while (count_seen(s, FINAL, "") < n && monotonic_us() < until_us)
		stay(s);
	ck_assert_int_ge(count_seen(s, FINAL, ""), n);
}

static void
await_task(struct websocket *s, int number)
{
	int64_t until_us = monotonic_us() + AWAIT_VOICE_US;

	while (
	    s->connection->session->now->number != number && monotonic_us() < until_us)
		stay(s);
	ck_assert_int_eq(s->connection->session->now->number, number);
}

static double
pitch_of(struct pcm16 heard)
{
	struct pcm pcm = { .n = heard.n, .rate_hz = SPOKEN_HZ };
	struct voice_profile p;

	pcm.s = arena_alloc(fixture.mem, heard.n * sizeof(*pcm.s) + 1);
	for (size_t i = 0; i < heard.n; i++)
		pcm.s[i] = (float)heard.s[i] / 32768;
	ck_assert_int_eq(voice_analysis_profile(fixture.mem, &pcm, &p), OK);
	return p.f0_hz;
}

/* Returns the id that the messages about the sentence share; NULL: none yet. */
static const char *
id_of_sentence(const struct websocket *s)
{
	int at = 0;
	const char *m = seen_from(s, &at, "\"translated_transcription\"", SENTENCE),
		   *id = "\"transcription_id\":\"";

	return m != NULL ? arena_dup(fixture.mem, strstr(m, id), strlen(id) + 16)
			 : NULL;
}

/* Returns the median pitch of the sentence that is being spoken. */
static double
spoken_hz(struct websocket *s, const char *language)
{
	int64_t until_us = monotonic_us() + AWAIT_VOICE_US;
	const char *id = NULL;

	tell(s, "tts_task",
	    arena_printf(fixture.mem, "{\"text\":\"%s\",\"language\":\"%s\"}", SENTENCE,
		language));
	for (int at = 0;
	     (id == NULL || seen_from(s, &at, id, "\"last_chunk\":true") == NULL) &&
	     monotonic_us() < until_us;
	     at = 0) {
		stay(s);
		id = id != NULL ? id : id_of_sentence(s);
	}
	ck_assert_ptr_nonnull(id);
	return pitch_of(listener_sound(s, id));
}

static struct websocket *
start_cloning(const char *folder)
{
	struct websocket *s = start_task(TASK(CLONING("en", ""), ""));

	send_recording(s, speech_of(folder, SPEAKER_VOICE_S + 2));
	await_voice(s);
	return s;
}

/* Checks that the translation resembles the speaker; returns its measured pitch. */
static double
translated_hz(const char *folder)
{
	struct websocket *s = start_cloning(folder);
	struct voice_profile p;
	double hz = spoken_hz(s, "en");

	ck_assert_int_eq(voice_profile_read(fixture.mem, voice_of(s), &p), OK);
	ck_assert_msg(
	    fabs(log2(hz / p.f0_hz)) < 0.25, "%s: %.0f of %.0f", folder, hz, p.f0_hz);
	ck_assert_int_eq(count_seen(s, "VOICE_NOT_FOUND", ""), 0);
	return hz;
}

START_TEST(speakers_are_translated_with_their_own_pitch)
{
	double woman = translated_hz(STUDIO), man = translated_hz(READERS);

	ck_assert_double_gt(woman / man, 1.3);
}
END_TEST

/* Once per session: another task also speaks with it. */
START_TEST(the_voice_is_kept_for_the_session)
{
	struct websocket *s = start_cloning(STUDIO);
	const char *voice = voice_of(s);
	struct voice_profile p;

	tell(s, "set_task", TASK(CLONING("es", ""), ""));
	await_task(s, 2);
	send_recording(s, speech_of(READERS, SPEAKER_VOICE_S + 2));
	await_finals(s, 2);
	ck_assert_ptr_eq(voice_of(s), voice);
	ck_assert_int_eq(voice_profile_read(fixture.mem, voice, &p), OK);
	ck_assert_double_lt(fabs(log2(spoken_hz(s, "es") / p.f0_hz)), 0.25);
}
END_TEST

START_TEST(until_there_is_a_voice_it_is_the_default_one)
{
	struct websocket *s = start_task(TASK(CLONING("en", ""), ""));
	double hz;

	send_recording(s, speech_of(STUDIO, 2));
	await_finals(s, 1);
	hz = spoken_hz(s, "en");
	ck_assert_double_lt(hz, 140);
	ck_assert_ptr_null(voice_of(s));
	ck_assert_int_eq(count_seen(s, "VOICE_NOT_FOUND", ""), 0);
}
END_TEST

/* Tasks that do not request the voice collect no sound. */
static const char *const without[] = {
	TO("en"),
	CLONING("en", ",\"voice_timbre_detection\":{\"enabled\":true}"),
	CLONING("en", ",\"tts_model\":\"flite\""),
};

START_TEST(none_is_made_where_it_would_not_be_spoken_with)
{
	struct websocket *s =
	    start_task(arena_printf(fixture.mem, TASK("%s", ""), without[_i]));

	send_recording(s, speech_of(STUDIO, SPEAKER_VOICE_S + 2));
	await_finals(s, 1);
	spoken_hz(s, "en");
	ck_assert_ptr_null(voice_of(s));
	ck_assert_int_eq(count_seen(s, "VOICE_NOT_FOUND", "default_low"), _i == 2);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("speaker voice");
	TCase *t = tcase_create("all");

	tcase_set_timeout(t, 120);
	tcase_add_checked_fixture(t, setup, gateway_close);
	tcase_add_test(t, speakers_are_translated_with_their_own_pitch);
	tcase_add_test(t, the_voice_is_kept_for_the_session);
	tcase_add_test(t, until_there_is_a_voice_it_is_the_default_one);
	tcase_add_loop_test(
	    t, none_is_made_where_it_would_not_be_spoken_with, 0, COUNT(without));
	suite_add_tcase(s, t);
	return unit_run(s);
}
