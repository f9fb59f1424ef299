/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/unit/protobuf_fixture.h"
#include "tests/unit/suite.h"

#define BYTES(literal) (literal), sizeof(literal) - 1

/* Examples of protobuf.dev, and the ends of ranges. */
static const struct {
	const char *bytes;
	size_t n;
	uint32_t field;
	enum protobuf_type type;
	uint64_t number;
	const char *text;
} fields[] = {
	{ BYTES("\x08\x96\x01"), 1, PROTOBUF_VARINT, 150, NULL },
	{ BYTES("\x12\x07testing"), 2, PROTOBUF_BYTES, 0, "testing" },
	{ BYTES("\x12\x00"), 2, PROTOBUF_BYTES, 0, "" },
	{ BYTES("\x08\x00"), 1, PROTOBUF_VARINT, 0, NULL },
	{ BYTES("\x70\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"), 14, PROTOBUF_VARINT,
	    UINT64_MAX, NULL },
	{ BYTES("\x08\x80\x80\x00"), 1, PROTOBUF_VARINT, 0, NULL },
	{ BYTES("\x1d\x78\x56\x34\x12"), 3, PROTOBUF_FIXED32, 0x12345678, NULL },
	{ BYTES("\x19\xf0\xde\xbc\x9a\x78\x56\x34\x12"), 3, PROTOBUF_FIXED64,
	    0x123456789abcdef0, NULL },
	{ BYTES("\xf8\xff\xff\xff\x0f\x01"), 536870911, PROTOBUF_VARINT, 1, NULL },
};

START_TEST(fields_are_read)
{
	struct protobuf m = protobuf_open(fields[_i].bytes, fields[_i].n);

	ck_assert(protobuf_next(&m));
	ck_assert_uint_eq(m.key, PROTOBUF_KEY(fields[_i].field, fields[_i].type));
	ck_assert_uint_eq(m.number, fields[_i].number);
	if (fields[_i].text != NULL) {
		ck_assert_uint_eq(m.size, strlen(fields[_i].text));
		ck_assert_mem_eq(m.bytes, fields[_i].text, m.size);
	}
	ck_assert(!protobuf_next(&m));
	ck_assert(!m.bad);
	ck_assert_uint_eq(m.n, 0);
}
END_TEST

START_TEST(fields_cut_short_are_bad)
{
	for (size_t n = 1; n < fields[_i].n; n++) {
		struct protobuf m = protobuf_open(fields[_i].bytes, n);

		ck_assert(!protobuf_next(&m));
		ck_assert(m.bad);
		ck_assert(!protobuf_next(&m));
	}
}
END_TEST

static const struct {
	const char *bytes;
	size_t n;
} bad[] = {
	{ BYTES("\x0b\x0c") }, /* a group */
	{ BYTES("\x0c") },     /* its end */
	{ BYTES("\x0e\x00") }, /* type 6 */
	{ BYTES("\x0f\x00") }, /* type 7 */
	{ BYTES("\x00\x00") }, /* field 0 */
	{ BYTES("\x02\x00") }, /* field 0 */
	{ BYTES("\x12\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"
		"abc") }, /* a length */
	{ BYTES("\x12\x04"
		"abc") },                                              /* a length */
	{ BYTES("\x08\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x00") }, /* 11 bytes */
	{ BYTES("\x88\x80\x80\x80\x10\x00") },                         /* field 2^29 */
	{ BYTES("\x88\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x00\x00") }, /* a key */
};

START_TEST(malformed_fields_are_bad)
{
	struct protobuf m = protobuf_open(bad[_i].bytes, bad[_i].n);

	ck_assert(!protobuf_next(&m));
	ck_assert(m.bad);
}
END_TEST

START_TEST(nothing_is_a_message)
{
	struct protobuf m = protobuf_open(NULL, 0);

	ck_assert(!protobuf_next(&m));
	ck_assert(!m.bad);
}
END_TEST

static const struct {
	uint64_t number;
	size_t bytes;
} numbers[] = { { 1, 2 }, { 127, 2 }, { 128, 3 }, { 16383, 3 }, { 16384, 4 },
	{ UINT32_MAX, 6 }, { (uint64_t)INT64_MAX, 10 }, { UINT64_MAX, 11 } };

START_TEST(numbers_written_are_read)
{
	struct buf b = { .mem = mem };

	protobuf_write_number(&b, 15, numbers[_i].number);
	ck_assert_uint_eq(b.len, numbers[_i].bytes);
	is_number("15", (int64_t)numbers[_i].number);
}
END_TEST

START_TEST(defaults_are_not_written)
{
	struct buf b = { .mem = mem };

	protobuf_write_number(&b, 1, 0);
	protobuf_write_text(&b, 2, "");
	protobuf_write_text(&b, 3, NULL);
	ck_assert_uint_eq(b.len, 0);
	protobuf_write_choice(&b, 1, 0);
	protobuf_write_bytes(&b, 2, "", 0);
	ck_assert_uint_eq(b.len, 4);
	is_number("1", 0);
	is_text("2", "");
}
END_TEST

/* Sizes around the limits at which a length takes one more byte. */
static const size_t sizes[] = { 0, 1, 120, 124, 126, 127, 128, 129, 16380, 16383, 16384,
	16385, 70000 };

START_TEST(nested_messages_are_read)
{
	struct buf b = { .mem = mem };
	char *text = arena_alloc(mem, sizes[_i] + 1);
	size_t outer, inner;

	memset(text, 'x', sizes[_i]);
	protobuf_write_text(&b, 1, "before");
	outer = protobuf_begin(&b, 2);
	protobuf_write_number(&b, 1, 7);
	inner = protobuf_begin(&b, 3000);
	protobuf_write_bytes(&b, 1, text, sizes[_i]);
	protobuf_end(&b, inner);
	protobuf_write_text(&b, 4, "behind");
	protobuf_end(&b, outer);
	protobuf_write_text(&b, 5, "after");
	is_text("1", "before");
	is_number("2.1", 7);
	is_text("2.3000.1", text);
	is_text("2.4", "behind");
	is_text("5", "after");
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("protobuf");
	TCase *t = tcase_create("wire");

	tcase_add_checked_fixture(t, set_up, tear_down);
	tcase_add_loop_test(t, fields_are_read, 0, COUNT(fields));
	tcase_add_loop_test(t, fields_cut_short_are_bad, 0, COUNT(fields));
	tcase_add_loop_test(t, malformed_fields_are_bad, 0, COUNT(bad));
	tcase_add_test(t, nothing_is_a_message);
	tcase_add_loop_test(t, numbers_written_are_read, 0, COUNT(numbers));
	tcase_add_test(t, defaults_are_not_written);
	tcase_add_loop_test(t, nested_messages_are_read, 0, COUNT(sizes));
	suite_add_tcase(s, t);
	return unit_run(s);
}
