/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "livekit/data_packet.h"
#include "tests/unit/protobuf_fixture.h"
#include "tests/unit/suite.h"

#define BYTES(literal) (literal), sizeof(literal) - 1

static const struct {
	const char *what, *bytes;
	size_t n;
	const char *payload; /* NULL: refused */
	uint32_t sequence;
} packets[] = {
	{ "as clients send it",
	    BYTES("\x08\x00\x12\x04\x12\x02{}\x22\x01x\x82\x01\x00"), "{}", 0 },
	{ "of Python", BYTES("\x12\x05\x12\x03{ }"), "{ }", 0 },
	{ "lossy", BYTES("\x08\x01\x12\x04\x12\x02{}"), "{}", 0 },
	{ "with sender and id",
	    BYTES("\x12\x12\x0a\x04PA_x\x12\x02{}\x2a\x01i\x42\x01u\x48\x05"), "{}",
	    0 },
	{ "an empty topic", BYTES("\x12\x06\x12\x02{}\x22\x00"), "{}", 0 },
	{ "a topic", BYTES("\x12\x07\x12\x02{}\x22\x01t"), NULL, 0 },
	{ "a topic first", BYTES("\x12\x07\x22\x01t\x12\x02{}"), NULL, 0 },
	{ "a sequence", BYTES("\x12\x04\x12\x02{}\x80\x01\xac\x02"), "{}", 300 },
	{ "a sequence first", BYTES("\x80\x01\x07\x12\x04\x12\x02{}"), "{}", 7 },
	{ "receivers",
	    BYTES("\x12\x04\x12\x02{}\x2a\x01"
		  "a\x2a\x01"
		  "b"),
	    "{}", 0 },
	{ "no payload", BYTES("\x12\x00"), "", 0 },
	{ "nothing", BYTES(""), NULL, 0 },
	{ "no value", BYTES("\x08\x01\x22\x01x"), NULL, 0 },
	{ "user as a number", BYTES("\x10\x01"), NULL, 0 },
	{ "transcription", BYTES("\x3a\x02\x12\x00"), NULL, 0 },
	{ "rpc", BYTES("\x52\x02\x12\x00"), NULL, 0 },
	{ "a stream's header", BYTES("\x6a\x02\x12\x00"), NULL, 0 },
	{ "encrypted", BYTES("\x92\x01\x02\x12\x00"), NULL, 0 },
	{ "user, then another value", BYTES("\x12\x04\x12\x02{}\x3a\x00"), NULL, 0 },
	{ "another value, then user", BYTES("\x3a\x00\x12\x04\x12\x02{}"), "{}", 0 },
	{ "a field of the future", BYTES("\x12\x04\x12\x02{}\x9a\x06\x01x"), "{}", 0 },
	{ "truncated", BYTES("\x12\x05\x12\x02{}"), NULL, 0 },
	{ "truncated inside", BYTES("\x12\x04\x12\x03{}"), NULL, 0 },
	{ "a group", BYTES("\x12\x04\x12\x02{}\x0b\x0c"), NULL, 0 },
	{ "a group inside", BYTES("\x12\x06\x12\x02{}\x0b\x0c"), NULL, 0 },
	{ "JSON alone", BYTES("{\"message_type\":\"get_task\"}"), NULL, 0 },
};

START_TEST(packets_are_read)
{
	struct data_packet p;
	bool good = data_packet_read(packets[_i].bytes, packets[_i].n, &p);

	ck_assert_msg(good == (packets[_i].payload != NULL), "%s", packets[_i].what);
	if (!good)
		return;
	ck_assert_uint_eq(p.n, strlen(packets[_i].payload));
	ck_assert_mem_eq(p.payload, packets[_i].payload, p.n);
	ck_assert_uint_eq(p.sequence, packets[_i].sequence);
}
END_TEST

START_TEST(packets_written_are_read)
{
	static const size_t sizes[] = { 0, 1, 100, 1000, 15 << 10, (64 << 10) - 100 };
	struct data_packet p;

	for (int i = 0; i < COUNT(sizes); i++) {
		struct buf b = { .mem = mem };
		char *payload = arena_alloc(mem, sizes[i] + 1);

		memset(payload, '{', sizes[i]);
		data_packet_write(
		    &b, "PA_translator0", "palabra_translator_1f", payload, sizes[i]);
		ck_assert(data_packet_read(b.p, b.len, &p));
		ck_assert_uint_eq(p.n, sizes[i]);
		ck_assert_mem_eq(p.payload, payload, p.n);
		ck_assert_uint_eq(p.sequence, 0);
		is_number("1", -1); /* reliable is the default */
		is_text("2.1", "PA_translator0");
		is_text("2.4", "(none)");
		is_text("2.5", "palabra_translator_1f");
		is_text("4", "palabra_translator_1f");
		is_text("17", "PA_translator0");
	}
}
END_TEST

START_TEST(large_packets_are_refused)
{
	char *bytes = arena_alloc(mem, DATA_PACKET_BYTES + 1);
	struct buf b = { .mem = mem };
	struct data_packet p;

	data_packet_write(&b, "", "", bytes, DATA_PACKET_BYTES - 8);
	ck_assert_uint_eq(b.len, DATA_PACKET_BYTES);
	ck_assert(data_packet_read(b.p, b.len, &p));
	b.len = 0;
	data_packet_write(&b, "", "", bytes, DATA_PACKET_BYTES - 7);
	ck_assert(!data_packet_read(b.p, b.len, &p));
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("data_packet");
	TCase *t = tcase_create("packets");

	tcase_add_checked_fixture(t, set_up, tear_down);
	tcase_add_loop_test(t, packets_are_read, 0, COUNT(packets));
	tcase_add_test(t, packets_written_are_read);
	tcase_add_test(t, large_packets_are_refused);
	suite_add_tcase(s, t);
	return unit_run(s);
}
