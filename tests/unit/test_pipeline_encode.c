/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A pipeline alone, and the Opus packets of its chunks. */
#include "tests/unit/pipeline_alone.h"

#define SAID "0123456789012345678901234567890123456789" /* 2.4 s */

static struct pipeline *pipeline;
static bool ready, gone;
static int drained;
static size_t chunks;                                   /* chunks of target 0 */
static int64_t samples[2], packets[2], packet_bytes[2]; /* counts of each target */

static void
count(const struct pipeline_event *e)
{
	chunks += e->target == 0;
	samples[e->target] += e->chunk.us * SPOKEN_HZ / S_US;
	packets[e->target] += (int64_t)opus_packets_count(e->opus);
	packet_bytes[e->target] += (int64_t)e->opus.n;
}

static void
free_group(void *group)
{
	arena_free(group);
}

static void
take(struct gateway *g, struct thread_call *call)
{
	const struct pipeline_event *e = (struct pipeline_event *)call;

	(void)g;
	ready |= e->kind == PIPELINE_READY;
	gone |= e->kind == PIPELINE_GONE;
	drained += e->kind == PIPELINE_DRAINED;
	if (e->kind == PIPELINE_CHUNK)
		count(e);
	if (e->kind == PIPELINE_GROUP) /* its chunks contain it */
		arena_defer(fixture.mem, free_group, call->message.mem);
	else
		arena_free(call->message.mem);
}

static void
start(const char *text)
{
	pipeline = pipeline_alone(text, true, take);
	await_by(take_events(), ready);
}

/* Speaks, and resets the counts. */
static void
speak(const char *text)
{
	struct arena *mem = arena_new();
	int before = drained;

	chunks = 0;
	memset(samples, 0, sizeof(samples));
	memset(packets, 0, sizeof(packets));
	memset(packet_bytes, 0, sizeof(packet_bytes));
	pipeline_speak(pipeline, mem, text, "en", true);
	arena_free(mem);
	pipeline_drain(pipeline);
	await_by(take_events(), drained > before);
	ck_assert_int_eq(drained, before + 1);
}

static void
leave(void)
{
	pipeline_leave(pipeline, false);
	await_by(take_events(), gone);
	pipeline_free(pipeline);
}

static void
reset(void)
{
	gateway_open();
	ready = gone = false;
	drained = 0;
}

START_TEST(chunks_carry_packets_while_they_are_asked_for)
{
	start(TASK(TO("es"), ""));
	speak(SAID);
	ck_assert_uint_gt(chunks, 11);
	ck_assert_int_eq(packets[0], 0);
	pipeline_encode(pipeline, true);
	speak(SAID);
	ck_assert_int_ge(packets[0] * 480, samples[0]);
	ck_assert_int_lt((packets[0] - 1) * 480, samples[0]);
	pipeline_encode(pipeline, false);
	speak(SAID);
	ck_assert_int_eq(packets[0], 0);
	leave();
}
END_TEST

START_TEST(each_target_is_encoded)
{
	start(TASK(TO("es") "," TO("fr"), ""));
	pipeline_encode(pipeline, true);
	speak(SAID);
	for (int i = 0; i < 2; i++) {
		ck_assert_int_ge(packets[i] * 480, samples[i]);
		ck_assert_int_gt(samples[i], 2 * SPOKEN_HZ);
	}
	leave();
}
END_TEST

START_TEST(webrtc_has_packets_without_being_asked)
{
	start("{\"input_stream\":{\"source\":{\"type\":\"webrtc\"}},\"pipeline\":{"
	      "\"transcription\":{\"source_language\":\"en\"},\"translations\":["
	      "{\"target_language\":\"es\"}]}}");
	pipeline_encode(pipeline, false);
	speak(SAID);
	ck_assert_int_ge(packets[0] * 480, samples[0]);
	ck_assert_int_gt(packets[0], 0);
	leave();
}
END_TEST

START_TEST(a_target_with_loss_gets_other_packets)
{
	int64_t before[2];

	start(TASK(TO("es") "," TO("fr"), ""));
	pipeline_encode(pipeline, true);
	speak(SAID);
	speak(SAID); /* directly after another phrase */
	memcpy(before, packet_bytes, sizeof(before));
	pipeline_loss(pipeline, 0, 20);
	speak(SAID);
	ck_assert_int_ne(packet_bytes[0], before[0]);
	ck_assert_int_eq(packet_bytes[1], before[1]);
	leave();
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("pipeline_encode");
	TCase *t = tcase_create("encode");

	tcase_add_checked_fixture(t, reset, gateway_close);
	tcase_add_test(t, chunks_carry_packets_while_they_are_asked_for);
	tcase_add_test(t, each_target_is_encoded);
	tcase_add_test(t, webrtc_has_packets_without_being_asked);
	tcase_add_test(t, a_target_with_loss_gets_other_packets);
	suite_add_tcase(s, t);
	return unit_run(s);
}
