/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A pipeline that passes on the original sound. */
#include "tests/unit/pipeline_alone.h"

#define MOST 400
#define PIECE 4800 /* samples */

/* The content of a PIPELINE_PASSTHROUGH message. */
struct piece {
	const char *id;
	bool last;
	const int16_t *s;
	size_t n;
};

static struct pipeline *pipeline;
static struct piece pieces[MOST];
static int npieces;
static bool ready, gone;

static const struct json *
get(const struct json *v, const char *name)
{
	const struct json *to = json_get(v, name);

	ck_assert_msg(to != NULL, "%s", name);
	return to;
}

static struct piece
read_piece(const struct pipeline_event *s)
{
	const char *why;
	const struct json *m = json_read(fixture.mem, s->text, s->n, &why), *d;
	const char *data;
	struct piece p;

	ck_assert_str_eq(json_get_text(m, "message_type"), "output_audio_data");
	d = get(m, "data");
	ck_assert_str_eq(json_get_text(d, "language"), "original");
	ck_assert_str_eq(json_get_text(d, "translation_part_id"), "0");
	ck_assert_int_eq(get(d, "chunk_generation_delta")->type, JSON_NONE);
	p.id = json_get_text(d, "transcription_id");
	p.last = get(d, "last_chunk")->u.b;
	data = json_get_text(d, "data");
	p.s = (const int16_t *)(const void *)base64_read(
	    fixture.mem, data, strlen(data), &p.n);
	p.n /= sizeof(*p.s);
	return p;
}

static void
hear_said(struct gateway *g, struct thread_call *e)
{
	const struct pipeline_event *s = (struct pipeline_event *)e;

	(void)g;
	ready |= s->kind == PIPELINE_READY;
	gone |= s->kind == PIPELINE_GONE;
	if (s->kind == PIPELINE_PASSTHROUGH) {
		ck_assert(!gone);
		ck_assert_int_lt(npieces, MOST);
		pieces[npieces++] = read_piece(s);
	}
	arena_free(e->message.mem);
}

/* Waits until this much sound was received in all. */
static void
await_heard(int ms)
{
	await_by(take_events(), pipeline_decoded_us(pipeline) >= ms * INT64_C(1000));
	ck_assert_int_eq(pipeline_decoded_us(pipeline), ms * INT64_C(1000));
	take_events();
}

static void
start(const char *format)
{
	ready = gone = false;
	npieces = 0;
	pipeline = pipeline_alone(
	    arena_printf(fixture.mem,
		"{\"input_stream\":{\"source\":{%s}},\"pipeline\":{"
		"\"transcription\":{\"source_language\":\"en\"},\"translations\":[]}}",
		format),
	    false, hear_said);
	await_by(take_events(), ready);
}

static void
leave(bool drop)
{
	pipeline_leave(pipeline, drop);
	await_by(take_events(), gone);
	pipeline_free(pipeline);
}

/* Sends a tone of 48 kHz sound in one channel. */
static void
play(int hz, int ms)
{
	int n = ms * 48;
	int16_t *s = arena_alloc(fixture.mem, (size_t)n * sizeof(*s));

	for (int i = 0; i < n; i++)
		s[i] = (int16_t)(8000 * sin(2 * M_PI * hz * i / 48000));
	pipeline_feed(pipeline, s, (size_t)n * sizeof(*s), ms * INT64_C(1000));
}

/*
 * Reads a group: pieces of 200 ms with one id, the last of them shorter; returns its
 * length.
 */
static size_t
count_samples(int from, int n)
{
	size_t all = 0;

	for (int i = from; i < from + n; i++) {
		bool last = i == from + n - 1;

		ck_assert_int_eq(strlen(pieces[i].id), 16);
		ck_assert_str_eq(pieces[i].id, pieces[from].id);
		ck_assert_int_eq(pieces[i].last, last);
		if (!last)
			ck_assert_uint_eq(pieces[i].n, PIECE);
		all += pieces[i].n;
	}
	return all;
}

#define PCM48 "\"format\":\"pcm_s16le\",\"sample_rate\":48000"

START_TEST(only_listeners_that_asked_get_the_original)
{
	start(PCM48);
	play(440, 1000);
	await_heard(1000);
	pipeline_passthrough(pipeline, false);
	leave(false);
	ck_assert_int_eq(npieces, 0);
}
END_TEST

START_TEST(the_original_comes_in_pieces_until_the_run_leaves)
{
	double sum = 0;

	start(PCM48);
	pipeline_passthrough(pipeline, true);
	for (int i = 0; i < 10; i++) /* a frequency that 16 kHz sound cannot have */
		play(9600, 110);
	await_heard(1100);
	ck_assert_int_ge(npieces, 5);
	leave(false);
	ck_assert_int_eq(npieces, 6);
	ck_assert_uint_eq(count_samples(0, 6), 1100 * 24);
	for (int i = 0; i < PIECE; i++)
		sum += pieces[2].s[i] * (double)pieces[2].s[i];
	ck_assert_double_eq_tol(sqrt(sum / PIECE), 8000 / sqrt(2), 300);
}
END_TEST

START_TEST(it_is_switched_off_and_on_in_groups_of_their_own)
{
	start(PCM48);
	play(440, 300);
	pipeline_passthrough(pipeline, true);
	pipeline_passthrough(pipeline, true);
	play(440, 500);
	pipeline_passthrough(pipeline, false);
	play(440, 700);
	pipeline_passthrough(pipeline, true);
	play(440, 400);
	await_heard(1900);
	pipeline_passthrough(pipeline, false);
	leave(false);
	ck_assert_int_eq(npieces, 6);
	ck_assert_uint_eq(count_samples(0, 3), 500 * 24);
	ck_assert_uint_eq(count_samples(3, 3), 400 * 24);
	ck_assert_str_ne(pieces[0].id, pieces[3].id);
	ck_assert_uint_eq(pieces[5].n, 0);
}
END_TEST

START_TEST(without_sound_there_is_no_group)
{
	start(PCM48);
	pipeline_passthrough(pipeline, true);
	pipeline_passthrough(pipeline, false);
	pipeline_passthrough(pipeline, true);
	pipeline_passthrough(pipeline, false);
	pipeline_leave(pipeline, true);
	pipeline_passthrough(pipeline, true); /* comes too late */
	leave(true);
	ck_assert_int_eq(npieces, 0);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("gateway_original");
	TCase *t = tcase_create("original");

	tcase_add_checked_fixture(t, gateway_open, gateway_close);
	tcase_add_test(t, only_listeners_that_asked_get_the_original);
	tcase_add_test(t, the_original_comes_in_pieces_until_the_run_leaves);
	tcase_add_test(t, it_is_switched_off_and_on_in_groups_of_their_own);
	tcase_add_test(t, without_sound_there_is_no_group);
	suite_add_tcase(s, t);
	return unit_run(s);
}
