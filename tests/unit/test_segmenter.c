#include <check.h>
#include <stdlib.h>

#include "audio/audio_decoder.h"
#include "audio/vad.h"
#include "base/buf.h"
#include "pipeline/segmenter.h"
#include "tests/unit/stream_sounds.h"

#define MS(ms) ((int64_t)(ms)*HEARD_HZ / 1000)
#define FRAME_MS 20

static const struct segmenter_params usual = { true, 0.5, 700, true, 80, 4 };

struct one {
	int64_t from, speech_from, to, speech_to;
	enum segment_end why;
	struct buf sound;
};

/* What came of a stream. */
struct many {
	struct one *one;
	size_t n;
	bool is_open;
};

/* Parts come in their order and leave nothing out; a long one ends in its past. */
static void
take(struct many *m, const struct segment_part *part)
{
	struct one *o = &m->one[m->n];

	ck_assert(m->is_open == (part->is != SEGMENT_BEGINS));
	if (part->is == SEGMENT_BEGINS) {
		ck_assert_uint_lt(m->n, 99);
		*o = (struct one){ .from = part->at, .speech_from = part->speech_at };
		o->sound.mem = mem;
		m->is_open = true;
		ck_assert(m->n == 0 || part->at >= m->one[m->n - 1].to);
	} else if (part->is == SEGMENT_ENDS && part->why == SEGMENT_LONG) {
		size_t bytes = (size_t)(part->at - o->from) * sizeof(int16_t);

		ck_assert_int_gt(part->at, o->from);
		ck_assert_uint_le(bytes, o->sound.len);
		o->sound.len = bytes;
	} else {
		ck_assert_int_eq(
		    part->at, o->from + (int64_t)(o->sound.len / sizeof(int16_t)));
		buf_put(&o->sound, part->sound.s, part->sound.n * sizeof(int16_t));
	}
	if (part->is != SEGMENT_ENDS)
		return;
	o->to = part->at;
	o->speech_to = part->speech_at;
	o->why = part->why;
	m->n++;
	m->is_open = false;
}

static void
take_all(struct segmenter *p, struct many *m)
{
	struct segment_part part;

	while (segmenter_next(p, &part))
		take(m, &part);
}

/* In pieces of up to so many samples; 0: of 320 ms. */
static struct many
heard(struct segmenter *p, struct pcm16 sound, size_t most)
{
	struct many m = { .one = arena_alloc(mem, 100 * sizeof(*m.one)) };

	for (size_t i = 0, piece; i < sound.n; i += piece) {
		piece = most == 0 ? 5120 : draw((unsigned)most + 1);
		piece = piece < sound.n - i ? piece : sound.n - i;
		segmenter_feed(p, sound.s + i, piece);
		take_all(p, &m);
	}
	return m;
}

/* No speaker is as steady as a tone: it is soft for 40 ms in each second. */
static struct pcm16
talk(int ms)
{
	struct pcm16 p = tone(ms / 1000.0, 300, -20, HEARD_HZ);

	for (int64_t at = MS(960); ms > 4500 && at < (int64_t)p.n; at += MS(1000))
		for (int64_t i = at; i < at + MS(40) && i < (int64_t)p.n; i++)
			p.s[i] = (int16_t)(p.s[i] / 100);
	return p;
}

/* Tones with silences between: milliseconds of each in turn, silence first. */
static struct pcm16
beeps(const int *ms, size_t n)
{
	struct pcm16 p = silence(0, HEARD_HZ);

	for (size_t i = 0; i < n; i++)
		p = joined(
		    p, i % 2 == 0 ? silence(ms[i] / 1000.0, HEARD_HZ) : talk(ms[i]));
	return p;
}

#define BEEPS(...)                                                                     \
	beeps((const int[]){ __VA_ARGS__ },                                            \
	    sizeof((const int[]){ __VA_ARGS__ }) / sizeof(int))

static void
assert_near_ms(int64_t samples, int64_t ms)
{
	ck_assert_int_ge(samples, MS(ms - FRAME_MS - 5));
	ck_assert_int_le(samples, MS(ms + FRAME_MS + 5));
}

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

/* What was cut is whole: one begins where the one before ended. */
static void
assert_cut(const struct many *m)
{
	for (size_t i = 0; i + 1 < m->n; i++) {
		ck_assert_int_eq(m->one[i].why, SEGMENT_LONG);
		ck_assert_int_ge(m->one[i].to - m->one[i].from, MS(3500));
		ck_assert_int_le(m->one[i].to - m->one[i].from, MS(10000));
		ck_assert_int_eq(m->one[i + 1].from, m->one[i].to);
	}
}

START_TEST(sound_without_a_pause_is_cut_within_10_s_and_nothing_is_lost)
{
	struct many m = heard(segmenter_new(mem, &usual), BEEPS(1000, 65000, 1000), 0);

	ck_assert_uint_ge(m.n, 7);
	assert_cut(&m);
	ck_assert_int_eq(m.one[m.n - 1].why, SEGMENT_SILENCE);
	assert_near_ms(m.one[m.n - 1].to, 66200);
}
END_TEST

START_TEST(without_words_the_cut_is_where_the_sound_is_softest)
{
	struct pcm16 p = BEEPS(400, 12000, 1000);
	struct many m;

	for (int64_t i = MS(5600); i < MS(5720); i++)
		p.s[i] = (int16_t)(p.s[i] / 100);
	m = heard(segmenter_new(mem, &usual), p, 0);
	ck_assert_uint_eq(m.n, 2);
	assert_cut(&m);
	ck_assert_int_ge(m.one[0].to, MS(5600));
	ck_assert_int_le(m.one[0].to, MS(5760));
}
END_TEST

/* Words of 400 ms with 40 ms between; one gap is of 240 ms, behind `gap` words. */
static size_t
make_words(struct boundary_word *w, int gap, const char *last, const char *next)
{
	size_t n = 0;

	for (int at = 10; at < 450; n++) {
		bool is_last = (int)n == gap - 1, is_next = (int)n == gap;

		w[n] = (struct boundary_word){ is_last   ? last
					       : is_next ? next
							 : "word",
			at, at + 20 };
		at += is_last ? 32 : 22;
	}
	return n;
}

/* As heard(), with words told when they are wanted, and the first cut moved. */
static struct many
heard_words(struct pcm16 sound, const struct boundary_word *w, size_t n, int64_t moved)
{
	struct segmenter *p = segmenter_new(mem, &usual);
	struct many m = { .one = arena_alloc(mem, 100 * sizeof(*m.one)) };
	struct segment_part part;

	segmenter_feed(p, sound.s, sound.n);
	while (segmenter_next(p, &part)) {
		if (moved > 0 && part.is == SEGMENT_ENDS && m.n == 0) {
			segmenter_resume(p, moved);
			part.at = moved;
		}
		take(&m, &part);
		if (part.is == SEGMENT_AUDIO && m.n == 0 && segmenter_looks(p))
			segmenter_words(p, w, n);
	}
	return m;
}

START_TEST(a_cut_is_between_two_words_and_nothing_is_heard_twice)
{
	static const struct {
		const char *last, *next;
		int gap;
	} talks[] = { { "word", "word", 13 }, { "word", "and", 12 },
		{ "word", "because", 13 } };
	struct pcm16 p = BEEPS(400, 9000, 1000);
	struct boundary_word w[100];
	size_t n = make_words(w, talks[_i].gap, talks[_i].last, talks[_i].next);
	struct many m = heard_words(p, w, n, 0);
	int64_t at;

	ck_assert_uint_eq(m.n, 2);
	assert_cut(&m);
	at = (m.one[0].to - m.one[0].from) / VAD_FRAME;
	ck_assert_int_eq(at, (w[talks[_i].gap - 1].to + w[talks[_i].gap].from) / 2);
	ck_assert_mem_eq(m.one[1].sound.p, p.s + m.one[1].from, m.one[1].sound.len);
}
END_TEST

START_TEST(an_engine_that_knows_better_moves_the_cut)
{
	struct pcm16 p = BEEPS(400, 9000, 1000);
	struct boundary_word w[100];
	size_t n = make_words(w, 12, "word", "word");
	struct many m = heard_words(p, w, n, MS(4000));

	ck_assert_uint_eq(m.n, 2);
	ck_assert_int_eq(m.one[0].to, MS(4000));
	ck_assert_int_eq(m.one[1].from, MS(4000));
	ck_assert_mem_eq(m.one[1].sound.p, p.s + MS(4000), m.one[1].sound.len);
	assert_near_ms(m.one[1].to, 9600);
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
	segmenter_cut(p); /* there is none */
	take_all(p, &m);
	ck_assert_uint_eq(m.n, 1);
	segmenter_feed(p, tone(0.2, 300, -20, HEARD_HZ).s, (size_t)MS(200));
	segmenter_cut(p); /* before it was taken */
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
			/* the next phrase has said nothing yet */
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
	else /* as soon as the text was told */
		ck_assert_int_le(m.one->to - m.one->from, MS(4000 + 320));
}
END_TEST

/* A file of another rate, as a client would send it. */
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

/* Where speech is, found with the ear of one who has no noise to fear. */
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

/* Put together what was cut because it is long. */
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
	tcase_add_test(t, sound_without_a_pause_is_cut_within_10_s_and_nothing_is_lost);
	tcase_add_test(t, without_words_the_cut_is_where_the_sound_is_softest);
	tcase_add_loop_test(
	    t, a_cut_is_between_two_words_and_nothing_is_heard_twice, 0, 3);
	tcase_add_test(t, an_engine_that_knows_better_moves_the_cut);
	tcase_add_test(t, without_vad_all_input_is_in_phrases);
	tcase_add_test(t, a_cut_ends_the_running_phrase_behind_what_was_fed);
	tcase_add_loop_test(
	    t, a_long_phrase_is_split_where_it_may_be, 0, COUNT(splits));
	tcase_add_loop_test(
	    t, prompts_with_pauses_between_are_as_many_phrases, 0, COUNT(noises));
	suite_add_tcase(s, t);
	return unit_run(s);
}
