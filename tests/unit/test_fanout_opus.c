/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Listeners that receive Opus get the same speech with a fraction of the bytes. */
#include "audio/opus_decoder.h"
#include "pipeline/pipeline_internal.h"
#include "tests/unit/channel_session_fixture.h"

/* The sound of a connection's messages in one language, at HEARD_HZ. */
struct received {
	struct buf sound;
	size_t messages, bytes; /* bytes, including the headers of frames and TCP */
	int last;               /* number of messages with last_chunk */
	size_t longest;         /* packets in a message */
};

#define FRAME_BYTES (4 + 52)

static void
take(struct received *r, struct opus_decoder *in, const char *said)
{
	const char *why;
	const struct json *m = json_read(fixture.mem, said, strlen(said), &why);
	const struct json *d = json_get(m, "data");
	const char *data = json_get_text(d, "data");
	struct opus_packets packets;
	struct opus_packet packet;

	ck_assert_str_eq(json_get_text(d, "format"), "opus");
	packets.bytes = (const unsigned char *)base64_read(
	    fixture.mem, data, strlen(data), &packets.n);
	if (opus_packets_count(packets) > r->longest)
		r->longest = opus_packets_count(packets);
	while (opus_packets_next(&packets, &packet))
		ck_assert_int_eq(
		    opus_decoder_packet(in, packet.bytes, packet.n, &r->sound), OK);
	ck_assert_uint_eq(packets.n, 0);
	r->messages++;
	r->bytes += strlen(said) + FRAME_BYTES;
	r->last += json_get(d, "last_chunk")->u.b;
}

static struct received
received_by(const struct websocket *s, const char *language)
{
	struct received r = { .sound.mem = fixture.mem };
	struct opus_decoder *in = opus_decoder_new(fixture.mem);
	const char *tuned = arena_printf(fixture.mem, "\"language\":\"%s\"", language);

	for (int i = 0; i < s->n; i++)
		if (strstr(s->said[i], CHUNK) != NULL &&
		    strstr(s->said[i], tuned) != NULL)
			take(&r, in, s->said[i]);
	return r;
}

static double
level_of(const struct received *r)
{
	const int16_t *s = (const int16_t *)(const void *)r->sound.p;
	size_t n = r->sound.len / sizeof(*s);
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += (double)s[i] * s[i];
	return 10 * log10(sum / (double)(n + 1) / 32768 / 32768 + 1e-12);
}

static struct websocket *
connect_opus(struct connection_request *v)
{
	v->opus = true;
	return connect_with(v);
}

static struct websocket *
listen_opus(const char *session)
{
	return connect_opus(request_as(session, false, true, "es"));
}

START_TEST(a_phrase_comes_as_opus)
{
	const char *id = new_channel("[\"es\",\"fr\"]");
	struct websocket *s = connect_to(id, true, NULL),
			 *opus = connect_opus(request_to(id, false, "es")),
			 *pcm = connect_to(id, false, "es");
	struct received r;

	send_24k(s);
	await_seen(opus, CHUNK, "\"last_chunk\":true", 1);
	await_seen(pcm, CHUNK, "\"last_chunk\":true", 1);
	r = received_by(opus, "es");
	ck_assert_int_eq(r.last, 1);
	ck_assert_uint_eq(r.sound.len / sizeof(int16_t), 60 * 16 * HEARD_HZ / 1000);
	ck_assert_double_gt(level_of(&r), -30);
	ck_assert_int_eq(count_seen(pcm, CHUNK, "\"format\""), 0);
	ck_assert_int_eq(count_seen(s, CHUNK, "\"format\""), 0);
	ck_assert_int_eq(count_seen(opus, "[es]", ""), count_seen(pcm, "[es]", ""));
	let_it_end(s);
}
END_TEST

/* 100 characters are 6 s of a sine, for which the encoder uses all its bits. */
#define SAID_60 "012345678901234567890123456789012345678901234567890123456789"
#define SAID SAID_60 "0123456789012345678901234567890123456789"

START_TEST(speech_takes_forty_kilobits_at_most)
{
	const char *session = new_session();
	struct websocket *s = connect_as(session, true, true, NULL);
	struct websocket *l = listen_opus(session);
	struct received r;
	double seconds;

	tell(s, "set_task", TASK(TO("es"), ""));
	await_state(s, STATE_RUNNING);
	tell(s, "tts_task", "{\"text\":\"" SAID "\",\"language\":\"es\"}");
	await_seen(l, CHUNK, "\"last_chunk\":true", 1);
	r = received_by(l, "es");
	seconds = (double)r.sound.len / sizeof(int16_t) / HEARD_HZ;
	ck_assert_double_eq_tol(seconds, 6, 0.1);
	ck_assert_uint_eq(r.longest, 30);
	ck_assert_double_lt((double)r.bytes * 8 / seconds, 40000);
	/*
	 * The bit rate depends on the sound. At the full bit rate it must be below the
	 * limit, too.
	 */
	ck_assert_double_lt(
	    24000 * 4 / 3.0 + (double)r.messages * (230 + FRAME_BYTES) * 8 / seconds,
	    40000);
}
END_TEST

/* Waits until this many phrases are being spoken. */
static void
await_groups(const struct websocket *s, int n)
{
	int64_t until_us = monotonic_us() + AWAIT_US;
	int seen = 0;

	while (seen < n && s->code == 0 && monotonic_us() < until_us) {
		const struct pipeline_slot *slot = s->connection->session->now;

		seen = 0;
		for (const struct playback_group *g =
			 slot != NULL ? slot->playbacks[0].first : NULL;
		     g != NULL; g = g->next)
			seen++;
		gateway_tick();
	}
	ck_assert_int_eq(seen, n);
}

START_TEST(a_group_that_began_without_opus_is_not_sent)
{
	const char *session = new_session();
	struct websocket *s = connect_as(session, true, true, NULL), *l;

	tell(s, "set_task", TASK(TO("es"), ""));
	await_state(s, STATE_RUNNING);
	tell(s, "tts_task", "{\"text\":\"" SAID_60 "\",\"language\":\"es\"}");
	tell(s, "tts_task", "{\"text\":\"hello\",\"language\":\"es\"}");
	await_groups(s, 2); /* the second listener waits */
	l = listen_opus(session);
	await_seen(s, CHUNK, "\"last_chunk\":true", 2);
	ck_assert_int_eq(count_seen(l, CHUNK, ""), 0);
	tell(s, "tts_task", "{\"text\":\"hello\",\"language\":\"es\"}");
	await_seen(l, CHUNK, "\"last_chunk\":true", 1);
	ck_assert_int_eq(received_by(l, "es").last, 1);
}
END_TEST

START_TEST(what_is_flushed_ends_with_an_empty_message)
{
	const char *session = new_session();
	struct websocket *s = connect_as(session, true, true, NULL);
	struct websocket *l = listen_opus(session);

	tell(s, "set_task", TASK(TO("es"), ""));
	await_state(s, STATE_RUNNING);
	tell(s, "tts_task", "{\"text\":\"" SAID "\",\"language\":\"es\"}");
	await_seen(l, CHUNK, "", 2);
	tell(s, "flush_task", "{\"global_flush\":true}");
	await_seen(
	    l, CHUNK, "\"last_chunk\":true,\"format\":\"opus\",\"data\":\"\"", 1);
	ck_assert_int_eq(received_by(l, "es").last, 1);
}
END_TEST

START_TEST(the_original_comes_as_opus)
{
	const char *id = new_channel("[\"es\"]");
	struct websocket *s = connect_to(id, true, NULL),
			 *l = connect_opus(request_to(id, false, "original"));
	struct received r;

	send_24k(s);
	await_seen(l, CHUNK, "\"language\":\"original\"", 3);
	r = received_by(l, "original");
	ck_assert_uint_ge(r.sound.len / sizeof(int16_t), HEARD_HZ * 14 / 10);
	ck_assert_double_gt(level_of(&r), -30);
	let_it_end(s);
	ck_assert_int_eq(
	    count_seen(l, "\"original\"", "\"last_chunk\":true,\"format\":\"opus\""),
	    1);
}
END_TEST

/* ---- reports to pipelines ---- */

/* No turn of the session may pass between the connection and the check. */
START_TEST(a_pipeline_knows_new_listeners_at_once)
{
	const char *session = new_session();
	struct websocket *s = connect_as(session, true, true, NULL), *l, *original;
	const struct pipeline *p;

	tell(s, "set_task", TASK(TO("es"), ""));
	await_state(s, STATE_RUNNING);
	p = s->connection->session->now->pipeline;
	ck_assert(!p->encodes && !p->passthrough);
	l = listen_opus(session);
	ck_assert(p->encodes && !p->passthrough);
	original = connect_as(session, false, true, "original");
	ck_assert(p->encodes && p->passthrough);
	hang_up(l);
	ck_assert(!p->encodes && p->passthrough);
	tell(original, "set_language", "{\"language\":\"es\"}");
	ck_assert(!p->encodes && !p->passthrough);
}
END_TEST

START_TEST(a_new_pipeline_knows_its_listeners)
{
	const char *session = new_session();
	struct websocket *s = connect_as(session, true, true, NULL);
	const struct session *of = s->connection->session;
	int64_t until_us = monotonic_us() + AWAIT_US;
	const struct pipeline_slot *first;

	listen_opus(session);
	tell(s, "set_task", TASK(TO("es"), ""));
	await_state(s, STATE_RUNNING);
	first = of->slots;
	tell(s, "set_task", TASK(TO("fr"), ""));
	while (of->slots == first && monotonic_us() < until_us)
		gateway_tick();
	ck_assert_ptr_ne(of->slots, first);
	ck_assert(of->slots->pipeline->encodes); /* the phrase may not have begun */
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("fanout_opus");
	TCase *t = tcase_create("opus");

	tcase_add_checked_fixture(t, gateway_open, gateway_close);
	tcase_add_test(t, a_phrase_comes_as_opus);
	tcase_add_test(t, speech_takes_forty_kilobits_at_most);
	tcase_add_test(t, a_group_that_began_without_opus_is_not_sent);
	tcase_add_test(t, what_is_flushed_ends_with_an_empty_message);
	tcase_add_test(t, the_original_comes_as_opus);
	tcase_add_test(t, a_pipeline_knows_new_listeners_at_once);
	tcase_add_test(t, a_new_pipeline_knows_its_listeners);
	suite_add_tcase(s, t);
	return unit_run(s);
}
