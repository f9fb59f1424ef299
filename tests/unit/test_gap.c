/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The pause between two sentences of a language. */
#include "pipeline/gap.h"
#include "tests/unit/listener_sound.h"

#define MS INT64_C(1000)
#define SPANISH "\"language\":\"es\""
#define SHORTEST (SPOKEN_HZ / 50) /* samples of the shortest silence that counts */
#define QUIET 300                 /* of 32,768; the engine speaks at 8,192 */

static void
setup(void)
{
	gateway_open();
}

/* Finds the silences within the sound, in milliseconds; returns their number. */
static int
silences(struct pcm16 p, int ms[], int most)
{
	size_t begin = 0;
	int n = 0;
	bool voiced = false;

	for (size_t i = 0; i < p.n; i++) {
		if (abs(p.s[i]) < QUIET)
			continue;
		if (voiced && i - begin >= SHORTEST && n < most)
			ms[n++] = (int)((i - begin) * 1000 / SPOKEN_HZ);
		voiced = true;
		begin = i + 1;
	}
	return n;
}

static void
speak(struct websocket *s, const char *text)
{
	tell(s, "tts_task",
	    arena_printf(fixture.mem, "{\"text\":\"%s\",\"language\":\"es\"}", text));
}

START_TEST(a_listener_hears_a_silence_between_two_sentences)
{
	struct websocket *s = start_task(TASK(TO("es"), ""));
	int ms[4];

	speak(s, "one two three four five six");
	speak(s, "seven eight nine ten");
	await_seen(s, "output_audio_data", "\"last_chunk\":true", 2);
	ck_assert_int_eq(silences(listener_sound(s, SPANISH), ms, 4), 1);
	ck_assert_int_ge(ms[0], 190);
	ck_assert_int_le(ms[0], 230);
}
END_TEST

#define LONG                                                                           \
	"a sentence that takes six seconds and then some more, and none of it is to "  \
	"be said in a hurry at all"

START_TEST(there_is_none_while_it_is_behind)
{
	struct websocket *s = start_task(
	    TASK(TO("es"), ",\"translation_queue_configs\":{\"global\":{\"desired_"
			   "queue_level_ms\":500,"
			   "\"max_queue_level_ms\":60000,\"auto_tempo\":false}}"));
	int ms[4];

	speak(s, LONG);
	await_seen(s, "output_audio_data", "\"language\":\"es\"", 2);
	speak(s, "and another one");
	await_seen(s, "output_audio_data", "\"last_chunk\":true", 2);
	ck_assert_int_eq(silences(listener_sound(s, SPANISH), ms, 4), 0);
}
END_TEST

START_TEST(the_first_sentence_begins_at_once)
{
	struct websocket *s = start_task(TASK(TO("es"), ""));
	struct pcm16 sound;

	speak(s, LONG);
	await_seen(s, "output_audio_data", "\"language\":\"es\"", 1);
	sound = listener_sound(s, SPANISH);
	for (size_t i = 0; i < SHORTEST; i++) /* the sound is a sine */
		if (abs(sound.s[i]) > QUIET)
			break;
		else
			ck_assert_uint_lt(i, SHORTEST - 1);
}
END_TEST

/* ---- how long it is ---- */

static const struct {
	int quiet_before, quiet_behind, since; /* ms */
	bool queued;
	int gap;
} gaps[] = {
	{ 0, 0, 0, false, 200 },
	{ 0, 0, -3000, false, 200 },
	{ 50, 30, 0, false, 120 },
	{ 0, 0, 80, false, 120 },
	{ 0, 0, 80, true, 200 },
	{ 150, 150, 0, false, 0 },
	{ 0, 0, 5000, false, 0 },
};

static struct pcm
sound(int before, int behind)
{
	struct pcm p = { .n = 8000, .rate_hz = 16000 };

	p.s = arena_alloc(fixture.mem, p.n * sizeof(*p.s));
	for (size_t i = (size_t)before * 16; i < p.n - (size_t)behind * 16; i++)
		p.s[i] = 0.5f;
	return p;
}

START_TEST(silence_that_is_there_counts)
{
	struct pcm first = sound(0, gaps[_i].quiet_before),
		   next = sound(gaps[_i].quiet_behind, 0), none = sound(500, 0);
	struct gap g = { 0 };
	int64_t now = 1000 * S_US;

	ck_assert_int_eq(gap_before(&g, &first, now, false), 0);
	gap_add_sound(&g, &first);
	gap_sent(&g, 500 * MS, now);
	now += 500 * MS + gaps[_i].since * MS;
	ck_assert_int_eq(
	    gap_before(&g, &next, now, gaps[_i].queued), gaps[_i].gap * MS);
	gap_add_sound(&g, &none);
	ck_assert_int_eq(gap_before(&g, &next, now, gaps[_i].queued), 0);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("gap");
	TCase *t = tcase_create("all");

	tcase_set_timeout(t, 60);
	tcase_add_checked_fixture(t, setup, gateway_close);
	tcase_add_test(t, a_listener_hears_a_silence_between_two_sentences);
	tcase_add_test(t, there_is_none_while_it_is_behind);
	tcase_add_test(t, the_first_sentence_begins_at_once);
	tcase_add_loop_test(t, silence_that_is_there_counts, 0, COUNT(gaps));
	suite_add_tcase(s, t);
	return unit_run(s);
}
