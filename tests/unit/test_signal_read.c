/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "livekit/signal.h"
#include "tests/unit/protobuf_fixture.h"
#include "tests/unit/suite.h"

#define BYTES(literal) (literal), sizeof(literal) - 1

static struct signal_request rq;

static bool
reads(const struct buf *b)
{
	return signal_read(mem, b->p, b->len, &rq);
}

static const char *
sid(size_t i)
{
	ck_assert_uint_lt(i, rq.sids.n);
	return ((const char **)rq.sids.items)[i];
}

START_TEST(descriptions_are_read)
{
	static const enum signal_kind kinds[] = { 0, SIGNAL_OFFER, SIGNAL_ANSWER };

	for (uint32_t field = 1; field <= 2; field++) {
		struct buf b = { .mem = mem };
		size_t d = protobuf_begin(&b, field);

		protobuf_write_text(&b, 1, "offer");
		protobuf_write_text(&b, 2, "v=0\r\n");
		protobuf_write_number(&b, 3, 4294967295);
		protobuf_write_text(&b, 4, "of the future");
		protobuf_end(&b, d);
		ck_assert(reads(&b));
		ck_assert_int_eq(rq.kind, kinds[field]);
		ck_assert_str_eq(rq.description.sdp, "v=0\r\n");
		ck_assert_uint_eq(rq.description.n, 5);
		ck_assert_uint_eq(rq.description.id, 4294967295);
	}
}
END_TEST

START_TEST(absent_fields_are_empty)
{
	ck_assert(signal_read(mem, BYTES("\x0a\x00"), &rq));
	ck_assert_int_eq(rq.kind, SIGNAL_OFFER);
	ck_assert_str_eq(rq.description.sdp, "");
	ck_assert_uint_eq(rq.description.n, 0);
	ck_assert(signal_read(mem, BYTES("\x22\x00"), &rq));
	ck_assert_int_eq(rq.kind, SIGNAL_ADD_TRACK);
	ck_assert_str_eq(rq.add_track.cid, "");
	ck_assert_str_eq(rq.add_track.name, "");
	ck_assert_int_eq(rq.add_track.type, SIGNAL_AUDIO);
	ck_assert_uint_eq(rq.add_track.n, 0);
	ck_assert(signal_read(mem, BYTES("\x2a\x00"), &rq));
	ck_assert_int_eq(rq.kind, SIGNAL_MUTE);
	ck_assert_uint_eq(rq.sids.n, 0);
	ck_assert(!rq.on);
}
END_TEST

/* A message as livekit-client sends it for a microphone. */
START_TEST(tracks_to_be_added_are_read)
{
	struct buf b = { .mem = mem };
	size_t add = protobuf_begin(&b, 4), codec, begun = b.len;

	protobuf_write_text(&b, 1, "6f1c2b0e-7d51-4b39-9a55-0e1d8a2b7c44");
	protobuf_write_text(&b, 2, "microphone");
	protobuf_write_number(&b, 3, SIGNAL_VIDEO);
	protobuf_write_number(&b, 6, true);
	protobuf_write_number(&b, 7, true);
	protobuf_write_number(&b, 8, SIGNAL_SOURCE_MICROPHONE);
	codec = protobuf_begin(&b, 10);
	protobuf_write_text(&b, 1, "opus");
	protobuf_end(&b, codec);
	protobuf_write_number(&b, 13, true);
	protobuf_write_number(&b, 14, 2);
	protobuf_write_text(&b, 15, "camera");
	protobuf_write_bytes(&b, 17, "\0\1\2", 3);
	protobuf_end(&b, add);
	ck_assert(reads(&b));
	ck_assert_int_eq(rq.kind, SIGNAL_ADD_TRACK);
	ck_assert_str_eq(rq.add_track.cid, "6f1c2b0e-7d51-4b39-9a55-0e1d8a2b7c44");
	ck_assert_str_eq(rq.add_track.name, "microphone");
	ck_assert_int_eq(rq.add_track.type, SIGNAL_VIDEO);
	ck_assert_int_eq(rq.add_track.source, SIGNAL_SOURCE_MICROPHONE);
	ck_assert_int_eq(rq.add_track.encryption, 2);
	ck_assert(rq.add_track.muted);
	ck_assert_uint_eq(rq.add_track.n, b.len - begun);
	ck_assert_mem_eq(rq.add_track.bytes, b.p + begun, rq.add_track.n);
}
END_TEST

/* A text is never cut within a character. */
START_TEST(long_names_are_cut)
{
	struct buf b = { .mem = mem };
	size_t add = protobuf_begin(&b, 4);
	char *cid = arena_alloc(mem, 1000), *name = arena_alloc(mem, 1000);

	memset(cid, 'c', 999);
	name[0] = 'n';
	for (int i = 1; i < 999; i += 2)
		name[i] = '\xc3', name[i + 1] = '\xa9';
	protobuf_write_text(&b, 1, cid);
	protobuf_write_text(&b, 2, name);
	protobuf_end(&b, add);
	ck_assert(reads(&b));
	ck_assert_uint_eq(strlen(rq.add_track.cid), 128);
	ck_assert_uint_eq(strlen(rq.add_track.name), 255);
}
END_TEST

START_TEST(mute_is_read)
{
	ck_assert(signal_read(mem, BYTES("\x2a\x08\x0a\x04TR_a\x10\x01"), &rq));
	ck_assert_int_eq(rq.kind, SIGNAL_MUTE);
	ck_assert_uint_eq(rq.sids.n, 1);
	ck_assert_str_eq(sid(0), "TR_a");
	ck_assert(rq.on);
}
END_TEST

START_TEST(subscriptions_are_read)
{
	struct buf b = { .mem = mem };
	size_t s = protobuf_begin(&b, 6), p;

	protobuf_write_text(&b, 1, "TR_a");
	protobuf_write_text(&b, 1, "TR_b");
	protobuf_write_number(&b, 2, true);
	for (int i = 0; i < 2; i++) {
		p = protobuf_begin(&b, 3);
		protobuf_write_text(&b, 1, "PA_x");
		protobuf_write_text(&b, 2, i > 0 ? "TR_d" : "TR_c");
		protobuf_end(&b, p);
	}
	protobuf_end(&b, s);
	ck_assert(reads(&b));
	ck_assert_int_eq(rq.kind, SIGNAL_SUBSCRIPTION);
	ck_assert(rq.on);
	ck_assert_uint_eq(rq.sids.n, 4);
	ck_assert_str_eq(sid(1), "TR_b");
	ck_assert_str_eq(sid(3), "TR_d");
}
END_TEST

START_TEST(sids_have_their_limits)
{
	struct buf b = { .mem = mem };
	size_t s = protobuf_begin(&b, 6);
	char *large = arena_alloc(mem, 1000);

	memset(large, 'T', 999);
	for (int i = 0; i < 1000; i++)
		protobuf_write_text(&b, 1, large);
	protobuf_end(&b, s);
	ck_assert_uint_gt(b.len, SIGNAL_BYTES);
	ck_assert(!reads(&b));
	b.len = 0;
	s = protobuf_begin(&b, 6);
	for (int i = 0; i < 200; i++)
		protobuf_write_text(&b, 1, large);
	protobuf_end(&b, s);
	ck_assert(reads(&b));
	ck_assert_uint_eq(rq.sids.n, SIGNAL_SIDS);
	ck_assert_uint_eq(strlen(sid(SIGNAL_SIDS - 1)), SIGNAL_SID_BYTES);
}
END_TEST

START_TEST(track_settings_are_read)
{
	ck_assert(
	    signal_read(mem, BYTES("\x3a\x0e\x0a\x04TR_a\x0a\x04TR_b\x18\x01"), &rq));
	ck_assert_int_eq(rq.kind, SIGNAL_TRACK_SETTING);
	ck_assert_uint_eq(rq.sids.n, 2);
	ck_assert(rq.on);
	/* the number is quality, not that of the next field */
	ck_assert(signal_read(mem, BYTES("\x3a\x08\x0a\x04TR_a\x10\x01"), &rq));
	ck_assert(!rq.on);
}
END_TEST

START_TEST(pings_are_read)
{
	ck_assert(signal_read(mem, BYTES("\x70\xac\x02"), &rq));
	ck_assert_int_eq(rq.kind, SIGNAL_PING);
	ck_assert_int_eq(rq.time_ms, 300);
	ck_assert(signal_read(mem, BYTES("\x82\x01\x05\x08\xac\x02\x10\x07"), &rq));
	ck_assert_int_eq(rq.kind, SIGNAL_PING_REQ);
	ck_assert_int_eq(rq.time_ms, 300);
}
END_TEST

START_TEST(other_requests_are_told_from_each_other)
{
	ck_assert(signal_read(mem, BYTES("\x42\x02\x10\x01"), &rq));
	ck_assert_int_eq(rq.kind, SIGNAL_LEAVE);
	ck_assert(signal_read(mem, BYTES("\x7a\x05\x0a\x01m\x20\x07"), &rq));
	ck_assert_int_eq(rq.kind, SIGNAL_UPDATE_METADATA);
	ck_assert_uint_eq(rq.request_id, 7);
}
END_TEST

/* trickle, subscription_permission, sync_state, simulate, an unknown request, none */
static const struct {
	const char *bytes;
	size_t n;
} others[] = { { BYTES("\x1a\x04\x0a\x02{}") }, { BYTES("\x5a\x02\x08\x01") },
	{ BYTES("\x62\x02\x0a\x00") }, { BYTES("\x6a\x02\x08\x01") },
	{ BYTES("\x92\x06\x01x") }, { BYTES("") }, { BYTES("\x08\x01") },
	{ BYTES("\x72\x01\x01") } };

START_TEST(unknown_requests_are_nothing_to_do)
{
	ck_assert(signal_read(mem, others[_i].bytes, others[_i].n, &rq));
	ck_assert_int_eq(rq.kind, SIGNAL_OTHER);
}
END_TEST

static const struct {
	const char *bytes;
	size_t n;
} malformed[] = { { BYTES("\x0a\x05\x12\x03v=") }, { BYTES("\x0a\x03\x12\x03v=") },
	{ BYTES("\x0b\x0c") }, { BYTES("\x0a\x02\x0b\x0c") }, { BYTES("\x22\x01\x0a") },
	{ BYTES("\x2a\x02\x0a\x01") }, { BYTES("\x32\x04\x1a\x02\x12\x05") },
	{ BYTES("\x3a\x01\x18") }, { BYTES("\x42\x01\x08") }, { BYTES("\x7a\x01\x20") },
	{ BYTES("\x82\x01\x01\x08") }, { BYTES("\x70") }, { BYTES("not protobuf") },
	{ BYTES("{\"offer\":{}}") } };

START_TEST(malformed_requests_are_refused)
{
	ck_assert(!signal_read(mem, malformed[_i].bytes, malformed[_i].n, &rq));
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("signal_read");
	TCase *t = tcase_create("requests");

	tcase_add_checked_fixture(t, set_up, tear_down);
	tcase_add_test(t, descriptions_are_read);
	tcase_add_test(t, absent_fields_are_empty);
	tcase_add_test(t, tracks_to_be_added_are_read);
	tcase_add_test(t, long_names_are_cut);
	tcase_add_test(t, mute_is_read);
	tcase_add_test(t, subscriptions_are_read);
	tcase_add_test(t, sids_have_their_limits);
	tcase_add_test(t, track_settings_are_read);
	tcase_add_test(t, pings_are_read);
	tcase_add_test(t, other_requests_are_told_from_each_other);
	tcase_add_loop_test(t, unknown_requests_are_nothing_to_do, 0, COUNT(others));
	tcase_add_loop_test(t, malformed_requests_are_refused, 0, COUNT(malformed));
	suite_add_tcase(s, t);
	return unit_run(s);
}
