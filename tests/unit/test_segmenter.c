/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "audio/audio_decoder.h"
#include "tests/unit/segmenter_fixture.h"

START_TEST(a_phrase_has_padding_and_ends_with_silence)
{
	struct pcm16 p = BEEPS(1000, 2000, 2000);
	struct many m = heard(segmenter_new(mem, &usual), p, 0);

	ck_assert_uint_eq(m.n, 1);
	ck_assert_int_eq(m.one->why, SEGMENT_SILENCE);
	assert_near_ms(m.one->speech_from, 1000);
	assert_near_ms(m.one->from, 800);
	assert_near_ms(m.one->speech_to, 3000);
	assert_near_ms(m.one->to, 3200);
	ck_assert_mem_eq(m.one->sound.p, p.s + m.one->from, m.one->sound.len);
}
END_TEST

START_TEST(a_phrase_ends_as_soon_as_the_silence_lasted)
{
	struct segmenter_params rule = usual;
	struct segmenter *p;
	struct many m;

	for (rule.silence_ms = 300; rule.silence_ms <= 2000; rule.silence_ms += 340) {
		p = segmenter_new(mem, &rule);
		m = heard(p, BEEPS(300, 1000, rule.silence_ms - 60), 0);
		ck_assert_uint_eq(m.n, 0);
		ck_assert(m.is_open);
		ck_assert_int_le(segmenter_speech_at(p), MS(1340));
		m.n = 0;
		segmenter_feed(p, silence(0.1, HEARD_HZ).s, (size_t)MS(100));
		take_all(p, &m);
		ck_assert_uint_eq(m.n, 1);
		ck_assert(!m.is_open);
	}
}
END_TEST

START_TEST(how_a_stream_is_cut_into_pieces_makes_no_difference)
{
	struct pcm16 p = joined(BEEPS(500, 700, 400, 900, 1500, 100, 1000),
	    BEEPS(200, 31000, 900, 140, 90, 60, 800, 3000));
	struct many a, b;

	add_noise(p, -50);
	a = heard(segmenter_new(mem, &usual), p, 0);
	ck_assert_uint_ge(a.n, 4);
	for (size_t most = 50; most < 500000; most *= 7) {
		b = heard(segmenter_new(mem, &usual), p, most);
		ck_assert_uint_eq(a.n, b.n);
		for (size_t i = 0; i < a.n; i++) {
			ck_assert_int_eq(a.one[i].from, b.one[i].from);
			ck_assert_int_eq(a.one[i].speech_from, b.one[i].speech_from);
			ck_assert_int_eq(a.one[i].speech_to, b.one[i].speech_to);
			ck_assert_int_eq(a.one[i].to, b.one[i].to);
			ck_assert_int_eq(a.one[i].why, b.one[i].why);
			ck_assert_mem_eq(
			    a.one[i].sound.p, p.s + a.one[i].from, a.one[i].sound.len);
		}
	}
}
END_TEST

static const struct {
	int ms, phrases;
} clicks[] = { { 20, 0 }, { 60, 0 }, { 80, 0 }, { 140, 1 }, { 200, 1 } };

START_TEST(speech_that_is_too_short_is_ignored)
{
	struct many m = heard(segmenter_new(mem, &usual),
	    BEEPS(1000, clicks[_i].ms, 900, clicks[_i].ms, 900, clicks[_i].ms, 900), 0);

	ck_assert_uint_eq(m.n, 3 * (size_t)clicks[_i].phrases);
}
END_TEST

START_TEST(short_silences_are_inside_a_phrase)
{
	struct many m = heard(
	    segmenter_new(mem, &usual), BEEPS(500, 500, 600, 500, 600, 500, 900), 0);

	ck_assert_uint_eq(m.n, 1);
	assert_near_ms(m.one->to, 3400);
}
END_TEST

START_TEST(phrases_that_are_close_share_no_sample)
{
	struct segmenter_params rule = usual;
	struct many m;

	rule.silence_ms = 300;
	m = heard(segmenter_new(mem, &rule), BEEPS(500, 500, 340, 500, 500), 0);
	ck_assert_uint_eq(m.n, 2);
	assert_near_ms(m.one[0].to, 1200);
	ck_assert_int_ge(m.one[1].from, m.one[0].to);
	assert_near_ms(m.one[1].speech_from, 1340);
}
END_TEST

START_TEST(without_vad_all_input_is_in_phrases)
{
	struct segmenter_params rule = usual;
	struct segmenter *p;
	struct many m;

	rule.vad = false;
	p = segmenter_new(mem, &rule);
	m = heard(p, silence(31, HEARD_HZ), 0);
	ck_assert_uint_ge(m.n, 3);
	ck_assert_int_eq(m.one->from, 0);
	assert_cut(&m);
	ck_assert(m.is_open);
}
END_TEST

START_TEST(a_cut_ends_the_running_phrase_behind_what_was_fed)
{
	struct segmenter *p = segmenter_new(mem, &usual);
	struct many m = heard(p, BEEPS(400, 1000), 0);

	segmenter_cut(p);
	take_all(p, &m);
	ck_assert_uint_eq(m.n, 1);
	ck_assert_int_eq(m.one->why, SEGMENT_CUT);
	ck_assert_int_eq(m.one->to, MS(1400));
	segmenter_cut(p); /* there is no phrase */
	take_all(p, &m);
	ck_assert_uint_eq(m.n, 1);
	segmenter_feed(p, tone(0.2, 300, -20, HEARD_HZ).s, (size_t)MS(200));
	segmenter_cut(p); /* before the recognizer read it */
	take_all(p, &m);
	ck_assert_uint_eq(m.n, 2);
	ck_assert_int_eq(m.one[1].from, MS(1400));
	ck_assert_int_eq(m.one[1].to, MS(1600));
}
END_TEST

#define LONG                                                                           \
	"this is a text of at least the eighty characters that it takes to split a "   \
	"phrase"
static const struct {
	const char *text;
	int pause_ms, ms;
	bool split, enabled;
} splits[] = {
	{ LONG, 300, 4400, true, true },
	{ LONG, 300, 4400, false, false },
	{ LONG, 300, 3000, false, true },
	{ LONG, 200, 4400, false, true },
	{ "short", 300, 4400, false, true },
	{ "short.", 300, 4400, false, true },
	{ LONG ".", 0, 5000, true, true },
	{ LONG ".”", 0, 5000, true, true },
	{ LONG "。", 0, 5000, true, true },
	{ LONG "?", 0, 3000, false, true },
	{ LONG ",", 0, 5000, false, true },
	{ LONG "! And", 0, 5000, false, true },
};

START_TEST(a_long_phrase_is_split_where_it_may_be)
{
	struct segmenter_params rule = usual;
	struct pcm16 sound = BEEPS(400, splits[_i].ms, splits[_i].pause_ms, 600, 100);
	struct segment_part part;
	struct many m = { .one = arena_alloc(mem, 100 * sizeof(*m.one)) };
	struct segmenter *p;

	rule.split = splits[_i].enabled;
	p = segmenter_new(mem, &rule);
	for (size_t i = 0; i < sound.n; i += 5120) {
		segmenter_feed(p, sound.s + i, sound.n - i < 5120 ? sound.n - i : 5120);
		while (segmenter_next(p, &part)) {
			take(&m, &part);
			/* the next phrase has no text yet */
			if (part.is == SEGMENT_AUDIO && m.n == 0)
				segmenter_text(p, splits[_i].text);
		}
	}
	ck_assert_uint_eq(m.n, splits[_i].split);
	ck_assert(m.is_open);
	if (m.n == 0)
		return;
	ck_assert_int_eq(m.one->why, SEGMENT_SPLIT);
	ck_assert_int_ge(m.one->to - m.one->from, MS(4000));
	if (splits[_i].pause_ms > 0)
		assert_near_ms(m.one->to, 400 + splits[_i].ms + 200);
	else /* as soon as the text was reported */
		ck_assert_int_le(m.one->to - m.one->from, MS(4000 + 320));
}
END_TEST

/* Reads a file of another rate, as a client would send it. */
static struct pcm16
prompt(const char *name)
{
	const char *path = arena_printf(mem, PROMPTS "%s.wav", name);
	struct audio_format f = { .form = AUDIO_WAV };
	char *bytes = arena_alloc(mem, 1 << 20);
	struct pcm16 p = { .n = 0 };
	FILE *in = fopen(path, "rb");

	if (in == NULL) {
		fprintf(stderr, "%s is not installed\n", path);
		return p;
	}
	ck_assert_int_eq(audio_decoder_feed(audio_decoder_new(mem, &f), bytes,
			     fread(bytes, 1, 1 << 20, in), mem, &p),
	    OK);
	fclose(in);
	return p;
}

static const char *const prompts[] = { "vm-nonumber", "vm-goodbye", "conf-adminmenu",
	"agent-user", "demo-thanks", "vm-intro" };
static const double noises[] = { -90, -60, -50, -45 };

/*
 * Finds the beginning and the end of speech by its level, in a recording without noise.
 */
static void
limits(struct pcm16 p, size_t *from, size_t *to)
{
	*from = *to = 0;
	for (size_t i = 0; i + 320 <= p.n; i += 320)
		if (level_db(p.s + i, 320) > -40) {
			*from = *to == 0 ? i : *from;
			*to = i + 320;
		}
}

/* Joins segments that were cut for their length. */
static void
join_cut(struct many *m)
{
	size_t n = 0;

	for (size_t i = 0; i < m->n; i++) {
		if (i > 0 && m->one[i - 1].why == SEGMENT_LONG) {
			m->one[n - 1].to = m->one[i].to;
			m->one[n - 1].speech_to = m->one[i].speech_to;
		} else
			m->one[n++] = m->one[i];
	}
	m->n = n;
}

START_TEST(prompts_with_pauses_between_are_as_many_phrases)
{
	struct pcm16 all = silence(2, HEARD_HZ);
	int64_t from[COUNT(prompts)], to[COUNT(prompts)];
	struct many m;
	size_t n;

	for (n = 0; n < COUNT(prompts); n++) {
		struct pcm16 p = prompt(prompts[n]);
		size_t first, end;

		if (p.n == 0)
			return;
		limits(levelled(p, -14), &first, &end);
		from[n] = (int64_t)(all.n + first);
		to[n] = (int64_t)(all.n + end);
		all = joined(all, joined(p, silence(1.2, HEARD_HZ)));
	}
	add_noise(all, noises[_i]);
	m = heard(segmenter_new(mem, &usual), all, 0);
	join_cut(&m);
	ck_assert_uint_eq(m.n, n);
	for (size_t i = 0; i < n; i++) {
		ck_assert_int_le(llabs(m.one[i].speech_from - from[i]), MS(120));
		ck_assert_int_le(llabs(m.one[i].speech_to - to[i]), MS(250));
		ck_assert_int_le(m.one[i].from, from[i]);
		ck_assert_int_ge(m.one[i].to, to[i]);
	}
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("phrase");
	TCase *t = tcase_create("all");

	tcase_add_checked_fixture(t, setup, teardown);
	tcase_set_timeout(t, 30);
	tcase_add_test(t, a_phrase_has_padding_and_ends_with_silence);
	tcase_add_test(t, a_phrase_ends_as_soon_as_the_silence_lasted);
	tcase_add_test(t, how_a_stream_is_cut_into_pieces_makes_no_difference);
	tcase_add_loop_test(t, speech_that_is_too_short_is_ignored, 0, COUNT(clicks));
	tcase_add_test(t, short_silences_are_inside_a_phrase);
	tcase_add_test(t, phrases_that_are_close_share_no_sample);
	tcase_add_test(t, without_vad_all_input_is_in_phrases);
	tcase_add_test(t, a_cut_ends_the_running_phrase_behind_what_was_fed);
	tcase_add_loop_test(
	    t, a_long_phrase_is_split_where_it_may_be, 0, COUNT(splits));
	tcase_add_loop_test(
	    t, prompts_with_pauses_between_are_as_many_phrases, 0, COUNT(noises));
	suite_add_tcase(s, t);
	return unit_run(s);
}
