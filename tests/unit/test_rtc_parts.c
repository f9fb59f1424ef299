/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/hash.h"
#include "rtc/data_channel.c"
#include "rtc/message_queue.h"
#include "rtc/routes.h"
#include "tests/unit/suite.h"

static struct arena *mem;

static void
setup(void)
{
	mem = arena_new();
}

static void
teardown(void)
{
	arena_free(mem);
}

/* ---- data channels ---- */

/* clang-format off */
static const struct {
	const char *what, *bytes;
	size_t n;
	bool good;
	enum dcep_kind kind;
	bool lossy;
	const char *label;
} messages[] = {
	{ "nothing", "", 0, false, 0, 0, NULL },
	{ "an ACK", "\2", 1, true, DCEP_ACK, false, "" },
	{ "reliable, as Chromium opens it",
	  "\3\0\0\0\0\0\0\0\0\x9\0\0_reliable", 21, true, DCEP_OPEN, false, "_reliable" },
	{ "lossy, as Chromium opens it",
	  "\3\x81\0\0\0\0\0\0\0\6\0\0_lossy", 18, true, DCEP_OPEN, true, "_lossy" },
	{ "with a protocol", "\3\0\0\0\0\0\0\0\0\1\0\2xpp", 15, true, DCEP_OPEN, false, "x" },
	{ "a head alone", "\3\0\0\0\0\0\0\0\0\0\0\0", 12, true, DCEP_OPEN, false, "" },
	{ "a short head", "\3\0\0\0\0\0\0\0\0\0\0", 11, false, 0, 0, NULL },
	{ "a label beyond the end", "\3\0\0\0\0\0\0\0\0\2\0\0x", 13, false, 0, 0, NULL },
	{ "a protocol beyond the end", "\3\0\0\0\0\0\0\0\0\1\0\1x", 13, false, 0, 0, NULL },
	{ "lengths of 64 KiB", "\3\0\0\0\0\0\0\0\xff\xff\xff\xffx", 13, false, 0, 0, NULL },
	{ "another kind", "\1\0\0\0\0\0\0\0\0\0\0\0", 12, false, 0, 0, NULL },
	{ "a NUL within", "\3\0\0\0\0\0\0\0\0\3\0\0a\0b", 15, true, DCEP_OPEN, false, "a" },
};
/* clang-format on */

START_TEST(channels_are_opened_by_messages)
{
	struct dcep_message m;
	bool good = dcep_read(messages[_i].bytes, messages[_i].n, &m);

	ck_assert_msg(good == messages[_i].good, "%s", messages[_i].what);
	if (!good)
		return;
	ck_assert_int_eq(m.kind, messages[_i].kind);
	ck_assert(m.lossy == messages[_i].lossy);
	ck_assert_str_eq(m.label, messages[_i].label);
}
END_TEST

START_TEST(a_long_label_is_cut)
{
	unsigned char p[12 + 200] = { DCEP_OPEN, [9] = 200 };
	struct dcep_message m;

	memset(p + 12, 'x', 200);
	ck_assert(dcep_read(p, sizeof(p), &m));
	ck_assert_uint_eq(strlen(m.label), 64);
}
END_TEST

START_TEST(messages_are_read_as_they_were_written)
{
	struct dcep_message m = { .kind = DCEP_OPEN, .lossy = true }, again;
	unsigned char p[DCEP_OPEN_MOST];

	memset(m.label, 'y', sizeof(m.label) - 1);
	ck_assert_uint_eq(dcep_write(&m, p), 12 + 64);
	ck_assert(dcep_read(p, 12 + 64, &again));
	ck_assert(again.lossy);
	ck_assert_str_eq(again.label, m.label);
	m.kind = DCEP_ACK;
	ck_assert_uint_eq(dcep_write(&m, p), 1);
}
END_TEST

START_TEST(the_first_channel_of_a_label_is_used)
{
	struct channel_table t = { 0 };

	ck_assert_ptr_null(channel_table_assign(&t, "_data_track", 1));
	ck_assert_ptr_null(channel_table_stream(&t, 0));
	ck_assert_ptr_nonnull(channel_table_assign(&t, "_lossy", 4));
	ck_assert_ptr_null(channel_table_assign(&t, "_lossy", 6));
	ck_assert_ptr_null(channel_table_label(&t, "_reliable"));
	ck_assert_ptr_nonnull(channel_table_assign(&t, "_reliable", 0));
	ck_assert_str_eq(channel_table_stream(&t, 4)->label, "_lossy");
	ck_assert(channel_table_stream(&t, 4)->lossy);
	ck_assert(!channel_table_stream(&t, 0)->lossy);
	ck_assert_ptr_null(channel_table_stream(&t, 6));
}
END_TEST

START_TEST(queued_messages_keep_their_order)
{
	struct message_queue q = { 0 };

	for (int i = 0; i < 10; i++) {
		struct queued_message m = { .stream = (uint16_t)i, .p = &i, .n = 4 };

		message_queue_put(&q, &m, i);
	}
	ck_assert_uint_eq(q.bytes, 40);
	ck_assert_int_eq(q.since_us, 0);
	for (int i = 0; i < 5; i++) {
		ck_assert_uint_eq(q.first->stream, i);
		ck_assert_mem_eq(q.first->p, &i, sizeof(i));
		message_queue_drop(&q, 100 + i);
	}
	ck_assert_uint_eq(q.bytes, 20);
	ck_assert_int_eq(q.since_us, 104);
	message_queue_clear(&q);
	ck_assert_uint_eq(q.bytes, 0);
	ck_assert_ptr_null(q.first);
}
END_TEST

START_TEST(parts_are_joined_up_to_the_limit)
{
	static unsigned char bytes[100 << 10];
	struct message_parts m = { 0 };
	const void *p = "whole";
	size_t n = 5;

	ck_assert(message_parts_put(&m, true, &p, &n));
	ck_assert_str_eq(p, "whole");
	message_parts_clear(&m);
	for (int i = 0; i < 4; i++) {
		p = "part";
		n = 4;
		ck_assert(message_parts_put(&m, i == 3, &p, &n) == (i == 3));
	}
	ck_assert_uint_eq(n, 16);
	ck_assert_mem_eq(p, "partpartpartpart", 16);
	message_parts_clear(&m);
	for (int i = 0; i < 5; i++) {
		p = bytes;
		n = i < 3 ? sizeof(bytes) : 1;
		ck_assert(message_parts_put(&m, i == 4, &p, &n) == (i == 4));
	}
	ck_assert_uint_gt(n, MESSAGE_MOST);
	message_parts_clear(&m);
}
END_TEST

/* ---- routes ---- */

static struct routes table;
static struct route_set sets[2];
static const unsigned char ids[5][STUN_ID] = { "a", "b", "c", "d", "e" };

static struct transport_path
path(uint16_t port)
{
	return (struct transport_path){ .port = port, .link = 1 };
}

static const struct ice_credentials *
ice(const char *ufrag)
{
	static struct ice_credentials c;

	memcpy(c.ufrag, ufrag, strlen(ufrag) + 1);
	return &c;
}

static void *
found(const char *ufrag)
{
	const struct route_name *n = routes_find_name(&table, ufrag, strlen(ufrag));

	return n != NULL ? n->set->peer : NULL;
}

static void
open_routes(void)
{
	setup();
	table = (struct routes){ 0 };
	for (int i = 0; i < 2; i++)
		sets[i] = (struct route_set){ .mem = mem, .peer = &sets[i] };
}

static void
close_routes(void)
{
	for (int i = 0; i < 2; i++)
		routes_forget(&table, &sets[i]);
	ck_assert_ptr_null(table.names);
	ck_assert_ptr_null(table.paths);
	teardown();
}

START_TEST(names_lead_to_peers)
{
	ck_assert(routes_put_name(&table, &sets[0], ice("aaaa")));
	ck_assert(!routes_put_name(&table, &sets[1], ice("aaaa")));
	ck_assert(routes_put_name(&table, &sets[1], ice("bbbb")));
	ck_assert_ptr_eq(found("aaaa"), &sets[0]);
	ck_assert_ptr_null(found("aaa"));
	ck_assert_ptr_null(found("aaaab"));
	ck_assert(routes_put_name(&table, &sets[0], ice("cccc")));
	ck_assert_ptr_eq(found("aaaa"), &sets[0]);
	ck_assert_ptr_eq(found("cccc"), &sets[0]);
	routes_confirm_name(&table, routes_find_name(&table, "aaaa", 4));
	ck_assert_ptr_eq(found("aaaa"), &sets[0]);
	routes_confirm_name(&table, routes_find_name(&table, "cccc", 4));
	ck_assert_ptr_null(found("aaaa"));
	for (int i = 0; i < 3; i++)
		ck_assert(routes_put_name(&table, &sets[0],
		    ice(i == 0   ? "dddd"
			: i == 1 ? "eeee"
				 : "ffff")));
	ck_assert_ptr_null(found("dddd"));
	ck_assert_ptr_eq(found("eeee"), &sets[0]);
	ck_assert_ptr_eq(found("ffff"), &sets[0]);
	routes_forget(&table, &sets[0]);
	ck_assert_ptr_null(found("ffff"));
	ck_assert_ptr_eq(found("bbbb"), &sets[1]);
}
END_TEST

START_TEST(the_path_that_was_not_checked_for_longest_goes)
{
	struct transport_path p;

	for (uint16_t i = 1; i <= ROUTES_MOST; i++) {
		p = path(i);
		routes_put(&table, &sets[0], &p, ids[0], i);
	}
	p = path(1);
	routes_put(&table, &sets[0], &p, ids[0], 100);
	p = path(99);
	routes_put(&table, &sets[0], &p, ids[0], 101);
	ck_assert_ptr_eq(routes_find(&table, &p), &sets[0]);
	p = path(1);
	ck_assert_ptr_eq(routes_find(&table, &p), &sets[0]);
	p = path(2);
	ck_assert_ptr_null(routes_find(&table, &p));
	p = path(3);
	routes_forget_path(&table, &p);
	routes_forget_path(&table, &p);
	ck_assert_ptr_null(routes_find(&table, &p));
	p = path(98);
	routes_put(&table, &sets[0], &p, ids[0], 102);
	p = path(4);
	ck_assert_ptr_eq(routes_find(&table, &p), &sets[0]);
}
END_TEST

START_TEST(a_second_check_proves_a_path)
{
	struct transport_path p = path(1), other = path(2);

	ck_assert(!routes_put(&table, &sets[0], &p, ids[0], 1));
	ck_assert(!routes_put(&table, &sets[0], &p, ids[0], 2)); /* repeated */
	ck_assert(!routes_put(&table, &sets[0], &other, ids[1], 3));
	ck_assert(routes_put(&table, &sets[0], &p, ids[1], 4));
	ck_assert(routes_put(&table, &sets[0], &p, ids[1], 5));
	ck_assert(!routes_put(&table, &sets[0], &p, ids[2], 31 * S_US)); /* too late */
	ck_assert(routes_put(&table, &sets[0], &p, ids[3], 32 * S_US));
	ck_assert(!routes_put(&table, &sets[1], &p, ids[4], 33 * S_US));
}
END_TEST

START_TEST(a_path_changes_its_peer)
{
	struct transport_path p = path(1);

	routes_put(&table, &sets[0], &p, ids[0], 1);
	routes_put(&table, &sets[1], &p, ids[0], 2);
	ck_assert_ptr_eq(routes_find(&table, &p), &sets[1]);
	routes_forget(&table, &sets[0]);
	ck_assert_ptr_eq(routes_find(&table, &p), &sets[1]);
	p.tcp = 1;
	ck_assert_ptr_null(routes_find(&table, &p));
}
END_TEST

static Suite *
suite(void)
{
	Suite *s = suite_create("rtc_parts");
	TCase *t = tcase_create("rtc_parts"), *r = tcase_create("routes");

	tcase_add_checked_fixture(t, setup, teardown);
	tcase_add_loop_test(t, channels_are_opened_by_messages, 0, COUNT(messages));
	tcase_add_test(t, a_long_label_is_cut);
	tcase_add_test(t, messages_are_read_as_they_were_written);
	tcase_add_test(t, the_first_channel_of_a_label_is_used);
	tcase_add_test(t, queued_messages_keep_their_order);
	tcase_add_test(t, parts_are_joined_up_to_the_limit);
	suite_add_tcase(s, t);
	tcase_add_checked_fixture(r, open_routes, close_routes);
	tcase_add_test(r, names_lead_to_peers);
	tcase_add_test(r, the_path_that_was_not_checked_for_longest_goes);
	tcase_add_test(r, a_second_check_proves_a_path);
	tcase_add_test(r, a_path_changes_its_peer);
	suite_add_tcase(s, r);
	return s;
}

int
main(void)
{
	return unit_run(suite());
}
